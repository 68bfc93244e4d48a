"""Our two themes; any of Textual's own can be chosen in the settings."""

from __future__ import annotations

from textual.theme import Theme

DARK = Theme(
    name="curate-dark",
    primary="#7cb7ff",
    secondary="#93a4bd",
    accent="#f5c064",
    warning="#f5c064",
    error="#ff8078",
    success="#77d19c",
    foreground="#d8dfe9",
    background="#10141b",
    surface="#161b24",
    panel="#1d2430",
    dark=True,
    variables={
        "footer-key-foreground": "#f5c064",
        "footer-description-foreground": "#93a4bd",
        "border": "#2f3a4b",
        "border-blurred": "#2f3a4b",
        "selection": "#4a3b14",
        "selection-text": "#ffe2a8",
        "quiet": "#7d8da6",
        "input-selection-background": "#7cb7ff 35%",
    },
)

LIGHT = Theme(
    name="curate-light",
    primary="#1a5fb0",
    secondary="#5a6577",
    accent="#8f5200",
    warning="#8f5200",
    error="#b3261e",
    success="#1a7442",
    foreground="#22262d",
    background="#fbfaf7",
    surface="#f5f3ee",
    panel="#ebe8e1",
    dark=False,
    variables={
        "footer-key-foreground": "#8f5200",
        "footer-description-foreground": "#5a6577",
        "border": "#cfcabf",
        "border-blurred": "#cfcabf",
        "selection": "#ffe1a3",
        "selection-text": "#3d2a00",
        "quiet": "#6a7484",
        "input-selection-background": "#1a5fb0 25%",
    },
)

THEMES = (DARK, LIGHT)

DEFAULTS = {"quiet": "#7f8a99", "selection": "#5c4a17", "selection-text": "#ffe8bd"}
"""Colours of ours that other themes do not know: they read on light and dark alike."""
