"""Custody of personal data: compositions of the stages that keep it, show it, and let it go."""
