"""Presidio's and tldextract's loggers tell text; none of them may speak."""

from __future__ import annotations

import logging


def silence() -> None:
    """Silence them for good. Call it before Presidio is imported: it logs while it is."""
    for name in ("presidio-analyzer", "presidio-anonymizer", "decision_process", "tldextract"):
        logger = logging.getLogger(name)
        logger.setLevel(logging.CRITICAL + 1)
        logger.propagate = False
        logger.handlers.clear()
