"""Runs of the assistant, scored against the set: retrieval, answers, refusals, regressions."""
