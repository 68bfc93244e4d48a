"""`Store`: every question and every change, as verbs on the nouns. One verb, one transaction."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Self

from sqlalchemy import select

from curate.model.custody import Audit, Receipt
from curate.model.evaluation import Failure, Look, Review
from curate.model.events import Checkpoint, Reached
from curate.model.items import ChunkSet, Item, Revision, Version
from curate.model.records import (
    Candidate,
    CandidateStatus,
    Claim,
    CleanFeedback,
    CleanQuestion,
    Record,
    Traffic,
)
from curate.store import (
    absent,
    auditing,
    claims,
    deciding,
    erasing,
    evaluations,
    files,
    glance,
    intake,
    ranking,
    reading,
    retention,
    rewording,
    schema,
    traffic,
    twins,
    versions,
)
from curate.store.auditing import Accepted
from curate.store.clusters import Matcher, pieces
from curate.store.deciding import Undone
from curate.store.engine import Database
from curate.store.erasing import Held, Literal, Target
from curate.store.glance import Counts
from curate.store.intake import Saved
from curate.store.mapping import item_from_json
from curate.store.reading import Wanted
from curate.store.retention import Outcome
from curate.store.rewording import Stale, Wording
from curate.store.tables import alias, item, record


class Store:
    """The database of a workspace. Thread-safe; a context manager that closes itself.

    `now` is the clock of the read gate: no verb returns what has expired by it. `keep_days` is
    how long records are kept. Every verb raises `CurateError` when the file is locked, full,
    read-only or damaged; nothing is then half-done.
    """

    def __init__(self, path: Path, *, now: Callable[[], datetime], keep_days: int = 90) -> None:
        """Open the database at `path`, as `open` does but without looking at its schema."""
        self.path = path
        self._now = now
        self._keep = timedelta(days=keep_days)
        self._database = Database(path)

    @classmethod
    def create(cls, path: Path, *, now: Callable[[], datetime], keep_days: int = 90) -> Self:
        """Make a new, empty database at `path` and open it. Raises `CurateError` when something
        stands there already.
        """
        schema.create(path)
        return cls(path, now=now, keep_days=keep_days)

    @classmethod
    def open(cls, path: Path, *, now: Callable[[], datetime], keep_days: int = 90) -> Self:
        """Open the database at `path`, upgrading an older one.

        Raises `CurateError` when it is missing, empty, damaged, not ours, locked, read-only or
        written by a newer program; it is then left untouched.
        """
        schema.ensure(path)
        return cls(path, now=now, keep_days=keep_days)

    def close(self) -> None:
        """Close every connection."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # ------------------------------------------------------------------ intake

    def seen(self, keys: Sequence[tuple[bytes, ...]]) -> list[bytes | None]:
        """Return, for each event, the content tag stored under any of its keys, or None."""
        with self._database.read() as connection:
            return intake.seen(connection, keys)

    def save(
        self,
        batch: Sequence[CleanQuestion | CleanFeedback],
        *,
        matcher: Matcher,
        received: datetime,
        marks: Sequence[Reached] = (),
        keep_days: Mapping[str, int] | None = None,
    ) -> Saved:
        """Store a batch of anonymised events, in any order, any number of times.

        `marks`, which say how far logs have been read, are stored with it or not at all.
        `keep_days` are the days of sources whose records are kept shorter than others.

        An event known under one of its keys is a duplicate when its content is the same, else
        an update. A question joins the candidate it is a near-duplicate of; a vote joins its
        question whichever comes first. Candidates concerned get their priority anew.
        """
        with self._database.write() as connection:
            intake.mark(connection, marks)
            return intake.save(
                connection,
                batch,
                matcher=matcher,
                received=received,
                keep=self._keep,
                shorter={name: timedelta(days=days) for name, days in (keep_days or {}).items()},
            )

    def withdraw(
        self,
        source: str,
        since: datetime,
        until: datetime,
        read: Collection[bytes],
        *,
        matcher: Matcher,
        now: datetime,
    ) -> int:
        """Take back the votes on a source's records from `since` up to, not at, `until` whose
        keys are not among those `read`, and return how many. Candidates get their priority anew.
        """
        with self._database.write() as connection:
            return intake.withdraw(
                connection, source, (since, until), read, matcher=matcher, now=now
            )

    def checkpoints(self) -> list[Checkpoint]:
        """Return how far each log file has been read."""
        with self._database.read() as connection:
            return intake.checkpoints(connection)

    def watermarks(self, source: str) -> dict[str, str]:
        """Return how far each stream of a source's API has been read."""
        with self._database.read() as connection:
            return intake.watermarks(connection, source)

    def kept(self, keys: Collection[bytes]) -> dict[bytes, datetime]:
        """Return those of these event keys that something is stored under, and when that came."""
        with self._database.read() as connection:
            return intake.kept(connection, keys, self._now())

    def barred(self, users: Collection[bytes]) -> frozenset[bytes]:
        """Return those of these user tags whose events are refused."""
        with self._database.read() as connection:
            return intake.barred(connection, users)

    def suppress(self, tags: Collection[bytes], until: datetime) -> None:
        """Refuse every event with one of these user tags until `until`."""
        with self._database.write() as connection:
            intake.suppress(connection, tags, until)

    def rerank(self, items: Sequence[Item] | None = None, *, matcher: Matcher) -> int:
        """Reckon the priority of open candidates anew after `items` changed: of those that ask the
        same, or whose best passage is what the items quote; with None, of all. Returns how many
        there were.
        """
        if items is None:
            ids: Collection[int] = self.candidate_ids()
        else:
            sections = {(e.source, e.heading) for item in items for e in item.evidences}
            with self._database.read() as connection:
                now = self._now()
                ids = twins.asking(connection, items, matcher=matcher, now=now)
                ids |= ranking.of_sections(connection, sections, now=now)
        for some in pieces(ids, 500):
            with self._database.write() as connection:
                ranking.refresh(connection, some, matcher=matcher, now=self._now())
        return len(ids)

    # ------------------------------------------------------------------ reading

    def candidate_ids(
        self,
        status: CandidateStatus | str = "open",
        text: str = "",
        reason: str = "",
        source: str = "",
        lang: str = "",
        tag: str = "",
        since: datetime | None = None,
        until: datetime | None = None,
        free_for: str = "",
        limit: int = 0,
    ) -> array[int]:
        """Return ids (64-bit) of candidates, the highest priority first.

        `status` "" means any; `text` is looked for in their questions and `reason` in their
        reasons, both without regard to case. `source` is a log's, `lang` a language tag, `tag` one
        of the item made from it; asked from `since` up to, not at, `until`; `free_for` leaves out
        what somebody else looks at. The first `limit` of them, or with 0 all.
        """
        wanted = Wanted(status, text, reason, source, lang, tag, since, until, free_for, limit)
        with self._database.read() as connection:
            return reading.candidate_ids(connection, wanted, now=self._now())

    def candidates(self, ids: Collection[int]) -> list[Candidate]:
        """Return these candidates in the order asked for; those that are gone are left out."""
        with self._database.read() as connection:
            return reading.candidates(connection, ids, now=self._now())

    def candidate(self, identifier: int) -> Candidate:
        """Return a candidate. Raises `CurateError` when it is gone."""
        with self._database.read() as connection:
            for found in reading.candidates(connection, [identifier], now=self._now()):
                return found
            raise absent.logged(connection, "candidate", identifier)

    def records(self, candidate: int) -> list[Record]:
        """Return the records of a candidate, the first stored first."""
        with self._database.read() as connection:
            query = select(record).where(record.c.candidate == candidate)
            return reading.records(connection, query, now=self._now())

    def record(self, identifier: int) -> Record:
        """Return a record. Raises `CurateError` when it is gone."""
        with self._database.read() as connection:
            query = select(record).where(record.c.id == identifier)
            for found in reading.records(connection, query, now=self._now()):
                return found
            raise absent.logged(connection, "record", identifier)

    def named(self, tags: Collection[bytes]) -> Record | None:
        """Return the record that one of these alias tags names, the newest of several, or None."""
        with self._database.read() as connection:
            query = select(record).where(
                record.c.id.in_(select(alias.c.record).where(alias.c.tag.in_(tags)))
            )
            found = reading.records(connection, query, now=self._now())
        return max(found, key=lambda one: (one.received_at, one.id), default=None)

    def item_ids(self, *, status: str = "", split: str = "") -> list[str]:
        """Return the ids of items in order, of one status and split or, with "", of all."""
        query = select(item.c.id).order_by(item.c.id)
        if status:
            query = query.where(item.c.status == status)
        if split:
            query = query.where(item.c.split == split)
        with self._database.read() as connection:
            return list(connection.scalars(query))

    def items(self, ids: Iterable[str] | None = None) -> list[Item]:
        """Return items in the order of their ids: all, or those of `ids` that are there."""
        query = select(item.c.content).order_by(item.c.id)
        with self._database.read() as connection:
            if ids is None:
                return [item_from_json(content) for content in connection.scalars(query)]
            return [
                item_from_json(content)
                for some in pieces(sorted(set(ids)))
                for content in connection.scalars(query.where(item.c.id.in_(some)))
            ]

    def item(self, identifier: str) -> Item:
        """Return an item. Raises `CurateError` when there is none."""
        with self._database.read() as connection:
            found = deciding.find(connection, identifier)
            if found is None:
                raise absent.case(connection, identifier)
            return found

    def revisions(self, subject: str | None = None, limit: int = 100) -> list[Revision]:
        """Return the newest changes first: of an item id, of `c12` for candidate 12, or all."""
        with self._database.read() as connection:
            return reading.revisions(connection, subject, limit)

    def counts(self) -> Counts:
        """Return what the workspace holds now."""
        return glance.counts(self.path, self._now())

    def traffic(self, sample: int = 5000) -> Traffic:
        """Return the figures of all questions that are kept, with up to `sample` of them."""
        with self._database.read() as connection:
            return traffic.traffic(connection, now=self._now(), sample=sample)

    def receipts(self, kind: str = "", limit: int = 100) -> list[Receipt]:
        """Return the newest receipts first, of one kind (`purge`) or, with "", of all."""
        with self._database.read() as connection:
            return reading.receipts(connection, kind, limit)

    # ------------------------------------------------------------------ deciding

    def new_item_id(self, stem: str) -> str:
        """Return an id for a new item, `stem-N`, that was never used. It is not reserved."""
        with self._database.read() as connection:
            return deciding.new_item_id(connection, stem)

    def save_item(
        self,
        item: Item,
        *,
        by: str,
        now: datetime,
        expected: int,
        candidate: int | None = None,
        action: str,
        reason: str = "",
        stem: str = "",
    ) -> Item:
        """Save an item and return it as stored, with its new revision, time and signature.

        `expected` is the revision it was read at, 0 for a new one; one without an id is given
        the next that begins with `stem`. Raises `Conflict` with the
        item as it stands when somebody was faster. With `candidate`, that candidate is tied to
        the item in the same act, and done when the item is ready.
        """
        with self._database.write() as connection:
            if not item.id:
                item = replace(item, id=deciding.new_item_id(connection, stem))
            return deciding.save_items(
                connection,
                [(item, expected)],
                by=by,
                now=now,
                candidate_id=candidate,
                action=action,
                reason=reason,
            )[0]

    def save_items(
        self,
        changes: Sequence[tuple[Item, int]],
        *,
        by: str,
        now: datetime,
        action: str,
        reason: str = "",
    ) -> list[Item]:
        """Save several items, each with the revision it was read at, as one act: all or none,
        and one undo takes all of them back. Raises as `save_item` does.
        """
        with self._database.write() as connection:
            return deciding.save_items(
                connection,
                changes,
                by=by,
                now=now,
                candidate_id=None,
                action=action,
                reason=reason,
            )

    def decide(
        self,
        candidate: int,
        status: CandidateStatus,
        *,
        by: str,
        now: datetime,
        reason: str = "",
        item: str | None = None,
        expected: CandidateStatus | None = None,
    ) -> None:
        """Give a candidate a status; a duplicate names the item it duplicates.

        With `expected`, raises `CurateError` when its status is another by now.
        """
        with self._database.write() as connection:
            deciding.decide(
                connection,
                candidate,
                status,
                by=by,
                now=now,
                reason=reason,
                item_id=item,
                expected=expected,
            )

    def merge(
        self,
        into: int,
        others: Sequence[int],
        *,
        by: str,
        now: datetime,
        matcher: Matcher,
        reason: str = "",
    ) -> None:
        """Give the records of the candidates `others` to `into`; the others are no more.

        The item and status of the one that has an item stay. Raises `CurateError` when two have
        one, or a candidate is gone.
        """
        with self._database.write() as connection:
            deciding.merge(connection, into, others, by=by, now=now, reason=reason)
            ranking.refresh(connection, [into], matcher=matcher, now=self._now())

    def split(
        self,
        candidate: int,
        records: Collection[int],
        *,
        by: str,
        now: datetime,
        matcher: Matcher,
        reason: str = "",
    ) -> int:
        """Let some records of a candidate be a candidate of their own, in the inbox; return its id.

        Raises `CurateError` when they are not its records, or all of them.
        """
        with self._database.write() as connection:
            made = deciding.split(connection, candidate, records, by=by, now=now, reason=reason)
            ranking.refresh(connection, [candidate, made], matcher=matcher, now=self._now())
        return made

    def claim(self, candidate: int, *, by: str, now: datetime, until: datetime) -> Claim:
        """Say that `by` looks at a candidate until `until`, and return whose it is now: somebody
        else's claim stands while it lasts. Raises `CurateError` when the candidate is gone.
        """
        with self._database.write() as connection:
            return claims.take(connection, candidate, by=by, now=now, until=until)

    def release(self, candidate: int | None = None, *, by: str, now: datetime) -> None:
        """Give up the claim of `by` on a candidate, or with None all of theirs."""
        with self._database.write() as connection:
            claims.release(connection, candidate, by=by, now=now)

    def undo(
        self,
        *,
        by: str,
        now: datetime,
        subject: str | None = None,
        matcher: Matcher | None = None,
    ) -> Undone:
        """Take back the last act of `by` that still stands or, with `subject` (an item id, or
        `c12`), the last on it by whomever. Again and again goes further back.

        Raises `Conflict` or `CurateError` when somebody changed the same thing since, when the
        item was withdrawn, or when nothing is left. With `matcher`, clusters that were put
        together or taken apart get their priorities anew.
        """
        with self._database.write() as connection:
            undone = deciding.undo(connection, by=by, now=now, subject=subject)
            if matcher is not None and undone.action in ("merge", "split"):
                touched = [int(subject[1:]) for subject in undone.subjects]
                ranking.refresh(connection, touched, matcher=matcher, now=self._now())
            return undone

    # ------------------------------------------------------------------ versions

    def add_version(self, version: Version, publish: Callable[[], None]) -> None:
        """Store a version with its items, and call `publish` before it is final: when that
        raises, nothing is stored. Its number must be the last one's plus 1.
        """
        with self._database.write() as connection:
            versions.add(connection, version, publish)

    def versions(self) -> list[Version]:
        """Return all versions, the oldest first, without their items."""
        with self._database.read() as connection:
            return versions.heads(connection)

    def version(self, number: int) -> Version:
        """Return a version with its items. Raises `CurateError` when there is none."""
        with self._database.read() as connection:
            return versions.get(connection, number)

    def add_chunk_set(self, chunk_set: ChunkSet) -> None:
        """Store a chunk set; the same again is only dated anew. Raises `CurateError` where another
        has its name.
        """
        with self._database.write() as connection:
            versions.add_chunk_set(connection, chunk_set)

    def chunk_sets(self) -> list[ChunkSet]:
        """Return all chunk sets, the one added last at the end."""
        with self._database.read() as connection:
            return versions.chunk_sets(connection)

    def call_version(
        self, number: int, name: str, *, by: str, now: datetime, move: bool = False
    ) -> None:
        """Give a version a name. Raises `CurateError` when there is no such version, or another
        has the name and `move` is not set.
        """
        with self._database.write() as connection:
            versions.call(connection, number, name, by=by, at=now, move=move)

    def version_names(self) -> dict[str, int]:
        """Return the names that were given, and the versions' numbers."""
        with self._database.read() as connection:
            return versions.names(connection)

    def mirrored(self, path: Path, number: int, *, now: datetime) -> None:
        """Remember that the directory `path` was given the files of a version."""
        with self._database.write() as connection:
            versions.mirrored(connection, str(path.absolute()), number, now)

    def mirrors(self) -> list[Path]:
        """Return the directories that were ever given the files of a version."""
        with self._database.read() as connection:
            return [Path(path) for path in versions.mirrors(connection)]

    # ------------------------------------------------------------------ evaluation

    def add_look(
        self,
        *,
        by: str,
        now: datetime,
        why: str,
        run: str,
        version: int | None,
        scores: dict[str, dict[str, float]],
    ) -> Look:
        """Record that `by` looks at holdout scores, and return the look."""
        with self._database.write() as connection:
            return evaluations.add_look(
                connection, at=now, by=by, why=why, run=run, version=version, scores=scores
            )

    def looks(self, limit: int = 1000) -> list[Look]:
        """Return the last looks at holdout scores, newest first."""
        with self._database.read() as connection:
            return evaluations.looks(connection, limit)

    def reviewable(self, since: datetime) -> array[int]:
        """Return the ids of records received since, that have an answer to look at."""
        with self._database.read() as connection:
            return evaluations.reviewable(connection, self._now(), since)

    def add_review(self, review: Review) -> None:
        """Store a person's mark on a record; in the same batch it replaces an earlier one."""
        with self._database.write() as connection:
            evaluations.add_review(connection, review)

    def reviews(self, batch: str = "") -> list[Review]:
        """Return the marks of one batch, or of all, the oldest first."""
        with self._database.read() as connection:
            return evaluations.reviews(connection, batch)

    def add_failures(self, run: str, failures: Sequence[Failure]) -> None:
        """Store what failed in a run, named by its digest; confirmed labels are kept."""
        with self._database.write() as connection:
            evaluations.add_failures(connection, run, failures)

    def failures(self, run: str = "") -> list[Failure]:
        """Return what failed in a run, by item; by default in the run stored last."""
        with self._database.read() as connection:
            return evaluations.failures(connection, run)

    def confirm_failure(self, run: str, item: str, label: str, *, by: str) -> None:
        """Store what a person calls a failure. Raises `CurateError` when there is none such."""
        with self._database.write() as connection:
            evaluations.confirm_failure(connection, run, item, label, by)

    # ------------------------------------------------------------------ erasing

    def held(self, target: Target) -> Held:
        """Return what an erasure of `target` would erase."""
        with self._database.read() as connection:
            return target(connection)

    def erase(
        self,
        target: Target,
        *,
        kind: str,
        by: str,
        matcher: Matcher,
        elsewhere: Callable[[], Outcome],
        literal: Literal | None = None,
        replacement: str = "",
    ) -> Receipt:
        """Erase `target` for good, with all its bytes, and return the receipt, which is kept.

        Everything in the database goes in one transaction; `elsewhere` is called before, so that
        a run that was killed in between finds again what is left. With `literal`, earlier
        wordings that hold it are scrubbed too. Status and errors are those of `purge`.
        """

        def work() -> None:
            with self._database.write() as connection:
                retention.mark(connection)
                held = target(connection)
                done.update(
                    erasing.erase(connection, held, by=by, now=self._now(), matcher=matcher)
                )
                if literal is not None:
                    done["places"] += erasing.scrub(connection, literal, replacement)

        def left() -> int:
            found = self.held(target)
            return len(found.records) + len(found.votes) + len(found.items) + found.scrubbed

        done: Counter[str] = Counter()
        with retention.alone(self.path):
            other = elsewhere()
            whole = retention.removed(self._database, work, left, done).beside(other)
            return retention.file(self._database, kind, self._now(), by, whole)

    def redact_item(
        self, identifier: str, literal: Literal, replacement: str, *, by: str, now: datetime
    ) -> Receipt:
        """Replace a text in an item, in every revision and every stored version of it, with all
        its bytes; return the receipt, which is kept. Undoing never brings it back.
        """
        done: Counter[str] = Counter()

        def work() -> None:
            with self._database.write() as connection:
                retention.mark(connection)
                done["places"] += erasing.scrub_item(
                    connection, identifier, literal, replacement, by=by, now=now
                )

        with retention.alone(self.path):
            whole = retention.removed(self._database, work, lambda: 0, done)
            return retention.file(self._database, "redaction", now, by, whole)

    def reword(
        self,
        wordings: Sequence[Wording],
        *,
        kind: str,
        by: str,
        subject: str,
        literal: Literal | None,
    ) -> Receipt:
        """Give records other texts, with all bytes of those they had, and return the receipt,
        which is kept. With `literal`, the revisions of `subject` lose it too.
        """
        done: Counter[str] = Counter()

        def work() -> None:
            with self._database.write() as connection:
                retention.mark(connection)
                done["records"] += rewording.reword(connection, wordings)
                if literal is not None:
                    done["places"] += erasing.scrub_item(
                        connection, subject, literal, "", by=by, now=self._now()
                    )
                auditing.write(connection, Audit(self._now(), by, kind, subject))

        with retention.alone(self.path):
            whole = retention.removed(self._database, work, lambda: 0, done)
            return retention.file(self._database, kind, self._now(), by, whole)

    def stale(self, policy: str) -> list[Stale]:
        """Return the records that were anonymised under another policy than this."""
        with self._database.read() as connection:
            return rewording.stale(connection, policy, self._now())

    def key(self, identifier: int) -> bytes:
        """Return the event key of a record. Raises `CurateError` when the record is gone."""
        live = (record.c.id == identifier, record.c.expires_at > self._now())
        with self._database.read() as connection:
            found = connection.scalar(select(record.c.key).where(*live))
            if found is None:
                raise absent.logged(connection, "record", identifier)
            return found

    # ------------------------------------------------------------------ the file

    def backup(self, target: Path) -> None:
        """Write the database, without a byte of what was deleted, to a new file of mode 0600.

        Raises `CurateError` when something stands there already or it cannot be written.
        """
        files.copy(self.path, target)

    # ------------------------------------------------------------------ audit

    def audit(self, entry: Audit) -> None:
        """Put on record who did what to which id."""
        with self._database.write() as connection:
            auditing.write(connection, entry)

    def audits(self, limit: int = 1000) -> list[Audit]:
        """Return what is on record, newest first."""
        with self._database.read() as connection:
            return auditing.entries(connection, limit)

    def accept(self, item: str, entity: str, *, by: str, now: datetime, reason: str) -> None:
        """Let a finding of the leak scan stand, as the item is worded now; on record."""
        with self._database.write() as connection:
            auditing.accept(connection, item, entity, by=by, now=now, reason=reason)

    def accepted(self) -> list[Accepted]:
        """Return the findings that people let stand, by item."""
        with self._database.read() as connection:
            return auditing.findings(connection)

    # ------------------------------------------------------------------ retention

    def purge(
        self,
        *,
        by: str,
        matcher: Matcher,
        destroy: Callable[[], int] = lambda: 0,
        elsewhere: Callable[[], Outcome] = lambda: Outcome("clean", {}, {}),
        dry_run: bool = False,
    ) -> Receipt:
        """Remove what has expired, bytes and all, and return the receipt, which is kept.

        `destroy` is called first and returns how many keys of raw text it destroyed;
        `elsewhere` is called next, removes (in a dry run: counts) what has expired in other
        files and says how that went; the receipt tells of all of it.

        Its status is `clean`, `deferred` (try again later) or `not verified`. A dry run only
        counts; its status is `clean` or `overdue`. Raises `CurateError` with code `DEFERRED`
        while another purge runs.
        """
        return retention.purge(
            self._database,
            by=by,
            now=self._now(),
            keep=self._keep,
            matcher=matcher,
            destroy=destroy,
            elsewhere=elsewhere,
            dry_run=dry_run,
        )
