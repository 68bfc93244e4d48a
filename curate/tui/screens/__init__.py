"""One module per screen or dialog."""
