"""The pieces that screens are made of; none of them knows the store."""
