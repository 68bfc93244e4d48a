"""A list asks for what it shows, whatever its length, and a late answer does no harm."""

from __future__ import annotations

from array import array
from typing import Any

from textual.app import App, ComposeResult
from textual.content import Content

from curate.tui.widgets.virtual_list import CACHED, PAGE, VirtualList


class Bench(App[None]):
    """A list that is served by hand."""

    def __init__(self) -> None:
        super().__init__()
        self.wanted: list[tuple[int, ...]] = []
        self.opened: list[Any] = []

    def compose(self) -> ComposeResult:
        yield VirtualList(lambda row, _width: Content(row), empty="nothing")

    def on_virtual_list_wanted(self, event: VirtualList.Wanted) -> None:
        self.wanted.append(event.keys)

    def on_virtual_list_opened(self, event: VirtualList.Opened) -> None:
        self.opened.append(event.key)

    @property
    def listing(self) -> VirtualList:
        return self.query_one(VirtualList)

    def line(self, y: int) -> str:
        return self.listing.render_line(y).text.rstrip()

    def serve(self) -> None:
        while self.wanted:
            self.listing.supply({key: f"row {key}" for key in self.wanted.pop()})


async def test_a_million_rows_ask_for_the_pages_that_are_seen_and_for_nothing_else() -> None:
    app = Bench()
    async with app.run_test(size=(60, 10)) as pilot:
        app.listing.show(array("q", range(1_000_000)))
        while not app.wanted:
            await pilot.pause(0.01)
        assert [len(keys) for keys in app.wanted] == [PAGE]
        app.serve()
        await pilot.press("end")
        while not app.wanted:
            await pilot.pause(0.01)

        assert app.listing.key == 999_999
        assert [keys[0] for keys in app.wanted] == [999_900]
        app.serve()
        await pilot.pause()
        assert app.line(9) == " ▌ row 999999"


async def test_rows_that_come_late_go_to_their_own_ids() -> None:
    app = Bench()
    async with app.run_test(size=(60, 10)) as pilot:
        app.listing.show([1, 2, 3])
        await pilot.pause()
        app.listing.show([3, 4])
        app.listing.supply({1: "one", 2: "two", 3: "three"})
        await pilot.pause()

        assert app.line(0) == " ▌ three"
        assert app.line(1) == "   …"


async def test_rows_may_come_when_their_ids_are_gone() -> None:
    app = Bench()
    async with app.run_test(size=(60, 10)) as pilot:
        ids = array("q", range(PAGE + 1))
        app.listing.show(ids)
        await pilot.pause()
        await pilot.press("down")
        while len(app.wanted) < 2:
            await pilot.pause(0.01)
        ids.pop()
        app.serve()
        await pilot.pause()

        assert app.line(1) == " ▌ row 1"


async def test_the_cache_does_not_grow_with_the_list() -> None:
    app = Bench()
    async with app.run_test(size=(60, 10)) as pilot:
        app.listing.show(array("q", range(50 * CACHED)))
        for _ in range(80):
            app.listing.action_page(8)
            await pilot.pause()
            app.serve()
        for start in range(0, 3 * CACHED, PAGE):
            app.listing.supply(dict.fromkeys(range(start, start + PAGE), "x"))

        assert len(app.listing._rows) <= CACHED


async def test_the_cursor_stays_on_the_list_and_in_view() -> None:
    app = Bench()
    async with app.run_test(size=(60, 10)) as pilot:
        app.listing.show(list(range(30)))
        await pilot.press("up")
        assert app.listing.cursor == 0

        await pilot.press("end", "down")
        assert app.listing.key == 29
        app.listing.show(list(range(5)), cursor=29)
        await pilot.pause()
        assert app.listing.key == 4
        assert app.listing.scroll_offset.y == 0


async def test_an_empty_list_says_so_and_opens_nothing() -> None:
    app = Bench()
    async with app.run_test(size=(60, 10)) as pilot:
        app.listing.show([])
        app.listing.action_select()
        await pilot.pause()

        assert app.line(0) == "   nothing"
        assert app.listing.key is None
        assert app.opened == []


async def test_a_second_click_opens_the_row_under_the_cursor() -> None:
    app = Bench()
    async with app.run_test(size=(60, 10)) as pilot:
        app.listing.show([7, 8])
        await pilot.click(VirtualList, offset=(5, 1))
        await pilot.pause()
        assert (app.listing.key, app.opened) == (8, [])

        await pilot.click(VirtualList, offset=(5, 1))
        await pilot.pause()
        assert app.opened == [8]


async def test_a_row_that_is_supplied_again_is_shown_as_it_is_now() -> None:
    app = Bench()
    async with app.run_test(size=(60, 10)) as pilot:
        app.listing.show(["a", "b"])
        app.listing.supply({"a": "first", "b": "second"})
        await pilot.pause()
        assert app.line(0) == " ▌ first"
        app.listing.supply({"a": "anew"})
        await pilot.pause()

        assert app.line(0) == " ▌ anew"
        assert app.line(1) == "   second"


async def test_the_rows_ahead_of_the_cursor_are_asked_for_before_it_is_there() -> None:
    app = Bench()
    async with app.run_test(size=(60, 10)) as pilot:
        app.listing.show(range(1000))
        while not app.wanted:
            await pilot.pause(0.01)
        app.serve()
        await pilot.press("down")
        while not app.wanted:
            await pilot.pause(0.01)

        assert app.wanted[0][0] == PAGE
        app.serve()
        await pilot.press("down", "down")
        await pilot.pause()
        assert not app.wanted


async def test_rows_that_are_there_already_are_never_asked_for_however_many() -> None:
    app = Bench()
    async with app.run_test(size=(60, 10)) as pilot:
        number = CACHED + PAGE
        app.listing.show(range(number), {key: f"row {key}" for key in range(number)})
        for key in ("end", "home", "pagedown"):
            await pilot.press(key)
        await pilot.pause()

        assert app.line(0).endswith("row 0")
        assert not app.wanted
