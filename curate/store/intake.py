"""Anonymised questions and votes into the database, in any order and any number of times."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, bindparam, delete, func, insert, select, update
from sqlalchemy.dialects.sqlite import insert as upsert

from curate.model.events import Checkpoint, Reached
from curate.model.records import CleanFeedback, CleanQuestion
from curate.store import clusters, ranking
from curate.store.clusters import Gist, Matcher, listed, listed_tags
from curate.store.many import Many
from curate.store.mapping import expiry, record_row, vote_row
from curate.store.tables import (
    alias,
    band,
    candidate,
    checkpoint,
    record,
    suppressed,
    vote,
    vote_target,
    watermark,
)


@dataclass(frozen=True, slots=True)
class Saved:
    """What became of a batch. `feedback_joined` counts the votes that met their question now,
    those that had been waiting included; `feedback_waiting` those of this batch that did not.
    """

    questions_new: int = 0
    questions_updated: int = 0
    feedback_new: int = 0
    feedback_updated: int = 0
    feedback_joined: int = 0
    feedback_waiting: int = 0
    duplicates: int = 0
    suppressed: int = 0
    expired: int = 0


_OPEN = {"status": "open", "priority": 0.0, "reasons": [], "note": ""}
"""What a candidate is when it is founded, but for its id and its expiry."""
_FOUND = Many(insert(candidate), (*_OPEN, "id", "expires_at"))
_PUT_RECORDS = Many(insert(record), record.columns.keys())
_PUT_ALIASES = Many(insert(alias).prefix_with("OR IGNORE"), alias.columns.keys())
_PUT_VOTES = Many(insert(vote), [column.name for column in vote.c if column is not vote.c.record])
_PUT_TARGETS = Many(insert(vote_target).prefix_with("OR IGNORE"), vote_target.columns.keys())


Keep = Callable[[CleanQuestion | CleanFeedback], timedelta]
"""How long an event's record is kept."""


_LEFT_OUT = (
    "user", "asked_at", "standalone", "answer", "history", "chunks", "refused", "best_score",
    "latency_ms", "tokens_in", "tokens_out",
)  # fmt: skip
_CUT_OFF = ("question", "answer")
_LEAST_CUT = 200
"""No export cuts texts shorter than this many code points."""


@dataclass(slots=True)
class _Known:
    id: int
    content: bytes
    gist: Gist | None = None
    candidate: int | None = None


def seen(connection: Connection, keys: Sequence[tuple[bytes, ...]]) -> list[bytes | None]:
    """Return, for each event, the content tag stored under any of its keys, or None."""
    given = listed_tags({key for some in keys for key in some})
    stored: dict[bytes, bytes] = {}
    for table in (record, vote):
        columns = select(table.c.key, table.c.content).where(table.c.key.in_(given))
        stored.update((row[0], row[1]) for row in connection.execute(columns))
    return [next((stored[key] for key in some if key in stored), None) for some in keys]


def save(
    connection: Connection,
    batch: Sequence[CleanQuestion | CleanFeedback],
    *,
    matcher: Matcher,
    received: datetime,
    keep: timedelta,
    shorter: Mapping[str, timedelta],
) -> Saved:
    """Store a batch within the caller's transaction; storing it again changes nothing.

    Records are kept for `keep`, those of a source in `shorter` for as long as it says there.
    """
    tally: Counter[str] = Counter()

    def kept_for(event: CleanQuestion | CleanFeedback) -> timedelta:
        return min(shorter.get(event.source, keep), keep)

    out = barred(connection, {event.user for event in batch if event.user is not None})
    events = [event for event in batch if _admitted(event, out, received, kept_for(event), tally)]
    asked = [event for event in events if isinstance(event, CleanQuestion)]
    votes = [event for event in events if isinstance(event, CleanFeedback)]
    touched, tags = _save_questions(connection, asked, matcher, received, kept_for, tally)
    fresh, changed = _save_votes(connection, votes, kept_for, tally)
    joined = _join(connection, fresh | _waiting_for(connection, tags))
    tally["feedback_joined"] = len(joined)
    tally["feedback_waiting"] = len(fresh - joined)
    touched |= _candidates_of(connection, joined | changed)
    ranking.refresh(connection, touched, matcher=matcher, now=received)
    return Saved(**tally)


def mark(connection: Connection, marks: Sequence[Reached]) -> None:
    """Note how far logs have been read, within the caller's transaction."""
    for one in marks:
        table = checkpoint if isinstance(one, Checkpoint) else watermark
        statement = upsert(table).values(asdict(one))
        connection.execute(
            statement.on_conflict_do_update(
                index_elements=list(table.primary_key),
                set_={c.name: c for c in statement.excluded if not c.primary_key},
            )
        )


def checkpoints(connection: Connection) -> list[Checkpoint]:
    """Return how far each log file has been read."""
    return [Checkpoint(**row) for row in connection.execute(select(checkpoint)).mappings()]


def watermarks(connection: Connection, source: str) -> dict[str, str]:
    """Return how far each stream of a source's API has been read."""
    query = select(watermark.c.stream, watermark.c.value).where(watermark.c.source == source)
    return {row[0]: row[1] for row in connection.execute(query)}


def suppress(connection: Connection, tags: Collection[bytes], until: datetime) -> None:
    """Refuse every event of these user tags until `until`."""
    for tag in tags:
        statement = upsert(suppressed).values(tag=tag, expires_at=until)
        connection.execute(
            statement.on_conflict_do_update(
                index_elements=[suppressed.c.tag], set_={"expires_at": until}
            )
        )


def kept(connection: Connection, keys: Collection[bytes], now: datetime) -> dict[bytes, datetime]:
    """Return those of these event keys that something is stored under that has not expired, and
    when that came.
    """
    given = listed_tags(keys)
    return {
        row.key: row.received_at
        for table in (record, vote)
        for row in connection.execute(
            select(table.c.key, table.c.received_at).where(
                table.c.key.in_(given), table.c.expires_at > now
            )
        )
    }


def barred(connection: Connection, users: Collection[bytes]) -> frozenset[bytes]:
    """Return those of these user tags whose events are refused."""
    given = listed_tags(users)
    return frozenset(
        connection.scalars(select(suppressed.c.tag).where(suppressed.c.tag.in_(given)))
    )


def _admitted(
    event: CleanQuestion | CleanFeedback,
    out: Collection[bytes],
    received: datetime,
    keep: timedelta,
    tally: Counter[str],
) -> bool:
    at = event.asked_at if isinstance(event, CleanQuestion) else event.at
    if event.user in out:
        tally["suppressed"] += 1
    elif expiry(at, event.received_at, keep) <= received:
        tally["expired"] += 1
    else:
        return True
    return False


# ---------------------------------------------------------------------------- questions


def _save_questions(
    connection: Connection,
    asked: Sequence[CleanQuestion],
    matcher: Matcher,
    received: datetime,
    keep: Keep,
    tally: Counter[str],
) -> tuple[set[int], set[bytes]]:
    known = _known_questions(connection, asked)
    first = fresh = clusters.next_id(connection, "record")
    new: dict[int, dict[str, Any]] = {}
    changed: dict[int, dict[str, Any]] = {}
    before: dict[int, _Known] = {}
    aliases: list[dict[str, Any]] = []
    for question in asked:
        found = next((known[key] for key in question.keys if key in known), None)
        if found is not None and found.content == question.content:
            tally["duplicates"] += 1
            continue
        row = record_row(question, keep(question))
        if found is None:
            tally["questions_new"] += 1
            found, fresh = _Known(fresh, question.content), fresh + 1
            known.update(dict.fromkeys(question.keys, found))
            new[found.id] = row | {"id": found.id, "key": question.keys[0]}
        else:
            tally["questions_updated"] += 1
            found.content = question.content
            if found.id >= first:
                new[found.id] |= _fuller(row, new[found.id])
            else:
                changed[found.id] = _fuller(row, changed.get(found.id, row))
                before[found.id] = found
        aliases.extend({"tag": tag, "record": found.id} for tag in question.aliases)
    homeless = {identifier: _gist(row) for identifier, row in new.items()}
    touched = _leave(connection, changed, before, homeless, matcher, tally)
    assignment = clusters.assign(connection, homeless, matcher=matcher, now=received)
    touched.update(assignment.candidates.values())
    rows = changed | new
    for identifier, home in assignment.candidates.items():
        rows[identifier]["candidate"] = home
    _FOUND.run(
        connection,
        (
            _OPEN | {"id": home, "expires_at": max(rows[founder]["expires_at"], received)}
            for home, founder in assignment.founders.items()
        ),
    )
    _PUT_RECORDS.run(connection, new.values())
    for identifier, row in changed.items():
        connection.execute(update(record).where(record.c.id == identifier), row)
    clusters.put_bands(connection, assignment.bands)
    _PUT_ALIASES.run(connection, aliases)
    return touched, {row["tag"] for row in aliases}


def _fuller(row: dict[str, Any], was: Mapping[str, Any]) -> dict[str, Any]:
    """Return `row` with what it leaves out, or cuts off, taken from how the record was before:
    exports of one log overlap, and the poorer never wins. Another policy takes nothing over.
    """
    if row["policy"] != was["policy"]:
        return row
    full = dict(row)
    for name in _LEFT_OUT:
        if row[name] is None or row[name] == []:
            full[name] = was[name]
    for name in _CUT_OFF:
        if _is_cut(row[name], was[name]):
            full[name] = was[name]
    full["redactions"] = {
        name: found
        for name in ("question", "standalone", "answer")
        if (found := (row if full[name] == row[name] else was)["redactions"].get(name))
    }
    return full


def _is_cut(text: str | None, whole: str | None) -> bool:
    if not text or not whole or len(text) < _LEAST_CUT:
        return False
    start = text.rstrip(" .\u2026")
    return len(text) < len(whole) and whole.startswith(start)


def _gist(row: Mapping[str, Any]) -> Gist:
    return clusters.gist(row["question"], row["standalone"], row["history"])


def _known_questions(connection: Connection, asked: Sequence[CleanQuestion]) -> dict[bytes, _Known]:
    given = listed_tags({key for question in asked for key in question.keys})
    columns = (
        record.c.key,
        record.c.id,
        record.c.content,
        record.c.question,
        record.c.standalone,
        record.c.history,
        record.c.candidate,
    )
    return {
        row.key: _Known(
            row.id,
            row.content,
            clusters.gist(row.question, row.standalone, row.history),
            row.candidate,
        )
        for row in connection.execute(select(*columns).where(record.c.key.in_(given)))
    }


def _leave(
    connection: Connection,
    changed: dict[int, dict[str, Any]],
    before: Mapping[int, _Known],
    homeless: dict[int, Gist],
    matcher: Matcher,
    tally: Counter[str],
) -> set[int]:
    """Prepare changed records: retention is never lengthened, what only another export tells is
    kept, and one that no longer asks what its candidate asks becomes homeless. Returns the
    candidates concerned.
    """
    touched: set[int] = set()
    for identifier, poorer in list(changed.items()):
        query = select(record).where(record.c.id == identifier)
        was = connection.execute(query).one()._asdict()
        row = changed[identifier] = _fuller(poorer, was)
        row["expires_at"] = min(row["expires_at"], was["expires_at"])
        row["received_at"] = was["received_at"]
        if all(row[name] == was[name] for name in row if name != "content"):
            tally["questions_updated"] -= 1
            tally["duplicates"] += 1
            del changed[identifier]
            continue
        home, now = before[identifier].candidate, _gist(row)
        if home is None:
            continue
        touched.add(home)
        if now == before[identifier].gist:
            continue
        connection.execute(delete(band).where(band.c.record == identifier))
        others = connection.scalars(
            select(record.c.id)
            .where(record.c.candidate == home, record.c.id != identifier)
            .order_by(record.c.id)
            .limit(1)
        ).all()
        shown = clusters.gists(connection, others)
        if any(not clusters.alike(matcher, now, other) for other in shown.values()):
            homeless[identifier] = now
    return touched


# ---------------------------------------------------------------------------- votes


def _save_votes(
    connection: Connection, votes: Sequence[CleanFeedback], keep: Keep, tally: Counter[str]
) -> tuple[set[int], set[int]]:
    """Store votes, of those under one key the latest. Returns the ids of those still to be joined,
    and of those changed.
    """
    columns = select(vote.c.key, vote.c.id, vote.c.content, vote.c.at)
    keys = {key for one in votes for key in one.keys}
    rows = connection.execute(columns.where(vote.c.key.in_(listed_tags(keys)))).all()
    known = {row.key: _Known(row.id, row.content) for row in rows}
    given = {row.id: row.at for row in rows}
    first = fresh = clusters.next_id(connection, "vote")
    new: dict[int, dict[str, Any]] = {}
    targets: dict[int, list[dict[str, Any]]] = {}
    changed: set[int] = set()
    for one in votes:
        found = next((known[key] for key in one.keys if key in known), None)
        before = given.get(found.id) if found is not None else None
        older = one.at is not None and before is not None and one.at < before
        if found is not None and (older or found.content == one.content):
            tally["duplicates"] += 1
            continue
        row = vote_row(one, keep(one))
        if found is None:
            tally["feedback_new"] += 1
            found, fresh = _Known(fresh, one.content), fresh + 1
            known.update(dict.fromkeys(one.keys, found))
            new[found.id] = row | {"id": found.id, "key": one.keys[0]}
        else:
            tally["feedback_updated"] += 1
            found.content = one.content
            if found.id >= first:
                new[found.id] |= row
            else:
                changed.add(found.id)
                _change_vote(connection, found.id, row)
        given[found.id] = one.at
        targets[found.id] = [
            {"vote": found.id, "position": position, "tag": tag}
            for position, tags in enumerate(one.targets)
            for tag in tags
        ]
    _PUT_VOTES.run(connection, new.values())
    _PUT_TARGETS.run(connection, (row for identifier in new for row in targets[identifier]))
    return set(new), changed


def _change_vote(connection: Connection, identifier: int, row: dict[str, Any]) -> None:
    was = connection.execute(
        select(vote.c.expires_at, vote.c.received_at).where(vote.c.id == identifier)
    ).one()
    row["expires_at"] = min(row["expires_at"], was.expires_at)
    row["received_at"] = was.received_at
    connection.execute(update(vote).where(vote.c.id == identifier), row)


def withdraw(
    connection: Connection,
    source: str,
    period: tuple[datetime, datetime],
    read: Collection[bytes],
    *,
    matcher: Matcher,
    now: datetime,
) -> int:
    """Take back, within the caller's transaction, the votes of a period on a source's records
    whose keys are not among those `read`; return how many. One that comes again counts again.
    """
    query = (
        select(vote.c.id, vote.c.key)
        .join(record, record.c.id == vote.c.record)
        .where(record.c.source == source, vote.c.at >= period[0], vote.c.at < period[1])
        .where(func.coalesce(vote.c.rating, vote.c.reason, vote.c.comment).is_not(None))
    )
    gone = {row.id for row in connection.execute(query) if row.key not in read}
    connection.execute(
        update(vote)
        .where(vote.c.id.in_(listed(gone)))
        .values(rating=None, reason=None, comment=None, content=b"")
    )
    if gone:
        ranking.refresh(connection, _candidates_of(connection, gone), matcher=matcher, now=now)
    return len(gone)


def _waiting_for(connection: Connection, tags: Iterable[bytes]) -> set[int]:
    aimed = select(vote_target.c.vote).where(vote_target.c.tag.in_(listed_tags(tags)))
    return set(connection.scalars(aimed))


def _join(connection: Connection, votes: Collection[int]) -> set[int]:
    """Tie votes to the questions they point at, the first target that is known. Returns the
    ids of those that found one.

    A conversation's id names many questions: the vote is for the last one asked before it.
    """
    found: dict[int, list[tuple[int, bool, datetime, int]]] = defaultdict(list)
    asked = record.c.asked_at
    for row in connection.execute(
        select(
            vote.c.id,
            vote_target.c.position,
            vote.c.at,
            asked.label("asked"),
            record.c.received_at.label("received"),
            record.c.id.label("record"),
        )
        .join(vote_target, vote_target.c.vote == vote.c.id)
        .join(alias, alias.c.tag == vote_target.c.tag)
        .join(record, record.c.id == alias.c.record)
        .where(vote.c.id.in_(listed(votes)))
    ):
        asked_at = row.asked or row.received
        early = row.at is not None and asked_at > row.at
        found[row.id].append((-row.position, not early, asked_at, row.record))
    if found:
        connection.execute(
            update(vote).where(vote.c.id == bindparam("which")),
            [{"which": which, "record": max(ties)[-1]} for which, ties in found.items()],
        )
        connection.execute(delete(vote_target).where(vote_target.c.vote.in_(listed(found))))
    return set(found)


def _candidates_of(connection: Connection, votes: Collection[int]) -> set[int]:
    query = select(record.c.candidate).join(vote, vote.c.record == record.c.id)
    return set(connection.scalars(query.where(vote.c.id.in_(listed(votes)))))
