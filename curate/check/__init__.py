"""What is wrong with an item or a set. Pure: what it needs to know comes as functions."""
