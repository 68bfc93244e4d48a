"""curate.toml and the environment."""

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from curate import config
from curate.model.errors import CurateError, Exit


def written(tmp_path: Path, toml: str) -> Path:
    path = tmp_path / config.FILE
    path.write_text(toml, encoding="utf-8")
    return path


def test_the_template_says_the_defaults(tmp_path: Path) -> None:
    assert config.load(written(tmp_path, config.TEMPLATE)) == config.Settings()


def test_the_template_without_its_comment_signs_still_says_the_defaults(tmp_path: Path) -> None:
    """Every commented default is the real one, so uncommenting it changes nothing."""
    lines = config.TEMPLATE.splitlines()
    defaults = [
        line.removeprefix("# ")
        for line in lines
        if line.startswith(("# include", "# exclude", "# entities", "# languages", "# phone"))
        or not line.startswith("#")
    ]
    refusals = next(line.removeprefix("# ") for line in lines if line.startswith("# refusals"))
    toml = "\n".join(defaults).replace("[assistant]", f"[assistant]\n{refusals} #", 1)

    assert config.load(written(tmp_path, toml)) == config.Settings()


@pytest.mark.parametrize(
    ("toml", "says", "hint"),
    [
        ("[retension]\nrecords_days = 3", "unknown key `retension`", "retention"),
        ("[retention]\nrecord_days = 3", "unknown key `retention.record_days`", "records_days"),
        ("[retention]\nrecords_days = 'x'", "`retention.records_days` is not int", ""),
        ("[retention]\nrecords_days = 0", "must be from 1", ""),
        ("[retention]\nrecords_days = true", "`retention.records_days` is not int", ""),
        ("[retention]\nraw_days = 0", "must be from 1", "Mend"),
        ("[retention]\nstore_raw = 'open'", "knows only sealed, never", ""),
        ("[[sources]]\nname = 'a'\npath = 'b'\npurge_files = 1", "is not bool", ""),
        ("[split]\nholdout = 2", "must be from 0 to 1", ""),
        ("[privacy]\nentities = ['IBAN']", "knows only PERSON", ""),
        ("[privacy]\nphone_regions = ['kh']", "two-letter", ""),
        ("[[sources]]\nname = 'a'", "`sources.path of a` is missing", ""),
        ("[[sources]]\npath = 'a'", "`sources.name` is missing", ""),
        ("x = \ny = 2", "line 1", ""),
        ("x = " + "[" * 5000, "nested too deep", ""),
    ],
)
def test_a_mistake_is_named_with_the_way_out(
    tmp_path: Path, toml: str, says: str, hint: str
) -> None:
    with pytest.raises(CurateError) as caught:
        config.load(written(tmp_path, toml))

    assert says in caught.value.message
    assert str(tmp_path) in caught.value.message
    assert hint in caught.value.hint
    assert caught.value.hint
    assert caught.value.code == Exit.USAGE


def test_originals_never_outlive_their_records(tmp_path: Path) -> None:
    toml = "[retention]\nrecords_days = 7\nraw_days = 14"

    assert config.load(written(tmp_path, toml)).retention.kept_raw_days == 7
    assert config.RetentionSettings(store_raw="never").kept_raw_days == 0


def test_a_directory_without_a_config_is_no_workspace(tmp_path: Path) -> None:
    with pytest.raises(CurateError, match="not a workspace"):
        config.load(tmp_path / config.FILE)


def test_a_config_that_is_not_utf8_says_so(tmp_path: Path) -> None:
    path = tmp_path / config.FILE
    path.write_bytes(b"curator = '\xff'")

    with pytest.raises(CurateError, match="not UTF-8"):
        config.load(path)


def test_the_clock_is_the_option_then_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CURATE_NOW", "2026-11-01")

    assert config.now() == datetime(2026, 11, 1, tzinfo=UTC)
    assert config.now("2026-11-02T10:00:00+07:00") == datetime(2026, 11, 2, 3, tzinfo=UTC)
    with pytest.raises(CurateError, match="ISO 8601"):
        config.now("yesterday")
    for far in ("0001-01-01", "9999-12-31T23:59:59-12:00"):
        with pytest.raises(CurateError, match="out of reach"):
            config.now(far)


def test_the_curator_is_the_option_then_the_config() -> None:
    settings = config.Settings(curator="dara-k")

    assert config.curator("sok", settings) == "sok"
    assert config.curator(None, settings) == "dara-k"
    assert config.curator(None, config.Settings())


def test_what_would_write_the_screen_to_a_file_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TEXTUAL", raising=False)
    assert config.debug_leaks() == []

    monkeypatch.setenv("TEXTUAL_LOG", "x")
    monkeypatch.setenv("TEXTUAL", "debug,devtools")
    assert config.debug_leaks() == ["TEXTUAL_LOG", "TEXTUAL"]


def test_a_source_is_kept_no_longer_than_the_others(tmp_path: Path) -> None:
    toml = tmp_path / "curate.toml"
    source = '[[sources]]\nname = "a"\npath = "x"\nrecords_days = {}\n'

    toml.write_text(source.format(30))
    assert config.load(toml).sources[0].records_days == 30
    toml.write_text(source.format(91))
    with pytest.raises(CurateError, match="records_days of a"):
        config.load(toml)


@pytest.mark.parametrize("name", ["curate.toml", "deny.txt"])
def test_a_pipe_in_place_of_a_file_is_refused_and_not_waited_for(tmp_path: Path, name: str) -> None:
    path = tmp_path / config.FILE
    if name != path.name:
        path.write_text("")
    os.mkfifo(tmp_path / name)

    with pytest.raises(CurateError, match="pipe") as caught:
        config.load(path)

    assert name in caught.value.message
    assert caught.value.code == Exit.USAGE
