"""Every question and every change as verbs on the nouns; the only door to SQLAlchemy."""
