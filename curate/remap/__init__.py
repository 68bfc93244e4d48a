"""Chunk sets: which new chunks hold what the old ones held, and where an item's evidence went."""
