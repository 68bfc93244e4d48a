"""The field that searches are typed into."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widgets import Input


class SearchField(Input):
    """One line to type a search into; results show while typing, Enter or Down goes to them."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,down", "submit", "to what is found", key_display="⏎"),
    ]

    def __init__(self, placeholder: str) -> None:
        super().__init__(id="search", placeholder=placeholder, compact=True)
