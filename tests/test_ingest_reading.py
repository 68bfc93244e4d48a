"""Opening logs and splitting them into lines."""

from __future__ import annotations

import codecs
import gzip
import io
import os
import socket
from pathlib import Path

import pytest

from curate.ingest import reading
from curate.ingest.reading import Damaged, Log
from curate.model.errors import CurateError, Exit


def lines(data: bytes) -> list[bytes | None]:
    return list(Log(io.BytesIO(data)).lines())


def test_lines_end_at_lf_only() -> None:
    text = "a\u2028b\u0085c\rd".encode()

    assert lines(text + b"\r\nnext\n") == [text, b"next"]


def test_a_byte_order_mark_is_no_part_of_the_first_line() -> None:
    assert lines(codecs.BOM_UTF8 + b"{}\n{}") == [b"{}", b"{}"]


def test_an_empty_log_has_no_lines() -> None:
    assert lines(b"") == []


def test_a_line_of_the_limit_is_read_and_a_longer_one_is_passed_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reading, "MAX_LINE", 10)

    found = lines(b"0123456789\n" + b"x" * 700_000 + b"\nshort\n0123456789")

    assert found == [b"0123456789", None, b"short", b"0123456789"]


def test_a_log_knows_how_far_it_has_been_read(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"{}\n" * 10)
    with Log(path) as log:
        assert log.total == 30
        assert list(log.lines()) == [b"{}"] * 10
        assert log.done == 30


def test_the_head_is_not_consumed() -> None:
    log = Log(io.BytesIO(b"one\ntwo\n"))

    assert log.head() == b"one\ntwo\n"
    assert list(log.lines()) == [b"one", b"two"]


def test_gzip_and_zstd_are_opened_by_content() -> None:
    from backports import zstd

    for packed in (gzip.compress(b"one\n") + gzip.compress(b"two\n"), zstd.compress(b"one\ntwo\n")):
        assert lines(packed) == [b"one", b"two"]


def test_damaged_compression_is_told_after_what_could_be_read() -> None:
    rows = b"".join(b"%d %s\n" % (n, os.urandom(30).hex().encode()) for n in range(5000))
    log = Log(io.BytesIO(gzip.compress(rows)[:-20_000]))
    log.head()
    found: list[bytes | None] = []

    with pytest.raises(Damaged, match="damaged or cut off"):
        found.extend(log.lines())
    assert len(found) > 1000


def test_a_file_that_shrinks_while_it_is_read_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"a": "%s"}\n' % (b"x" * 1000) * 2000)
    with Log(path) as log:
        stream = log.lines()
        next(stream)
        os.truncate(path, 1000)
        with pytest.raises(Damaged, match="cut short"):
            list(stream)


def test_a_file_deleted_while_it_is_read_is_read_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"{}\n" * 200_000)
    with Log(path) as log:
        stream = log.lines()
        next(stream)
        path.unlink()
        assert len(list(stream)) == 199_999


def test_only_regular_files_are_opened(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    where = tmp_path / "socket"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(where))
        for path, code in ((tmp_path, Exit.USAGE), (fifo, Exit.USAGE), (where, Exit.ENVIRONMENT)):
            with pytest.raises(CurateError) as caught:
                Log(path)
            assert caught.value.code == code
            assert str(path) in caught.value.message
            assert caught.value.hint


def test_a_missing_file_is_named() -> None:
    with pytest.raises(CurateError, match=r"nowhere\.jsonl does not exist"):
        Log("nowhere.jsonl")


def test_what_is_no_log_is_recognised() -> None:
    assert "SQLite" in reading.unreadable(b"SQLite format 3\x00")
    assert reading.is_parquet(b"PAR1....")
    assert "ZIP" in reading.unreadable(b"PK\x03\x04")
    assert "binary" in reading.unreadable(bytes(range(256)))
    assert reading.unreadable(b'{"a": "one raw NUL \x00 is no reason"}\n' * 3) == ""
    assert reading.unreadable(b"") == ""
