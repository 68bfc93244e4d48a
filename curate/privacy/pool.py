"""Anonymising on every core: processes with an anonymiser each, for logs that are worth it.

Raw text reaches them through pipes, in memory only. They end with the process that made them,
also when that is killed, and they write nothing anywhere.
"""

from __future__ import annotations

import multiprocessing
import os
import queue
import signal
import time
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from multiprocessing.connection import Connection
from typing import Self

from curate.config import PrivacySettings
from curate.model.errors import CurateError, Exit
from curate.model.records import Clean
from curate.privacy.anonymise import Anonymiser

Records = Sequence[Sequence[str]]
Promise = Callable[[], list[list[Clean]]]
"""Waits for the clean texts of a batch and returns them."""

WORTH = 2.0
"""So many seconds this process works alone before others are started, which itself takes some."""

MOST = 2
"""How many processes are started at most: each holds a model, and all of them stay below 1 GiB."""


def cores() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Pool:
    """Anonymises batches, in this process first and, once there is much to do, in others.

    Use it as a context manager. The others have the settings of `own`.
    """

    def __init__(
        self,
        own: Anonymiser,
        *,
        workers: int | None = None,
        worth: float = WORTH,
    ) -> None:
        self._own = own
        self._count = min(cores(), MOST) if workers is None else workers
        self._worth = worth
        self._spent = 0.0
        self._starting: list[tuple[multiprocessing.process.BaseProcess, Connection]] = []
        self._idle: queue.SimpleQueue[Connection] = queue.SimpleQueue()
        self._threads: ThreadPoolExecutor | None = None

    @property
    def ahead(self) -> int:
        """How many batches may be on their way at once."""
        return self._count + 1 if self._threads is not None else 0

    def submit(self, records: Records) -> Promise:
        """Begin to anonymise a batch, as `Anonymiser.clean_records` does it.

        The promise raises `CurateError` when the process that had the batch came to an end.
        """
        if self._count > 1 and self._spent > self._worth:
            self._start()
        if self._threads is None:
            began = time.perf_counter()
            result = self._own.clean_records(records)
            self._spent += time.perf_counter() - began
            return lambda: result
        future: Future[list[list[Clean]]] = self._threads.submit(self._ask, records)
        return future.result

    def _start(self) -> None:
        if not self._starting:
            context = multiprocessing.get_context("spawn")
            told = (self._own.settings, self._own.known)
            for _ in range(self._count):
                here, there = context.Pipe()
                process = context.Process(target=_work, args=(there, *told), daemon=True)
                process.start()
                there.close()
                self._starting.append((process, here))
        if self._threads is None and all(pipe.poll() for _, pipe in self._starting):
            try:
                for _, pipe in self._starting:
                    _receive(pipe)
                    self._idle.put(pipe)
            except CurateError:  # where no process can be started, this one does it all
                self._count = 0
                return
            self._threads = ThreadPoolExecutor(self._count, "anonymise")

    def _ask(self, records: Records) -> list[list[Clean]]:
        pipe = self._idle.get()
        try:
            pipe.send(records)
            return _receive(pipe)
        except BrokenPipeError:
            raise _ended() from None
        finally:
            self._idle.put(pipe)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._threads is not None:
            self._threads.shutdown(cancel_futures=True)
        for process, pipe in self._starting:
            pipe.close()
            process.join(5)
            if process.is_alive():
                process.kill()
                process.join()


def _receive(pipe: Connection) -> list[list[Clean]]:
    try:
        received: list[list[Clean]] = pipe.recv()
    except (EOFError, ConnectionResetError):
        raise _ended() from None
    return received


def _ended() -> CurateError:
    return CurateError(
        "a process that anonymises came to an end before its work",
        "What was stored is whole; see that there is memory, and run it again.",
        Exit.ENVIRONMENT,
    )


def _work(pipe: Connection, settings: PrivacySettings, known: Collection[str]) -> None:
    """Anonymise what comes until the other end is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # A traceback could show log text.
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    anonymiser = Anonymiser(settings, known)
    anonymiser.clean_many(["ready"])
    pipe.send([])
    while True:
        try:
            records = pipe.recv()
        except EOFError:
            return
        pipe.send(anonymiser.clean_records(records))
