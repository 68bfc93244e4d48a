"""A selection in a passage: moved, widened, narrowed, free; its marks never move the text."""

from __future__ import annotations

from textual.app import App, ComposeResult

from curate.tui.widgets.passage import PassageView

TEXT = "# Rules\n\nYou may borrow it for up to 7 days. Ask the desk first.\nBring a card.\n"
SENTENCES = tuple(
    (TEXT.index(sentence), TEXT.index(sentence) + len(sentence))
    for sentence in ("You may borrow it for up to 7 days.", "Ask the desk first.", "Bring a card.")
)


class Bench(App[None]):
    """A passage on its own."""

    def __init__(self) -> None:
        super().__init__()
        self.taken: list[str] = []

    def compose(self) -> ComposeResult:
        yield PassageView()

    def on_mount(self) -> None:
        self.view.focus()
        self.view.show("rules.md", TEXT, (0, len(TEXT)), SENTENCES, SENTENCES[0])

    def on_passage_view_taken(self, event: PassageView.Taken) -> None:
        self.taken.append(TEXT[slice(*event.span)])

    @property
    def view(self) -> PassageView:
        return self.query_one(PassageView)

    @property
    def selected(self) -> str:
        assert self.view.selection_span is not None
        return TEXT[slice(*self.view.selection_span)]

    def lines(self) -> list[str]:
        return [self.view.render_line(y).text.rstrip() for y in range(self.view.size.height)]


async def test_enter_takes_what_is_selected() -> None:
    app = Bench()
    async with app.run_test(size=(70, 12)) as pilot:
        await pilot.press("enter")
        await pilot.pause()

        assert app.taken == ["You may borrow it for up to 7 days."]


async def test_the_selection_is_marked_without_colour() -> None:
    app = Bench()
    async with app.run_test(size=(70, 12)) as pilot:
        await pilot.press("left_square_bracket")
        await pilot.pause()
        assert app.lines()[2] == "▐You may borrow it for up to 7▌days. Ask the desk first."

        await pilot.press("j")
        await pilot.pause()
        assert app.lines()[2] == " You may borrow it for up to 7 days.▐Ask the desk first.▌"


async def test_a_selection_over_several_lines_is_marked_at_both_ends() -> None:
    app = Bench()
    async with app.run_test(size=(26, 12)) as pilot:
        await pilot.pause()

        assert app.lines()[2:5] == [
            "▐You may borrow it for",
            "▐up to 7 days.▌Ask the",
            " desk first.",
        ]


async def test_evidence_already_taken_carries_a_tick() -> None:
    app = Bench()
    async with app.run_test(size=(70, 12)) as pilot:
        app.view.mark([SENTENCES[2], SENTENCES[0]])
        await pilot.pause()

        assert app.lines()[2].startswith("✓You may borrow it for up to 7 days.▌")
        assert app.lines()[3] == "✓Bring a card."


async def test_sentences_words_and_both_ends_have_keys() -> None:
    app = Bench()
    async with app.run_test(size=(70, 12)) as pilot:
        await pilot.press("j", "j", "j", "k")
        assert app.selected == "Ask the desk first."
        await pilot.press("right_parenthesis")
        assert app.selected == "Ask the desk first.\nBring a card."
        await pilot.press("left_parenthesis", "right_curly_bracket", "left_square_bracket")
        assert app.selected == "the desk"
        await pilot.press("left_curly_bracket", "right_square_bracket")
        assert app.selected == "Ask the desk first."


async def test_free_selection_moves_either_end_by_characters_and_lines() -> None:
    app = Bench()
    async with app.run_test(size=(70, 12)) as pilot:
        await pilot.press("v", "left", "left")
        assert app.selected == "You may borrow it for up to 7 day"
        await pilot.press("tab", "right", "right", "right", "right")
        assert app.selected == "may borrow it for up to 7 day"
        await pilot.press("tab", "down")
        assert app.selected.endswith("Bring a card.")
        await pilot.press("escape", "j")
        assert app.selected == "Ask the desk first."


async def test_free_selection_never_becomes_empty() -> None:
    app = Bench()
    async with app.run_test(size=(70, 12)) as pilot:
        await pilot.press("v", *["left"] * 60)

        assert app.selected != ""


async def test_a_click_selects_a_sentence_and_a_drag_anything() -> None:
    app = Bench()
    async with app.run_test(size=(70, 12)) as pilot:
        await pilot.click(PassageView, offset=(5, 3))
        assert app.selected == "Bring a card."

        await pilot.mouse_down(PassageView, offset=(1, 2))
        await pilot.hover(PassageView, offset=(8, 2))
        await pilot.mouse_up(PassageView, offset=(8, 2))
        assert app.selected == "You may"


async def test_a_resize_keeps_the_selection_and_shows_it() -> None:
    app = Bench()
    async with app.run_test(size=(70, 12)) as pilot:
        await pilot.press("j", "j")
        await pilot.resize_terminal(24, 3)
        await pilot.pause()
        await pilot.pause()

        assert app.selected == "Bring a card."
        assert any("▐Bring a card.▌" in line for line in app.lines())


async def test_hidden_characters_of_a_document_are_shown() -> None:
    app = Bench()
    async with app.run_test(size=(70, 12)) as pilot:
        hostile = "a\x1b]0;x\x07b \u202e c [/x] [@click=app.exit]y"
        app.view.show("x.md", hostile, (0, len(hostile)), (), None)
        await pilot.pause()

        assert app.lines()[0] == " a␛]0;x␇b ⟨U+202E⟩ c [/x] [@click=app.exit]y"


async def test_nothing_can_be_taken_from_an_empty_view() -> None:
    app = Bench()
    async with app.run_test(size=(70, 12)) as pilot:
        app.view.clear("nothing here")
        await pilot.press("enter", "j", "left_square_bracket", "v", "right")
        await pilot.pause()

        assert app.taken == []
        assert app.lines()[0] == " nothing here"
