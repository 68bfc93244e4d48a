"""Text into the words it is searched by."""

from __future__ import annotations

from curate.corpus.words import stem, words


def test_compounds_are_words_and_so_are_their_parts() -> None:
    assert list(words("UV_HTTP_TIMEOUT")) == ["uv_http_timeout", "uv", "http", "timeout"]
    assert list(words("--no-cache 3.13t")) == ["no-cache", "cache", "3.13t", "3", "13t"]
    assert list(words("getUserName")) == ["getusername", "user", "name"]


def test_the_commonest_words_are_left_out() -> None:
    assert list(words("How do I open the Door?")) == ["open", "door"]


def test_scripts_without_spaces_give_overlapping_grams() -> None:
    assert list(words("营业时间")) == ["营业", "业时", "时间"]
    assert list(words("ម៉ោង")) == ["ម៉ោ", "៉ោង"]
    assert list(words("ម៉ោ\u200bង")) == list(words("ម៉ោង"))
    assert list(words("ร้าน a店b")) == ["ร้า", "้าน", "店", "b"]


def test_forms_of_a_word_share_a_stem() -> None:
    assert stem("cancelling") == stem("cancelled") == stem("cancels")
