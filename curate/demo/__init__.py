"""The demo: a fictional bicycle workshop's documents, its assistant's logs, and an answer key."""
