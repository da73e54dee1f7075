"""Tell lines and paragraphs of comments that are not about the code: licences, directives, to-dos, banners, tags.

Each is known by its form, in any language: ``is_noise`` for a line, ``is_licence`` for a paragraph, ``ends_prose`` for
the line where sentences end and lists of parameters or examples begin.
"""

from __future__ import annotations

import re

ART_MARKS = 5  # strokes of a line that is drawn
MARKS = 6  # characters before what says that a file is generated, which may be on lines above

# Words to tools, in lower case: to ignore case takes twice the time. Each alternative must match the whole line,
# so that a sentence may begin with the name of a tool.
_DIRECTIVE = re.compile(
    r"""
    (?:[@!\#]\s?)?
    (?: (?:es|ts|js|css|style|markdown|sass|swift|sol|golangci-?)lint (?:[-:].* | \s+[\w/-]+\s*:.*)?
      | jshint\s.* | jscs:.* | (?:prettier|biome|oxlint|deno-lint|dprint|standard)-\w+.*
      | (?:istanbul|c8|v8|node:coverage)\ ignore\b.* | ts-[a-z-]+\b.*
      | globals?\ [\w$]+(?:\s*[,:].*)? | exported\ [\w$]+(?:\s*,.*)?
      | noqa\b.* | nopep8 | type:\s*ignore.* | typed:\ \w+ | coding=.*
      | (?:pylint|flake8|mypy|pyright|ruff|fmt|isort|yapf|pragma|cython|nosec|coverage|sourcery|rubocop|encoding|coding
          |vim?|spell-?checker|c?spell|codespell|phpcs|psalm|shellcheck|hadolint|iwyu\ pragma|lint|swiftformat|ktlint
          |frozen_string_literal|warn_indent|detekt|mark):.*
      | shellcheck\ \w+=.* | (?:pylint|shellcheck|ktlint|phpcs|nosec)[ -](?:disable|enable|ignore).* | swiftlint:.*
      | (?:stylua|luacheck|selene|steep|swift-tools-version|:call-seq):.* | swift-format-ignore.* | cppcheck-suppress.*
      | diagnostic\s+(?:disable|enable)(?:-next-line|-line)?\s*:.* | (?:jest|vitest)-environment\b.* | \$flow\w+.*
      | <(?:auto-generated|inheritdoc)\b.* | resharper\s(?:disable|restore)\b.* | fall-?\s?through[.!]? | nosec | %%.*
      | nolint.* | go:\w+.* | \+build\ .* | clang-(?:format|tidy)\ (?:on|off).* | formatter:(?:on|off)
      | (?:end)?region\b.*(?<!\.)
      | flow(?:\ strict)?(?:-local)? | noflow | jsx\w*\ \S+ | sourcemappingurl=.* | webpack[a-z]\w+:.* | vite-ignore
      | __pure__ | codecoverageignore\w* | lgtm\b.* | nosonar.* | noinspection\ .* | language=\w+.*
      | (?:phpstan|psalm)-.*
      | /(?:usr/)?(?:local/)?s?bin/.* | code\ generated\ by\ .* | <reference\ .* | use\ strict
      | <\?(?:xml\b.*|\w*) | <!doctype\s.* | :[a-z]+:(?:\ \w+)?
      | =+\ \S.* | \^\ .* | (?:language|options\w*|\w*inline|speciali[sz]e|include|complete|deprecated)\s.*\#
    )$
    """,
    re.VERBOSE,
)
# What only means something right behind the mark of a comment, as in ``//export Name``.
_AT_MARK = re.compile(r"[ \t]*//(?:(?:export|extern)[ \t]+[\w.]*\w|line[ \t]+\S*:\d+|sys(?:nb)?[ \t]+\w+\(.*)\s*$")
# Whole statements, strings in them empty: the words before, then a call, an assignment or the head of a block.
_CALLED = r"[A-Za-z_$@][\w$@]*+(?:(?:\.|->|::)[\w$@]++[!?]?|\[[^\]]*+\])*+"
_BRACKETS = r"\((?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*+\))*+\))*+\))*+\)"
_STATEMENT = re.compile(
    rf"""
    ((?:(?:var|let|const|val|my|local|auto|int|static|return|throw|await|def|func|fn|function)\s+)*+)
    (?: {_CALLED} {_BRACKETS} (?:\.[\w$]++ {_BRACKETS})*+ \s*+ [;{{]?
      | {_CALLED} \s*+ (?:[-+*/|&:]|\|\||\?\?)?=(?![=>~]) \s*+
        (?:[^\s;][^;]*+; | (?:new\s|await\s)?{_CALLED}{_BRACKETS})
      | (?<=return\s){_CALLED};
      | (?:\}}\s*+)? (?:if|for|foreach|while|switch|catch|else\ if|elseif) \s*+ {_BRACKETS} \s*+ \{{ (?:.*\}})?
      | (?:\}}\s*+)? (?:else|try|do|finally) \s*+ \{{
    )$
    """,
    re.VERBOSE | re.ASCII,
)
_STATEMENT_ENDS = frozenset(";{})")
_QUOTED = re.compile(r"\"(?:[^\"\\]|\\.)*+\"|(?<!\w)'(?:[^'\\]|\\.)*+'")
_SIDE_BY_SIDE = re.compile(r"(?<![\w$])(?!(?:new|await|return|throw)\b)[A-Za-z_]\w*+\s+[A-Za-z_]")
_LICENCE = re.compile(
    r"""
      copyright \s* (?:\(c\) | © | : | \d{4} | by\b | holders?\b | notice) | copyright\b.{0,40}\d{4} | ©\s*\d{4}
    | \(c\)\s*\d{4} | SPDX- | @preserve | all\ rights\ reserved | public\ domain
    | licen[sc]ed\s+(?:under|to|as) | available\ under\ .{0,40}\b(?:terms|licen[sc]e) | ^@licen[sc]e\b
    | ^licen[sc]e\s*(?::|$)
    | (?:opt|permission)\ to\ use,\ copy | permission\ is\ hereby\ granted
    | redistributions?\b.{0,30}\b(?:source|binary|must)
    | without\ (?:any\ )?warranty | warranties\ of | as\ is"\ basis | in\ no\ event\ shall
    | ^(?:the\ )?(?:MIT|BSD|ISC|Apache|GPL|GNU|MPL)\b[\w ,.-]{0,30}licen[sc]e | (?:MIT|BSD|ISC)\ licensed
    | permission\ is\ granted\ to\ anyone | held\ liable | must\ not\ be\ misrepresented | altered\ source\ versions
    | \|\s*(?:MIT|BSD|ISC|Apache)\b[\w .-]{0,20}licen[sc]e
    | this\ (?:software|program|library)\ is\ (?:free|provided|distributed) | received\ a\ copy\ of
    | (?:may\ not|not)\ use\ this\ file | this\ file\ is\ (?:part\ of|distributed|free)
    | (?:apache|gnu|opensource)\.org/licenses | (?:see|found\ in)\ the\ (?:accompanying\ )?licen[sc]e
    | terms\ of\ the\ (?:GNU|MIT|Apache|BSD)
    """,
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)
_LICENCE_WORDS = (
    "copyright", "©", "(c)", "spdx", "@preserve", "rights reserved", "public domain", "licen", "available under",
    "opt to use", "permission", "redistribution", "warrant", "as is", "shall", "software is", "program is",
    "library is", "copy of", "this file", "terms of", "liable", "misrepresented", "source versions",
)  # fmt: skip
_GENERATED_WORDS = ("generated", " edit", " modify")
_GENERATED = re.compile(
    r"""
    ^\W{1,6} (?: .{0,80}@generated\b
              | .{0,120}\b (?: DO\ NOT\ (?:EDIT|MODIFY) | (?i:(?:do\ not|don't)\ (?:edit|modify)\ this\ file) ) \b
              | (?i:code\ generated\ by\b)
              | (?i:(?:this\ file\ (?:is|was|has\ been)\ )?(?:auto-?|automatically\ )generated\ (?:by|from|file)\b) )
    """,
    re.MULTILINE | re.VERBOSE,
)
_TODO = re.compile(r"(?:@?todo|fixme|xxx|hack|bug|wip)\b", re.IGNORECASE)
_TODO_MARKS = frozenset("@tTfFxXhHbBwW")
_RULER = re.compile(r"[\W_]*$")
_BANNER = re.compile(r"([-=*#~_+/<>.])\1{2,}.*?([-=*#~_+/<>.])\2{2,}/*$|(?:[|_\\/]+\s+){3,}")
_HEADLINE = re.compile(r"\w.{0,60}?([-=*#~_+])\1{4,}$")  # of a section, drawn out to the end of its line
_PERSON = re.compile(r"(?:[^\W\d_a-z][\w.'-]*\s+){1,4}<?[^<>@\s]+@[^<>@\s]+\w>?[.,]?$")
_ART = re.compile(r"[|_/\\]")
_LETTER = re.compile(r"[^\W_]")
_FIELD = re.compile(
    r"(?:authors?|date|created|modified|version|since|filename|e-?mail|maintainers?|website|url"
    r"|module|stability|portability)\s*:",
    re.IGNORECASE,
)
_TAG = re.compile(r"[@\\]([A-Za-z]+)\b[ \t:]*(.*)$")
_TAG_MARKS = frozenset("@\\")
_TELLING_TAGS = frozenset(
    ("description", "desc", "summary", "brief", "short", "file", "fileoverview", "overview", "details")
)
_TAGS = re.compile(
    r"(?:"
    r"param|params|arg|argument|return|returns|retval|throw|throws|exception|raise|raises|see|since|author"
    r"|authors|deprecated|type|types|typedef|example|examples|template|tparam|typeparam|private|public"
    r"|protected|internal|package|memberof|member|method|methods|function|func|fn|class|constructor|constant"
    r"|const|default|defaultvalue|defgroup|ingroup|addtogroup|name|namespace|module|moduledoc|export|exports"
    r"|extends|augments|implements|interface|mixin|mixes|property|prop|readonly|static|abstract|async"
    r"|generator|yield|yields|callback|event|fires|emits|listens|inheritdoc|override|access|alias|api|apiname"
    r"|apiparam|group|category|version|todo|test|note|warning|code|remark|remarks|pre|post|invariant|var"
    r"|global|ignore|hideconstructor|license|licence|copyright|preserve|link|struct|def|enum|rtype|ivar|cvar"
    r"|keyword|doc|spec|typedoc|requires|this|kind|lends|suppress|jsx|flow|ts|component|slot|stable|beta|alpha"
    r"|experimental|virtual|sealed|decorator"
    r")$",
    re.IGNORECASE,
)
_END_OF_PROSE = re.compile(
    r">>>|```|~~~(?!~{2,}$)|:(?:param|return|rtype|raises?|type)|\.\. |(?:Parameters|Notes|Returns)$"
    r"|- (?:Parameters?|Returns|Throws|Note|Warning|Important|SeeAlso)\b[^:]*:"
    r"|(?:Args?|Arguments|Parameters|Params?|Returns?|Raises|Yields|Examples?|Usage):"
)
_END_MARKS = frozenset(">`~:.-PNRAYEU")  # what one of these begins with


def is_generated(head: str) -> bool:
    """Say whether the beginning of a file says that a program wrote it and that it is not to be edited."""
    lower = head.lower()
    said = [word for word in _GENERATED_WORDS if word in lower]  # an expression would take ten times the time
    if not said:
        return False
    if len(lower) != len(head):
        return _GENERATED.search(head) is not None
    return any(_is_said(head, found.start()) for found in re.finditer("|".join(said), lower))


def _is_said(head: str, at: int) -> bool:
    """Look at the line around a place only, and at the marks before it: the expression is slow."""
    start, end = head.rfind("\n", 0, at) + 1, head.find("\n", at)
    return _GENERATED.search(head, max(start - MARKS, 0), end if end >= 0 else len(head)) is not None


def is_ruler(line: str) -> bool:
    """Say whether a line has no letter or digit: it is blank, or a line across the page."""
    return not line[:1].isalnum() and _RULER.match(line) is not None


def is_noise(line: str) -> bool:
    """Say whether a line is for tools, a banner, or a field such as the author."""
    if "-*-" in line or "DO NOT EDIT" in line or _DIRECTIVE.match(line.lower()):
        return True
    if (":" in line and _FIELD.match(line)) or ("@" in line and _PERSON.match(line)):
        return True
    last = line[-1]
    if not line[0].isalnum():
        return _BANNER.match(line) is not None or _is_art(line)
    return not (last.isalnum() or last in ".,;:)") and (_HEADLINE.match(line) is not None or _is_art(line))


def _is_art(line: str) -> bool:
    """Say whether a line is part of a picture, or of letters that are drawn."""
    marks = len(_ART.findall(line))
    return marks >= ART_MARKS and marks > len(_LETTER.findall(line)) and line.count("/") < marks


def is_for_tool(line: str) -> bool:
    """Say whether a line, with its mark, is for a tool that knows it by the space that is not there."""
    return _AT_MARK.match(line) is not None


def is_code(line: str) -> bool:
    """Say whether a line is surely a statement, perhaps one that was taken out; sentences have words side by side."""
    if line[-1:] not in _STATEMENT_ENDS or not line.isascii():
        return False
    bare = _QUOTED.sub('""', line)
    found = _STATEMENT.match(bare)
    return found is not None and _SIDE_BY_SIDE.search(bare, found.end(1)) is None


def is_todo(line: str) -> bool:
    """Say whether a line begins a note of what is to be done, which goes on to the end of its paragraph."""
    return line[:1] in _TODO_MARKS and _TODO.match(line) is not None


def is_licence(paragraph: str) -> bool:
    """Say whether a paragraph is about rights and not about the code."""
    lower = paragraph.lower()  # looking for words first is a tenth of the time, and hardly any comment has one
    for word in _LICENCE_WORDS:  # a generator would take twice the time
        if word in lower:
            return _LICENCE.search(paragraph) is not None
    return False


def telling_tag(line: str) -> str | None:
    """Give what follows ``@brief`` and the like; None where the line has no such tag."""
    tag = _TAG.match(line) if line[:1] in _TAG_MARKS else None
    return tag[2] if tag is not None and tag[1].lower() in _TELLING_TAGS else None


def ends_prose(line: str) -> bool:
    """Say whether sentences end here: parameters, examples or other tags follow."""
    if line[:1] in _END_MARKS and _END_OF_PROSE.match(line):
        return True
    tag = _TAG.match(line) if line[:1] in _TAG_MARKS else None
    return tag is not None and bool(not tag[2] or _TAGS.match(tag[1])) and not _DIRECTIVE.match(line.lower())
