#!/usr/bin/env python3
"""Hold file summaries against another witness over a whole repository, language by language.

    python scripts/compare_ctags.py DIR... [--grammar | --ast | --typescript FOLDER]
                                    [--language L] [--samples N] [--json OUT] [--record OUT] [--ctags PROGRAM]

The witness is Universal Ctags, or with --grammar the tree of the file's own grammar, with --ast Python's parser, with
--typescript the TypeScript compiler installed in FOLDER. For every function, method, class and type that the witness
gives there must be a symbol of the same name with its name on the same line; the last three also give full ranges,
decorators included, which must be the same.

What the witness plainly made up is left out first, found or not, by rules on the line alone (scripts/witness/known.py);
how many these are is told. --record puts counts and five samples of each sort into a file, beside what it says of other
witnesses; docs/languages.md is made from scripts/witness/outcome.json. Exit code 1: a language has fewer than 99 % of
the definitions, or more than 1 % of them differ where the witness is known to be wrong; 2: the witness cannot be asked.
"""

import argparse
import json
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parent.parent)]

from witness import ctags, grammar, python_ast, typescript
from witness.compare import Definition, Difference, Tally, compare, outcome
from witness.files import head, read, walk
from witness.known import KNOWN

from indexer.languages import LANGUAGES, language_of
from indexer.model import Symbol
from indexer.summary import summarize_text

KNOWN_SAMPLES = 5
FOR_EVERYONE = [rule for rule in KNOWN if rule.everyone]
READS_TEXTS = frozenset(language for rule in KNOWN if rule.in_text for language in rule.languages)
GRAMMARS = {language.name: language.grammar for language in LANGUAGES}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", metavar="DIR", nargs="+", type=Path)
    witness = parser.add_mutually_exclusive_group()
    witness.add_argument("--grammar", action="store_true", help="ask the grammar's own tree")
    witness.add_argument("--ast", action="store_true", help="ask Python's own parser")
    witness.add_argument("--typescript", metavar="FOLDER", type=Path, help="ask the compiler in FOLDER/node_modules")
    parser.add_argument("--language", action="append", metavar="L", help="only this language; may be repeated")
    parser.add_argument("--samples", type=int, default=5, metavar="N", help="differences shown of each sort")
    parser.add_argument("--json", type=Path, metavar="OUT", help="write everything to this file")
    parser.add_argument("--record", type=Path, metavar="OUT", help="put counts and samples into this file")
    parser.add_argument("--ctags", default="ctags", metavar="PROGRAM")
    given = parser.parse_args()
    try:
        if witness_of(given) == "ctags":
            print(ctags.check(given.ctags))
        tallies: dict[str, Tally] = {}
        for folder in given.folders:
            compare_folder(folder, given, tallies, prefix=len(given.folders) > 1)
    except (ctags.NoCtagsError, subprocess.CalledProcessError) as error:
        print(error, file=sys.stderr)
        return 2
    for tally in tallies.values():
        show(tally, given.samples)
    print(table(list(tallies.values())))
    if given.json:
        rows = [tally.record() for tally in tallies.values()]
        given.json.write_text(json.dumps(rows, indent=1, ensure_ascii=False), encoding="utf-8", errors="replace")
    if given.record:
        record(given.record, witness_of(given), tallies)
    return 0 if all(tally.good for tally in tallies.values()) else 1


def witness_of(given: argparse.Namespace) -> str:
    """Name the chosen witness."""
    return "grammar" if given.grammar else "ast" if given.ast else "typescript" if given.typescript else "ctags"


def record(path: Path, witness: str, tallies: dict[str, Tally]) -> None:
    """Put what one witness said of these languages in the place of what it said before."""
    outcomes = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    outcomes.setdefault(witness, {}).update({name: outcome(tally) for name, tally in tallies.items()})
    ordered = {name: dict(sorted(languages.items())) for name, languages in sorted(outcomes.items())}
    path.write_text(json.dumps(ordered, indent=1, ensure_ascii=False) + "\n", encoding="utf-8", errors="replace")


def compare_folder(folder: Path, given: argparse.Namespace, tallies: dict[str, Tally], *, prefix: bool) -> None:
    """Compare all files of one folder whose language the witness knows."""
    summaries: defaultdict[str, dict[str, tuple[str, Sequence[Symbol]]]] = defaultdict(dict)
    for path in walk(folder):
        language = language_of(path, head(folder / path))
        if language is None or not asked(language.name, given):
            continue
        text = read(folder, path)
        if text is None:
            continue
        summary = summarize_text(path, text)
        if summary.exact:
            summaries[language.name][path] = (text, summary.symbols)
        else:  # generated or minified; it says itself that it was not parsed
            tallies.setdefault(language.name, Tally(language.name)).unparsed.append(path)
    for language, files in sorted(summaries.items()):
        tally = tallies.setdefault(language, Tally(language))
        for path, definitions in ask(language, folder, files, given):
            text, symbols = files[path]
            shown = f"{folder.name}/{path}" if prefix else path
            if has_ranges(given):
                compare(tally, shown, text, definitions, symbols, ranges=True, rules=FOR_EVERYONE)
            else:
                in_text = grammar.text_lines(GRAMMARS[language], text) if language in READS_TEXTS else frozenset()
                compare(tally, shown, text, definitions, symbols, ranges=False, in_text=in_text)


def has_ranges(given: argparse.Namespace) -> bool:
    """Tell whether the witness knows full ranges; ctags does not know decorators."""
    return bool(given.grammar or given.ast or given.typescript)


def ask(
    language: str, folder: Path, files: dict[str, tuple[str, Sequence[Symbol]]], given: argparse.Namespace
) -> Iterator[tuple[str, list[Definition]]]:
    """Give what the chosen witness says of each file; files that it cannot read are left out."""
    if given.grammar:
        for path, (text, _) in files.items():
            yield path, grammar.definitions_of(language, GRAMMARS[language], text)
    elif given.ast:
        for path, (text, _) in files.items():
            definitions = python_ast.definitions_of(text)
            if definitions is not None:
                yield path, definitions
    else:
        found = (
            typescript.definitions_of(folder, list(files), given.typescript)
            if given.typescript
            else ctags.definitions_of(language, folder, list(files), given.ctags)
        )
        for path in files:
            yield path, found.get(path, [])


def asked(language: str, given: argparse.Namespace) -> bool:
    """Tell whether this language is to be compared with the chosen witness."""
    if given.language:
        if language not in given.language:
            return False
    elif language in ctags.WEAK and not given.grammar:
        return False
    if given.grammar:
        return language in grammar.SHAPES
    if given.ast:
        return language == "python"
    return language in (typescript.LANGUAGES if given.typescript else ctags.KINDS)


def show(tally: Tally, samples: int) -> None:
    """Print the differences of one language."""
    groups: defaultdict[tuple[str, str], list[Difference]] = defaultdict(list)
    for each in tally.differences:
        groups[(each.sort, each.definition.kind)].append(each)
    for (sort, kind), differences in sorted(groups.items(), key=lambda group: -len(group[1])):
        print(f"\n{tally.language}: {sort} {kind}: {len(differences)}")
        _list(differences[:samples])
    if tally.unparsed:
        named = ", ".join(tally.unparsed[:samples])
        print(f"\n{tally.language}: not parsed, so not compared: {len(tally.unparsed)}; {named}")
    if tally.ends:
        print(f"\n{tally.language}: another end (only noted): {len(tally.ends)}")
        _list(tally.ends[:samples])
    for title, differences in (("known", tally.known), ("left out", tally.left_out)):
        for name, count in Counter(each.known for each in differences).items():
            rule = next(rule for rule in KNOWN if rule.name == name)
            print(f"\n{tally.language}: {title}, {name}: {count} ({rule.why})")
            _list([each for each in differences if each.known == name][:KNOWN_SAMPLES])
    if tally.extra and samples:
        print(f"\n{tally.language}: ours alone (for information): {len(tally.extra)}")
        print("".join(f"  {line}\n" for line in tally.extra[:samples]), end="")


def _list(differences: Sequence[Difference]) -> None:
    for each in differences:
        place = f"{each.path}:{each.definition.line}"
        ours = f" [ours: {each.ours}]" if each.ours else ""
        print(f"  {place} {each.definition.name}{ours} | {each.source[:100]}")


def table(tallies: Sequence[Tally]) -> str:
    """Give one row for each language."""
    rows = [f"\n{'language':12}{'files':>7}{'definitions':>13}{'found':>8}{'known':>7}{'left out':>10}{'share':>9}"]
    for tally in sorted(tallies, key=lambda each: each.language):
        rows.append(
            f"{tally.language:12}{tally.files:7}{tally.definitions:13}{tally.found:8}{len(tally.known):7}{len(tally.left_out):10}"
            f"{100 * tally.share:8.2f}%  {'ok' if tally.good else 'BELOW'}"
        )
    return "\n".join(rows)


if __name__ == "__main__":
    sys.exit(main())
