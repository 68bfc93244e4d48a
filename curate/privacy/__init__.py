"""Text becomes clean text here: the only door to Presidio, the names model and the keys."""
