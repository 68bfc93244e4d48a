"""The terminal application: screens over a workspace."""
