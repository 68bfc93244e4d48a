"""The system under test: behind a URL, a command, or a Python function.

All three get the same question and give the same reply: the object of one line of a run file.
A question is `{"id", "question", "history": [{"role", "content"}]}` and the given parameters.
"""

from __future__ import annotations

import asyncio
import importlib
import inspect
import json
import os
import shlex
import subprocess
import sys
import threading
import time
import traceback
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol
from urllib.parse import urlsplit

from curate.evaluate.cases import Case
from curate.model.errors import CurateError, Exit
from curate.model.plain import Json

_MOST = 64 << 20
_BLOCK = 1 << 16
_TAIL = 1 << 14  # bytes of a command's stderr worth keeping


class NoReply(Exception):
    """A question got no reply.

    `kind` is `unreachable`, `timeout`, `status`, `broken reply`, `raised` or `ended`; `detail`
    says more without quoting what was received. `again` is whether asking again may help, `after`
    how many seconds the target asks to be left alone, or None.
    """

    def __init__(
        self, kind: str, detail: str = "", *, again: bool = False, after: float | None = None
    ) -> None:
        super().__init__(f"{kind}: {detail}" if detail else kind)
        self.kind = kind
        self.detail = detail
        self.again = again
        self.after = after


class Target(Protocol):
    """Something that answers questions. Called from several threads."""

    name: str

    def ask(self, case: Case) -> Json:
        """Return the reply to one question. Raises `NoReply`."""
        ...


def asked(case: Case) -> Json:
    """Return a case as a target is asked it."""
    history = [{"role": turn.role, "content": turn.content} for turn in case.history]
    return {"id": case.id, "question": case.question, "history": history}


class Endpoint:
    """An HTTP endpoint: the question is POSTed as JSON, with the parameters beside it."""

    def __init__(
        self,
        url: str,
        params: Mapping[str, object],
        *,
        timeout: float,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """Take `timeout` in seconds for the whole reply. Raises `CurateError` for another URL."""
        if urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).hostname:
            raise CurateError(
                "--target is not an http or https URL",
                "Write it like http://localhost:8000/ask.",
                Exit.USAGE,
            )
        self.name = url.split("?")[0].rpartition("@")[2]
        self._url = url
        self._params = dict(params)
        self._timeout = timeout
        self._headers = {"Content-Type": "application/json", **(headers or {})}

    def ask(self, case: Case) -> Json:
        """Return the reply to one question. Raises `NoReply`."""
        body = json.dumps({**self._params, **asked(case)}).encode()
        request = urllib.request.Request(self._url, body, self._headers)  # noqa: S310 - http(s) only, checked above
        deadline = time.monotonic() + self._timeout
        try:
            with urllib.request.urlopen(request, timeout=self._timeout) as response:  # noqa: S310 - as above
                return _object(_all_of(response, deadline))
        except urllib.error.HTTPError as error:
            after = error.headers.get("Retry-After", "")
            raise NoReply(
                "status",
                str(error.code),
                again=error.code in (408, 425, 429) or error.code >= 500,
                after=float(after) if after.isdigit() else None,
            ) from None
        except TimeoutError:
            raise NoReply("timeout", f"{self._timeout:g} s", again=True) from None
        except (OSError, urllib.error.URLError) as error:
            reason = getattr(error, "reason", error)
            if isinstance(reason, TimeoutError):
                raise NoReply("timeout", f"{self._timeout:g} s", again=True) from None
            words = getattr(reason, "strerror", None) or type(reason).__name__
            raise NoReply("unreachable", words, again=True) from None
        except ValueError:  # http.client's complaints about a reply that is no HTTP
            raise NoReply("broken reply", "not HTTP") from None


def _all_of(response: Any, deadline: float) -> bytes:
    parts: list[bytes] = []
    size = 0
    while part := response.read1(_BLOCK):
        parts.append(part)
        size += len(part)
        if time.monotonic() > deadline:
            raise TimeoutError
        if size > _MOST:
            raise NoReply("broken reply", f"more than {_MOST >> 20} MiB")
    return b"".join(parts)


class Command:
    """A command, run once per question: the question on its stdin, the reply on its stdout.

    What it says on stderr may quote questions. It is kept only in the file named for it, the end
    of it for every question that got no reply, and never in the run.
    """

    def __init__(
        self,
        line: str,
        params: Mapping[str, object],
        *,
        timeout: float,
        stderr: Path | None = None,
    ) -> None:
        """Take a command `line` as a shell would split it; no shell runs it. `stderr` is a file
        to add to; a new one is private. Raises `CurateError` where it cannot be written.
        """
        try:
            self._argv = shlex.split(line)
        except ValueError:
            self._argv = []
        if not self._argv:
            raise CurateError("--command is no command", "Quote it once, as a whole.", Exit.USAGE)
        self.name = self._argv[0]
        self._params = dict(params)
        self._timeout = timeout
        self._stderr = stderr
        self._adding = threading.Lock()
        if stderr is not None:
            self._add(stderr, b"")

    def ask(self, case: Case) -> Json:
        """Return the reply to one question. Raises `NoReply`."""
        try:
            done = subprocess.run(  # noqa: S603 - the user's own command, split, no shell
                self._argv,
                input=json.dumps({**self._params, **asked(case)}).encode(),
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL if self._stderr is None else subprocess.PIPE,
                timeout=self._timeout,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            seen = self._keep(case, "timeout", error.stderr)
            raise NoReply("timeout", f"{self._timeout:g} s{seen}", again=True) from None
        except OSError as error:
            raise NoReply("unreachable", error.strerror or type(error).__name__) from None
        ended = f"exit code {done.returncode}"
        if done.returncode:
            raise NoReply("ended", f"{ended}{self._keep(case, ended, done.stderr)}")
        try:
            return _object(done.stdout)
        except NoReply as failure:
            seen = self._keep(case, f"{ended}, {failure.detail}", done.stderr)
            raise NoReply(failure.kind, f"{failure.detail}, {ended}{seen}") from None

    def _keep(self, case: Case, how: str, said: bytes | None) -> str:
        """Keep the end of what was said where that is wanted; return where it can be seen."""
        if self._stderr is None or said is None:
            return ""
        if not said.strip():
            return ", nothing on stderr"
        tail = said[-_TAIL:]
        cut = "" if len(tail) == len(said) else f", the last {len(tail)} of {len(said)} bytes"
        self._add(self._stderr, f"== {case.id}: {how}{cut}\n".encode() + tail.rstrip() + b"\n")
        return f", its stderr is in {self._stderr}"

    def _add(self, path: Path, data: bytes) -> None:
        try:
            with self._adding:
                handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
                with os.fdopen(handle, "ab") as file:
                    file.write(data)
        except OSError as error:
            raise CurateError(
                f"{path} cannot be written: {error.strerror}", "Name another file with --stderr."
            ) from None


class Function:
    """A Python function: `ask(question, history, **params)`, plain or async."""

    def __init__(self, name: str, params: Mapping[str, object], *, timeout: float) -> None:
        """Import `MOD:FUNC`, from the current directory too. Raises `CurateError`."""
        module, _, attribute = name.partition(":")
        if str(Path.cwd()) not in sys.path:
            sys.path.insert(0, str(Path.cwd()))
        loaded = _outcome(lambda: getattr(importlib.import_module(module), attribute), None)
        if isinstance(loaded, BaseException) or not callable(loaded):
            why = _why(loaded, module, attribute)
            raise CurateError(
                f"--python {name} cannot be loaded: {why}",
                "Write it as MODULE:FUNCTION, in this directory or installed; it takes a question "
                "and a history.",
                Exit.USAGE,
            )
        self.name = name
        self._function: Callable[..., Any] = loaded
        self._params = dict(params)
        self._timeout = timeout

    def ask(self, case: Case) -> Json:
        """Return the reply to one question. Raises `NoReply`."""
        question = asked(case)

        def call() -> Any:
            value = self._function(question["question"], question["history"], **self._params)
            return asyncio.run(_awaited(value)) if inspect.isawaitable(value) else value

        reply = _outcome(call, self._timeout)
        if isinstance(reply, FutureTimeout):
            raise NoReply("timeout", f"{self._timeout:g} s")
        if isinstance(reply, BaseException):
            raise NoReply("raised", _where(reply))
        if not isinstance(reply, dict):
            raise NoReply("broken reply", f"{type(reply).__name__}, not a dict")
        return reply


async def _awaited(value: Any) -> Any:
    return await value


class _Kept:
    """Keeps what somebody else's code raises, whatever it is: it is an outcome, not our error."""

    def __init__(self, future: Future[Any]) -> None:
        self._future = future

    def __enter__(self) -> None:
        return None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        if error is not None:
            self._future.set_exception(error)
        return True


def _outcome(call: Callable[[], Any], timeout: float | None) -> Any:
    """Return what `call` returns, or the exception it raised, or `FutureTimeout`.

    It runs in a thread that nobody waits for: a function that hangs does not hang the run.
    """
    future: Future[Any] = Future()

    def work() -> None:
        with _Kept(future):
            future.set_result(call())

    threading.Thread(target=work, daemon=True).start()
    try:
        return future.exception(timeout) or future.result()
    except FutureTimeout as error:
        return error


def _why(loaded: object, module: str, attribute: str) -> str:
    """Say in words why this is no function to ask."""
    if isinstance(loaded, ModuleNotFoundError) and loaded.name == module:
        return f"there is no module {module}"
    if isinstance(loaded, AttributeError) and loaded.name == attribute:
        return f"{module} has no {attribute}" if attribute else "no function is named"
    return _where(loaded) if isinstance(loaded, BaseException) else "it is no function"


def _where(error: BaseException) -> str:
    """The exception's type and where it was raised; its words may be somebody's data."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{place}"


def _object(data: bytes) -> Json:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        raise NoReply("broken reply", "not JSON") from None
    if not isinstance(value, dict):
        raise NoReply("broken reply", "no JSON object")
    return value


def parameters(given: Sequence[str]) -> dict[str, object]:
    """Return `name=value` pairs as a dict; values are JSON where they can be, else strings.

    Raises `CurateError` for a pair without `=`.
    """
    found: dict[str, object] = {}
    for pair in given:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise CurateError("--param takes NAME=VALUE", "For example --param k=4.", Exit.USAGE)
        try:
            found[name] = json.loads(value)
        except ValueError:
            found[name] = value
    return found
