"""Keeping the set true: versions, sets from elsewhere, changed documents, changed chunkings."""
