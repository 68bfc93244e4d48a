"""Erasing for good: what a person said, or a piece of text, from every table and every revision.

An item that is withdrawn keeps its id and nothing else, in every revision and every version that
was stored. Nothing that is taken back can be brought back: undoing finds only what is left.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Text,
    delete,
    func,
    null,
    or_,
    select,
    type_coerce,
    update,
)

from curate.model.items import Item
from curate.store import ranking
from curate.store.clusters import Matcher, pieces
from curate.store.deciding import begin, find, next_number
from curate.store.mapping import item_from_json, item_to_json
from curate.store.tables import (
    accepted,
    candidate,
    failure,
    item,
    record,
    review,
    revision,
    version_file,
    version_item,
    vote,
)
from curate.text import fold_map, fold_search

WITHDRAW = "withdraw"
"""The action of the revision that says an item was taken back for good."""

_CANDIDATE = re.compile(r"c([0-9]+)")


@dataclass(frozen=True, slots=True)
class Held:
    """What is to be erased.

    `keys` are the event keys of the records and votes. `items` are those made from these records
    and no others. `scrubbed` counts places that keep standing without the text.
    """

    records: frozenset[int]
    votes: frozenset[int]
    keys: frozenset[bytes]
    items: frozenset[str]
    scrubbed: int = 0

    def __bool__(self) -> bool:
        return bool(self.records or self.votes or self.items or self.scrubbed)


@dataclass(frozen=True, slots=True)
class Literal:
    """A piece of text to be found whatever its case, white space and Unicode form."""

    pattern: re.Pattern[str]
    word: str
    """Its longest run of letters and digits, by which the database finds what may hold it: in
    JSON, quotation marks and line ends are written otherwise.
    """

    @classmethod
    def of(cls, text: str) -> Literal:
        """Return the literal of a text that has at least one word."""
        words = fold_search(text).split()
        spaced = r"\s+".join(re.escape(word) for word in words)
        runs = re.findall(r"\w+", " ".join(words)) or words
        return cls(re.compile(spaced), max(runs, key=len))

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return where it stands in `text`, in order, nothing overlapping."""
        folded, spans = fold_map(text)
        return [
            (spans[hit.start()][0], spans[hit.end() - 1][1])
            for hit in self.pattern.finditer(folded)
        ]

    def replaced(self, text: str, replacement: str) -> str:
        """Return `text` with every place where it stands replaced."""
        for start, end in reversed(self.spans(text)):
            text = text[:start] + replacement + text[end:]
        return text

    def __contains__(self, text: object) -> bool:
        return isinstance(text, str) and bool(self.pattern.search(fold_search(text)))


Target = Callable[[Connection], Held]
"""Finds what is to be erased."""


def by_users(tags: Collection[bytes]) -> Target:
    """Return the target of everything said by who has one of these tags."""

    def held(connection: Connection) -> Held:
        records = _ids(connection, record, record.c.user.in_(tags))
        votes = _ids(connection, vote, vote.c.user.in_(tags))
        return _held(connection, records, votes, frozenset())

    return held


def by_text(literal: Literal) -> Target:
    """Return the target of everything that says `literal`: records and votes, items whose own
    words hold it, and the places where only an earlier wording did.
    """

    def held(connection: Connection) -> Held:
        said: tuple[Any, ...] = (record.c.question, record.c.standalone, record.c.answer)
        said += (record.c.history, record.c.chunks)
        records = _holding(connection, record, said, literal)
        votes = _holding(connection, vote, (vote.c.comment, vote.c.reason), literal)
        items = {
            one.id
            for one in map(item_from_json, connection.scalars(select(item.c.content)))
            if any(text in literal for text in _words(item_to_json(one), _QUOTED))
        }
        found = _held(connection, records, votes, frozenset(items))
        return replace(
            found, scrubbed=_scrub_history(connection, literal, "", found.items, look=True)
        )

    return held


def _ids(connection: Connection, table: Any, which: ColumnElement[bool]) -> set[int]:
    return set(connection.scalars(select(table.c.id).where(which)))


def _holding(
    connection: Connection, table: Any, columns: Iterable[Any], literal: Literal
) -> set[int]:
    columns = tuple(columns)
    likely = [_may_hold(column, literal) for column in columns]
    return {
        row[0]
        for row in connection.execute(select(table.c.id, *columns).where(or_(*likely)))
        if any(text in literal for value in row[1:] for text in _words(value))
    }


def _may_hold(column: Any, literal: Literal) -> ColumnElement[bool]:
    return func.instr(func.fold_search(type_coerce(column, Text)), literal.word) > 0


def _held(
    connection: Connection, records: set[int], votes: set[int], items: frozenset[str]
) -> Held:
    for some in pieces(records):
        votes |= _ids(connection, vote, vote.c.record.in_(some))
    keys = {
        key
        for table, ids in ((record, records), (vote, votes))
        for some in pieces(ids)
        for key in connection.scalars(select(table.c.key).where(table.c.id.in_(some)))
    }
    made = _made_from(connection, _wholly(connection, records))
    withdrawn = set(connection.scalars(select(item.c.id).where(item.c.status == "withdrawn")))
    return Held(
        frozenset(records),
        frozenset(votes),
        frozenset(keys),
        frozenset((made | items) - withdrawn),
    )


def _wholly(connection: Connection, records: Collection[int]) -> set[int]:
    """The candidates all of whose records are among these."""
    touched: set[int] = set()
    for some in pieces(records):
        touched |= set(connection.scalars(select(record.c.candidate).where(record.c.id.in_(some))))
    mixed = {
        row.candidate
        for some in pieces(touched)
        for row in connection.execute(
            select(record.c.id, record.c.candidate).where(record.c.candidate.in_(some))
        )
        if row.id not in records
    }
    return touched - mixed


def _made_from(connection: Connection, gone: Collection[int]) -> set[str]:
    """The items that were made from these candidates, and from no other that is still there."""
    if not gone:
        return set()
    makers: dict[str, set[int]] = {}
    for row in connection.execute(
        select(candidate.c.id, candidate.c.item).where(
            candidate.c.item.is_not(None), candidate.c.status != "duplicate"
        )
    ):
        makers.setdefault(row.item, set()).add(row.id)
    cluster = func.json_extract(item.c.content, "$.cluster")
    for row in connection.execute(select(item.c.id, cluster.label("cluster"))):
        if match := _CANDIDATE.fullmatch(row.cluster or ""):
            makers.setdefault(row.id, set()).add(int(match[1]))
    # A candidate that was put back into the inbox has let go of what was made from it.
    for row in connection.execute(
        select(revision.c.subject, revision.c.after).where(
            revision.c.subject.in_([f"c{number}" for number in gone])
        )
    ):
        after = row.after or {}
        if after.get("item") and after.get("status") != "duplicate":
            makers.setdefault(after["item"], set()).add(int(row.subject[1:]))
    there = set(connection.scalars(select(candidate.c.id)))
    return {
        one for one, made in makers.items() if made & set(gone) and not (made & there - set(gone))
    }


# ---------------------------------------------------------------------------- erasing


def erase(
    connection: Connection, held: Held, *, by: str, now: datetime, matcher: Matcher
) -> dict[str, int]:
    """Erase what is held, within the caller's transaction; return what was, by kind."""
    candidates: set[int] = set()
    for some in pieces(held.records, 500):
        candidates |= set(
            connection.scalars(select(record.c.candidate).where(record.c.id.in_(some)))
        )
    for some in pieces(held.votes, 500):
        rows = select(record.c.candidate).join(vote, vote.c.record == record.c.id)
        candidates |= set(connection.scalars(rows.where(vote.c.id.in_(some))))
        connection.execute(delete(vote).where(vote.c.id.in_(some)))
    for some in pieces(held.records, 500):
        connection.execute(update(review).where(review.c.record.in_(some)).values(comment=""))
        connection.execute(delete(record).where(record.c.id.in_(some)))
    gone = ranking.refresh(connection, candidates, matcher=matcher, now=now)
    there = set(connection.scalars(select(candidate.c.id)))
    for subjects in pieces(f"c{number}" for number in candidates - there):
        _blank(connection, revision.c.subject.in_(subjects))
    for identifier in sorted(held.items):
        _withdraw(connection, identifier, by, now)
    _drop_files(connection)
    return {
        "records": len(held.records),
        "votes": len(held.votes),
        "candidates": gone,
        "items": len(held.items),
    }


def _blank(connection: Connection, which: ColumnElement[bool]) -> None:
    nothing = {"before": null(), "after": null(), "reason": ""}
    connection.execute(update(revision).where(which).values(**nothing))


def _withdraw(connection: Connection, identifier: str, by: str, now: datetime) -> None:
    current = find(connection, identifier)
    _blank(connection, revision.c.subject == identifier)
    number = next_number(connection, identifier)
    blank = Item(
        identifier, number, "", status="withdrawn", changed_at=now, changed_by=by,
        split=current.split if current else "tuning",
    )  # fmt: skip
    if current is not None:
        row = {"revision": number, "status": "withdrawn", "content": item_to_json(blank)}
        connection.execute(update(item).where(item.c.id == identifier).values(**row))
    after = item_to_json(blank) if current else None
    begin(connection, by, now, WITHDRAW).write(identifier, number, None, after)
    connection.execute(
        update(version_item)
        .where(version_item.c.item == identifier)
        .values(content=item_to_json(replace(blank, revision=0)), erased=1)
    )
    connection.execute(update(failure).where(failure.c.item == identifier).values(why=""))
    connection.execute(delete(accepted).where(accepted.c.item == identifier))


def _drop_files(connection: Connection) -> None:
    # A version that text was erased from is never written again: what it had beside its items
    # may name them, and serves nobody.
    erased = select(version_item.c.version).where(version_item.c.erased == 1)
    connection.execute(delete(version_file).where(version_file.c.version.in_(erased)))


# ---------------------------------------------------------------------------- scrubbing


def scrub(connection: Connection, literal: Literal, replacement: str) -> int:
    """Replace a text in every earlier wording, whosever; return in how many places."""
    places = _scrub_history(connection, literal, replacement, frozenset(), look=False)
    _drop_files(connection)
    return places


def _scrub_history(
    connection: Connection,
    literal: Literal,
    replacement: str,
    but: Collection[str],
    *,
    look: bool,
    only: str | None = None,
) -> int:
    """Replace (or, to `look`, count) a text in revisions, stored versions and people's notes."""
    places = 0
    query = select(revision).where(
        or_(
            *(
                _may_hold(c, literal)
                for c in (revision.c.before, revision.c.after, revision.c.reason)
            )
        )
    )
    if only is not None:
        query = query.where(revision.c.subject == only)
    for row in connection.execute(query).all():
        if row.subject in but:
            continue
        values = {
            "before": scrubbed(row.before, literal, replacement),
            "after": scrubbed(row.after, literal, replacement),
            "reason": scrubbed(row.reason, literal, replacement),
        }
        if values == {name: getattr(row, name) for name in values}:
            continue
        places += 1
        if not look:
            values = {name: null() if value is None else value for name, value in values.items()}
            connection.execute(update(revision).where(revision.c.id == row.id).values(**values))
    held = select(version_item).where(_may_hold(version_item.c.content, literal))
    if only is not None:
        held = held.where(version_item.c.item == only)
    for row in connection.execute(held).all():
        content = scrubbed(row.content, literal, replacement)
        if row.item in but or content == row.content:
            continue
        places += 1
        if not look:
            connection.execute(
                update(version_item)
                .where(
                    version_item.c.version == row.version,
                    version_item.c.position == row.position,
                )
                .values(content=content, erased=1)
            )
    if only is None:
        for column in (candidate.c.note, review.c.comment, failure.c.why, accepted.c.reason):
            places += _scrub_notes(connection, column, literal, replacement, look=look)
    return places


def _scrub_notes(
    connection: Connection, column: Any, literal: Literal, replacement: str, *, look: bool
) -> int:
    found = {
        text
        for text in connection.scalars(select(column).where(_may_hold(column, literal)))
        if text in literal
    }
    if not look:
        for text in found:
            connection.execute(
                update(column.table)
                .where(column == text)
                .values({column.name: scrubbed(text, literal, replacement)})
            )
    return len(found)


def scrub_item(
    connection: Connection,
    identifier: str,
    literal: Literal,
    replacement: str,
    *,
    by: str,
    now: datetime,
) -> int:
    """Replace a text in an item, in every revision and every stored version of it; return in how
    many places. The change is on record, and undoing it changes nothing.
    """
    current = find(connection, identifier)
    before = current and item_to_json(current)
    after = scrubbed(before, literal, replacement)
    places = _scrub_history(
        connection, literal, replacement, frozenset(), look=False, only=identifier
    )
    _drop_files(connection)
    if current is None or after == before:
        return places
    number = next_number(connection, identifier)
    made = replace(item_from_json(after), revision=number, changed_at=now, changed_by=by)
    row = {"revision": number, "content": item_to_json(made)}
    connection.execute(update(item).where(item.c.id == identifier).values(**row))
    begin(connection, by, now, "redact").write(identifier, number, after, item_to_json(made))
    return places + 1


_QUOTED = frozenset({"id", "evidences", "nearest", "cluster", "changed_by"})
"""What an item takes from the team's own documents, or is called by."""


def scrubbed(value: Any, literal: Literal, replacement: str) -> Any:
    """Return a JSON value with a text replaced in every string but those quoted from documents."""
    if isinstance(value, str):
        return literal.replaced(value, replacement)
    if isinstance(value, dict):
        return {
            key: inner if key in _QUOTED else scrubbed(inner, literal, replacement)
            for key, inner in value.items()
        }
    if isinstance(value, list):
        return [scrubbed(inner, literal, replacement) for inner in value]
    return value


def _words(value: Any, but: Collection[str] = ()) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            if key not in but:
                yield from _words(inner, but)
    elif isinstance(value, list):
        for inner in value:
            yield from _words(inner, but)
