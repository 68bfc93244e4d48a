"""A workspace on disk, and the compositions of stages that both front ends call.

    curate.toml   what the team decided         curate.db   records, items, versions
    keys/         of tags and of originals      raw.db      sealed originals, for days
    exports/      the versions                  corpus.db   the documents' index, rebuilt at will

Stages never import each other; here, and only here, one stage's function is handed to another.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from curate import config
from curate.config import Settings
from curate.model.custody import Receipt
from curate.model.documents import Passage
from curate.model.errors import CurateError, Exit
from curate.model.events import RawText
from curate.model.items import Finding, Item, ItemStatus
from curate.model.records import Candidate, CandidateStatus, Claim, Record
from curate.workspace.upkeep.exporting import EXPORTS

if TYPE_CHECKING:
    from curate.check.checking import Tools
    from curate.corpus.corpus import Corpus
    from curate.coverage import Coverage
    from curate.ingest.explain import Explanation
    from curate.ingest.inputs import Input
    from curate.ingest.run import IngestReport
    from curate.privacy.anonymise import Anonymiser
    from curate.privacy.tags import Tagger
    from curate.store.deciding import Undone
    from curate.store.glance import Counts
    from curate.store.store import Store
    from curate.triage import Matcher
    from curate.workspace.custody.erasing import Erasure, Foreseen
    from curate.workspace.custody.originals import Originals
    from curate.workspace.upkeep.chunking import Waiting
    from curate.workspace.upkeep.drift import Drifted
    from curate.workspace.upkeep.exporting import Exported

DATABASE = "curate.db"
RAW = "raw.db"
INDEX = "corpus.db"
KEYS = "keys"
CLAIMED = timedelta(minutes=15)
"""How long a candidate is held for whoever opened it, unless they claim it again."""
Progress = Callable[[int, int | None], None]
"""Called with bytes read so far and bytes in all, None where nobody can know."""


@dataclass(frozen=True, slots=True)
class Status:
    """What a workspace holds; `disk_bytes` counts all its files, documents and logs left out."""

    root: Path
    curator: str
    records_days: int
    counts: Counts
    exports: Path | None
    disk_bytes: int


class Workspace:
    """One workspace, opened for one person at one clock.

    Everything heavy is opened on first use and may be used from any thread.
    """

    def __init__(
        self, root: Path, settings: Settings, now: Callable[[], datetime], who: str
    ) -> None:
        self.root = root
        self.settings = settings
        self.now = now
        self.who = who
        self._lock = threading.RLock()
        self._store: Store | None = None
        self._corpus: Corpus | None = None
        self._anonymiser: Anonymiser | None = None
        self._tagger: Tagger | None = None
        self._originals: Originals | None = None

    # ------------------------------------------------------------------ opening

    @classmethod
    def create(cls, root: Path, now: Callable[[], datetime], toml: str = config.TEMPLATE) -> None:
        """Make `root` a workspace: `curate.toml` with the text `toml`, and an empty database.

        Raises `CurateError` when it is one already, or cannot be written. A directory made here
        has mode 0700.
        """
        from curate.store.raw import Raw
        from curate.store.store import Store
        from curate.workspace.custody import originals

        settings_file = root / config.FILE
        if settings_file.exists() or (root / DATABASE).exists():
            raise CurateError(
                f"{root} is a workspace already", "Use it, or name another.", Exit.USAGE
            )
        try:
            root.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not (root / ".gitignore").exists():
                (root / ".gitignore").write_text("*\n", encoding="utf-8")
            settings_file.write_text(toml, encoding="utf-8")
        except OSError as error:
            raise CurateError(
                f"{root} cannot be made a workspace: {error.strerror}",
                "Choose a directory that you may write to, on a disk with room.",
            ) from None
        Store.create(root / DATABASE, now=now).close()
        originals.prepare(root / KEYS)
        Raw(root / RAW).close()

    @classmethod
    def renew(cls, root: Path) -> bool:
        """Put a `curate.toml` with every default where a workspace lost its own; say whether it
        had. Nothing else is touched.
        """
        settings_file = root / config.FILE
        if settings_file.exists() or not (root / DATABASE).exists():
            return False
        try:
            settings_file.write_text(config.TEMPLATE, encoding="utf-8")
        except OSError as error:
            raise CurateError(
                f"{settings_file} cannot be written: {error.strerror}", f"Check the mode of {root}."
            ) from None
        return True

    @classmethod
    def open(cls, root: Path, now: Callable[[], datetime], who: str | None = None) -> Workspace:
        """Open the workspace at `root` for `who` (the config's curator or the login by default)."""
        settings = config.load(root / config.FILE)
        return cls(root, settings, now, config.curator(who, settings))

    def reload(self) -> None:
        """Read the config again; the anonymiser is made anew with it."""
        with self._lock:
            self.settings = config.load(self.root / config.FILE)
            self._anonymiser = None

    def close(self) -> None:
        """Let go of the databases."""
        with self._lock:
            if self._originals is not None:
                self._originals.close()
                self._originals = None
            if self._store is not None:
                self._store.close()
                self._store = None

    def __enter__(self) -> Workspace:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    @property
    def store(self) -> Store:
        """The database, opened (and upgraded where it is older) on first use."""
        with self._lock:
            if self._store is None:
                from curate.store.store import Store

                self._store = Store.open(
                    self.root / DATABASE,
                    now=self.now,
                    keep_days=self.settings.retention.records_days,
                )
            return self._store

    @property
    def corpus(self) -> Corpus:
        """The documents, as they were when last synced."""
        with self._lock:
            if self._corpus is None:
                from curate.corpus.corpus import Corpus

                self._corpus = Corpus(
                    self.root / self.settings.corpus.root, self.settings.corpus, self.root / INDEX
                )
            return self._corpus

    @property
    def anonymiser(self) -> Anonymiser:
        """The one door for log text. The model loads with the first text."""
        with self._lock:
            if self._anonymiser is None:
                from curate.privacy.anonymise import Anonymiser

                known = {*self.corpus.sources(), *self.corpus.headings()}
                self._anonymiser = Anonymiser(self.settings.privacy, known)
            return self._anonymiser

    @property
    def tagger(self) -> Tagger:
        """Keyed tags for ids; their keys are made on first use."""
        with self._lock:
            if self._tagger is None:
                from curate.privacy.tags import Tagger

                self._tagger = Tagger.open(
                    self.tag_keys, self.now(), self.settings.retention.records_days
                )
            return self._tagger

    @property
    def tag_keys(self) -> Path:
        """The directory of the tags' keys."""
        from curate.workspace.custody import originals

        return originals.prepare(self.root / KEYS)

    @property
    def originals(self) -> Originals:
        """What was logged, sealed, as long as it may be read."""
        with self._lock:
            if self._originals is None:
                from curate.workspace.custody.originals import Originals, prepare

                prepare(self.root / KEYS)  # else a tag's key might be taken for an old day's
                self._originals = Originals(
                    self.root / RAW,
                    self.root / KEYS,
                    self.settings.retention,
                    self.now,
                    lambda: self.store,
                )
            return self._originals

    @property
    def limit(self) -> datetime:
        """What is as old as this, or older, is over: no record of it is kept."""
        return self.now() - timedelta(days=self.settings.retention.records_days)

    @property
    def matcher(self) -> Matcher:
        """How near-duplicates are told and candidates ranked."""
        from curate.triage import Matcher

        return Matcher()

    # ------------------------------------------------------------------ the log

    def ingest(
        self,
        inputs: Iterable[Input],
        *,
        strict: bool = False,
        resume: bool = False,
        progress: Progress | None = None,
    ) -> IngestReport:
        """Read `inputs`, anonymise, and store what is new.

        With `strict`, every input is read through first, and a single bad line stops it all
        before anything is written. With `resume`, what was read before is not read again.
        """
        from curate.workspace.upkeep import ingesting

        return ingesting.ingest(self, list(inputs), strict=strict, resume=resume, progress=progress)

    def explain(self, inputs: Iterable[Input]) -> Explanation:
        """Return how `inputs` would be read: formats, maps, samples, rejects. Writes nothing."""
        from curate.workspace.upkeep import ingesting

        return ingesting.explain(self, list(inputs))

    def candidate_of(self, source: str, log_id: str) -> Candidate:
        """Return the candidate that a logged question belongs to, found by its id in the log.

        Raises `CurateError` when no question of that id is kept.
        """
        from curate.ingest import door

        record = self.store.named(self.tagger.live(door.ALIAS, door.alias(source, log_id)))
        if record is None or record.candidate is None:
            raise CurateError(
                f"no question of source `{source}` with that id is kept",
                "It may have expired, or not been ingested yet.",
                Exit.USAGE,
            )
        return self.store.candidate(record.candidate)

    def status(self) -> Status:
        """Return what is there, in the time it takes to read a few numbers."""
        from curate.store import glance, schema

        schema.ensure(self.root / DATABASE)
        latest = self.root / EXPORTS / "latest"
        ours = (DATABASE, RAW, INDEX, KEYS, EXPORTS)
        return Status(
            self.root,
            self.who,
            self.settings.retention.records_days,
            glance.counts(self.root / DATABASE, self.now()),
            latest if latest.exists() else None,
            sum(_size(path) for name in ours for path in self.root.glob(f"{name}*")),
        )

    def purge(self, *, dry_run: bool = False) -> Receipt:
        """Remove what has expired from every place, bytes and all, and prove it."""
        from curate.workspace.custody import purging

        return purging.purge(self, dry_run=dry_run)

    def forget(self, user: RawText) -> Erasure:
        """Erase everything a user said, and refuse what an old log may still bring of them."""
        from curate.workspace.custody import erasing

        return erasing.forget_user(self, user)

    def foresee(self, given: RawText, *, text: bool = False) -> Foreseen:
        """Return what erasing a user, or with `text` a piece of text, would take."""
        from curate.workspace.custody import erasing

        return (erasing.foresee_text if text else erasing.foresee_user)(self, given)

    def forget_text(self, text: RawText) -> Erasure:
        """Erase a piece of text from everything that was logged and from items' own words."""
        from curate.workspace.custody import erasing

        return erasing.forget_text(self, text)

    def reveal(self, record: int) -> RawText:
        """Return the question of a record as it was logged. The look is on record first.

        Raises `CurateError` when its original is gone or was never kept.
        """
        from curate.workspace.custody import redacting

        return redacting.original(self, record, "reveal").question

    def redact(self, subject: str, text: RawText, entity: str = "PERSON") -> Receipt:
        """Replace a text that the anonymiser missed, for good: in an item, its revisions and its
        stored versions, or (`c12`) in the records of a candidate and the item made from it.
        """
        from curate.workspace.custody import redacting

        return redacting.redact(self, subject, text, entity)

    def restore(self, record: int, placeholder: str) -> Record:
        """Put back what a placeholder stands for in a record; only the corrected text is kept."""
        from curate.workspace.custody import redacting

        return redacting.restore(self, record, placeholder)

    def report_miss(self, term: RawText) -> None:
        """Put a name that the anonymiser missed on the list of those that always are names."""
        from curate.workspace.custody import terms

        terms.change(self, "deny", add=[term.reveal()])

    def accept(self, item: str, entity: str, reason: str) -> None:
        """Let a finding of the leak scan stand, as the item is worded now; on record."""
        self.store.accept(item, entity, by=self.who, now=self.now(), reason=reason)

    # ------------------------------------------------------------------ curating

    def ready_corpus(self) -> None:
        """Bring the index up to the documents as they are now."""
        self.corpus.sync()

    def fresh(self, question: str, slug: str = "") -> Item:
        """Return an item for a question of the curator's own, not saved."""
        from curate.workspace import drafting

        return drafting.fresh(self, question, slug)

    def drifted(self) -> Drifted:
        """Return what needs a person because the documents changed; see `upkeep.drift`."""
        from curate.workspace.upkeep import drift

        return drift.drifted(self)

    def relocate(self, ids: Collection[str]) -> tuple[str, ...]:
        """Take the proposed place for drifted evidence of these items; see `drift.relocate`."""
        from curate.workspace.upkeep import drift

        return drift.relocate(self, ids)

    def coverage(self) -> Coverage:
        """Return what the set covers of the documents and of the questions that are kept, and what
        to curate next.
        """
        from collections import Counter

        from curate import coverage, triage

        traffic = self.store.traffic()
        return coverage.coverage(
            self.store.items(),
            [s for source in self.corpus.sources() for s in self.corpus.sections(source)],
            traffic,
            kinds=Counter(triage.kind(one.text, one.history) for one in traffic.sample),
            failures=self.store.failures(),
            holdout=self.settings.split.holdout,
        )

    def waiting(self) -> tuple[Waiting, ...]:
        """Return the items whose chunks a remap could not tell for sure; see `chunking.waiting`."""
        from curate.workspace.upkeep import chunking

        return chunking.waiting(self)

    def choose(self, item: str, ids: Sequence[str], *, reason: str = "") -> Item:
        """Store which chunks answer an item; see `chunking.choose`."""
        from curate.workspace.upkeep import chunking

        return chunking.choose(self, item, ids, reason=reason)

    def suggest(self, record: Record, k: int = 10) -> list[Passage]:
        """Return the passages that may answer a logged question, best first."""
        question = record.standalone or record.question
        return self.corpus.suggest(
            question.text,
            history=record.history,
            answer=record.answer.text if record.answer and not record.refused else "",
            chunks=record.chunks,
            k=k,
        )

    def draft(self, candidate: Candidate) -> Item:
        """Return the item a candidate would make, not saved: everything in it is proposed."""
        from curate.workspace import drafting

        return drafting.draft(self, candidate)

    def attach(self, item: Item, source: str, start: int, end: int, *, more: bool = False) -> Item:
        """Return `item` answered by the span `start:end` of a document; see `drafting.attach`."""
        from curate.workspace import drafting

        return drafting.attach(self, item, source, start, end, more=more)

    def unanswerable(self, item: Item, searched: Sequence[str] = ()) -> Item:
        """Return `item` as one the documents cannot answer, with the proof of absence."""
        from curate.workspace import drafting

        return drafting.unanswerable(self, item, searched)

    def settle(self, item: Item, status: ItemStatus | None = None) -> Item:
        """Return `item` with its status: the one given, else ready where nothing is missing."""
        from curate.workspace import drafting

        return drafting.settle(item, status)

    def _nearest(self, item: Item) -> Passage | None:
        found = self.corpus.suggest(item.question, history=item.history, k=1)
        return found[0] if found else None

    def _headings(self, item: str) -> set[str]:
        """Return the headings of the documents, and those an item was ever made from."""
        found = set(self.corpus.headings())
        for one in self.store.revisions(item, limit=1000):
            after = one.after or {}
            found.update(evidence["heading"] for evidence in after.get("evidences") or ())
            absence = after.get("absence") or {"nearest": ()}
            found.update(heading for _, heading, _ in absence["nearest"])
        return found

    def neutral(self, item: Item) -> Item:
        """Return `item` with neutral words for the placeholders in its own texts."""
        from curate.workspace import drafting

        return drafting.neutral(item)

    def lint(self, item: Item) -> list[Finding]:
        """Return what is wrong with one item, as it would stand in the set."""
        from curate.check import checking

        others = [other for other in self.store.items() if other.id != item.id]
        return checking.lint(item, others, self._tools())

    def save(
        self, item: Item, *, candidate: int | None = None, reason: str = "", as_is: bool = False
    ) -> Item:
        """Store an item and return it as stored; a new one gets its id here.

        `item.revision` must be the stored one, else `Conflict` carries theirs. An item made from
        a candidate closes it in the same act, once it is ready. Raises `CurateError` when an item
        that was ever ready leaves the holdout without a reason, and `PersonalData` where its new
        words seem to hold some, unless they shall be stored `as_is`.
        """
        from curate.workspace import drafting, wording

        drafting.hold(self, item, reason)
        if not as_is:
            wording.vet(self, wording.typed(self, item, logged=candidate is not None))
        item = drafting.searched_anew(self, item)
        return self.store.save_item(
            item,
            by=self.who,
            now=self.now(),
            expected=item.revision,
            candidate=candidate,
            action="change" if item.revision else "make",
            reason=reason,
            stem=self.stem(item),
        )

    def vet(self, reason: str) -> None:
        """Raise `PersonalData` where a reason that somebody typed seems to hold some."""
        from curate.check.personal import Said
        from curate.workspace import wording

        wording.vet(self, [Said("reason", reason)])

    def rerank(self, items: Sequence[Item] | None = None) -> int:
        """Reckon the priority of open candidates anew after `items` changed, or with None of all;
        see `Store.rerank`. Returns how many there were.
        """
        return self.store.rerank(items, matcher=self.matcher)

    def stem(self, item: Item) -> str:
        """Return what a new item's id begins with, in the documents' words."""
        from curate.workspace import drafting

        return drafting.stem(self, item)

    def decide(
        self,
        candidate: int,
        status: CandidateStatus,
        *,
        reason: str = "",
        item: str | None = None,
        expected: CandidateStatus | None = None,
    ) -> Candidate:
        """Reject a candidate, name it a duplicate of `item`, or put it back into the inbox.

        Raises `CurateError` when its status is not the `expected` one by now.
        """
        self.store.decide(
            candidate,
            status,
            by=self.who,
            now=self.now(),
            reason=reason,
            item=item,
            expected=expected,
        )
        return self.store.candidate(candidate)

    def undo(self, subject: str | None = None) -> Undone:
        """Take back this curator's last decision, or the last one on `subject` by anybody."""
        return self.store.undo(by=self.who, now=self.now(), subject=subject, matcher=self.matcher)

    def merge(self, into: int, others: Sequence[int], reason: str = "") -> Candidate:
        """Put candidates that ask the same together and return what `into` is now."""
        self.store.merge(
            into, others, by=self.who, now=self.now(), matcher=self.matcher, reason=reason
        )
        return self.store.candidate(into)

    def split(self, candidate: int, records: Collection[int], reason: str = "") -> Candidate:
        """Let records of a candidate that ask something else be one of their own; return that."""
        made = self.store.split(
            candidate, records, by=self.who, now=self.now(), matcher=self.matcher, reason=reason
        )
        return self.store.candidate(made)

    def claim(self, candidate: int) -> Claim:
        """Say that this curator looks at a candidate, for `CLAIMED` from now, and return whose it
        is: somebody else's claim stands while it lasts.
        """
        now = self.now()
        return self.store.claim(candidate, by=self.who, now=now, until=now + CLAIMED)

    def release(self, candidate: int | None = None) -> None:
        """Give up this curator's claim on a candidate, or with None all of them."""
        self.store.release(candidate, by=self.who, now=self.now())

    def sample(self, size: int, seed: str, *, status: str = "open", **wanted: Any) -> list[int]:
        """Return candidates drawn by lot, in the order of the draw: of `size` of those that are
        `wanted` (see `Store.candidate_ids`), whatever became of them, those of `status` now.

        The same seed draws the same; what is decided meanwhile goes, and nothing comes after it.
        """
        from curate import triage

        drawn = triage.sample(self.store.candidate_ids(status="", **wanted), size, seed)
        left = set(self.store.candidate_ids(status=status, **wanted))
        return [one for one in drawn if one in left]

    def check(self) -> list[Finding]:
        """Return what is wrong with the set, errors first."""
        return self.check_items(self.store.items())

    def check_items(self, items: Sequence[Item]) -> list[Finding]:
        """Return what is wrong with these items as a set, errors first."""
        from curate.check import checking

        return checking.check(items, self._tools())

    def _tools(self) -> Tools:
        from curate.check.checking import Tools

        return Tools(
            locate=self.corpus.locate,
            scan=self.anonymiser.scan,
            stands=self.corpus.stands,
            passage=self.corpus.passage,
            occurrences=self.corpus.occurrences,
            headings=self._headings,
            alike=self.matcher.pairs,
            nearest=self._nearest,
            withdrawn=self.store.item_ids(status="withdrawn"),
            accepted={(one.item, one.entity) for one in self.store.accepted() if one.stands},
        )

    # ------------------------------------------------------------------ versions

    def export(
        self, to: Path | None = None, *, umask: int = 0o077, formats: Sequence[str] = ()
    ) -> Exported:
        """Write the set as its next version, or name the last one when nothing changed; see
        `exporting.export`.
        """
        from curate.workspace.upkeep import exporting

        done = exporting.export(self, to, umask=umask, formats=formats)
        if done.new:
            self.rerank()
        return done


def _size(path: Path) -> int:
    if path.is_dir() and not path.is_symlink():
        return sum(_size(inner) for inner in path.iterdir())
    return path.lstat().st_size
