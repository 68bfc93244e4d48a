"""Ingest: from the bytes of a log to events, and through the anonymiser into the store."""
