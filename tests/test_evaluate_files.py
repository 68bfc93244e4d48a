"""The files a command names: what is none is refused and never waited for."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from curate.evaluate import cases, gate, runs
from curate.evaluate.files import content
from curate.model.errors import CurateError, Exit


def test_a_file_is_read_whole_and_a_missing_one_named(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(b"{}\r\n")
    assert content(path, "Make one.") == b"{}\r\n"
    with pytest.raises(CurateError, match=r"none\.jsonl cannot be read: No such file") as caught:
        content(tmp_path / "none.jsonl", "Make one.")
    assert caught.value.hint == "Make one."


@pytest.mark.parametrize("read", [runs.read, runs.objects, cases.read, gate.read])
def test_a_pipe_is_refused_and_not_waited_for(
    tmp_path: Path, read: Callable[[Path], object]
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(CurateError, match="pipe is no file") as caught:
        read(pipe)
    assert caught.value.code == Exit.USAGE


def test_a_pipe_that_the_shell_has_opened_is_read() -> None:
    read, write = os.pipe()
    os.write(write, b"{}\n")
    os.close(write)
    try:
        assert content(Path(f"/dev/fd/{read}"), "Make one.") == b"{}\n"
    finally:
        os.close(read)
