"""Turn a short-lived log of real questions into a trustworthy, versioned RAG evaluation set."""
