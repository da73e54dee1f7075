"""Say what a path tells of a file: ``kinds_of`` (test, example, generated, …), its ``stem_words`` and ``folder_words``.

Files of these kinds rank lower unless the question asks for them (``kinds_asked``).
"""

from __future__ import annotations

import re

# One row a kind: (what its paths look like, what a question that wants it says, how much lower it ranks).
_KINDS: tuple[tuple[str, re.Pattern[str], re.Pattern[str], float], ...] = (
    (
        "test",
        re.compile(
            r"(?:^|/)(?:tests?|specs?|__tests__|testing|testdata|fixtures?|mocks?|e2e|testutils?)(?:/|$)"
            r"|(?:^|/)(?:test_[^/]*|[^/]*(?:_test|_spec|\.test|\.spec|Tests?|Spec))\.\w+$|(?:^|/)conftest\.py$"
        ),
        re.compile(r"\btest|\bspecs?\b|mock|fixture|assert|测试|单测|断言", re.I),
        1.5,
    ),
    (
        "example",
        re.compile(r"(?:^|/)(?:examples?|samples?|demos?|tutorials?|playground|docs?|docs_src|website)(?:/|$)", re.I),
        re.compile(r"\bexample|\bdemo|\bsample|\bdoc(?:s|umentation)?\b|tutorial|示例|例子|文档|教程", re.I),
        0.675,
    ),
    (
        "bench",
        re.compile(
            r"(?:^|/)(?:bench(?:es|marks?|marking)?|perf|fuzz(?:ing)?)(?:/|$)|(?:^|/)[^/]*(?:_bench|benchmark)[^/]*\.\w+$",
            re.I,
        ),
        re.compile(r"bench|\bperf|fuzz|基准|性能", re.I),
        0.45,
    ),
    (
        "vendored",
        re.compile(
            r"(?:^|/)(?:vendor(?:ed)?|third[_-]?party|external|extern|deps|generated|gen|node_modules|_vendor|dist)(?:/|$)"
            r"|(?:^|/)thirdparty(?:/|$)|\.min\.(?:js|css)$|\.pb\.go$|_pb2\.pyi?$|\.g\.cs$|\.generated\.\w+$",
            re.I,
        ),
        re.compile(r"vendor|third.party|generat|第三方|生成", re.I),
        0.45,
    ),
    (
        "stub",
        re.compile(r"\.d\.[mc]?ts$|\.pyi$|(?:^|/)(?:typing|types?)\.(?:py|ts)$"),
        re.compile(r"\btype|\bstub|typing|类型", re.I),
        0.6,
    ),
    (
        "compatibility",
        re.compile(
            r"(?:^|[/_.-])(?:compat|compatibility|legacy|deprecated|shims?|polyfills?|obsolete|v[123])(?:[/_.-]|$)",
            re.I,
        ),
        re.compile(r"compat|legacy|deprecat|shim|polyfill|\bv\d|兼容|废弃|旧版", re.I),
        0.6,
    ),
    (
        "reexport",
        re.compile(
            r"(?:^|/)(?:__init__\.pyi?|index\.[jt]sx?|index\.mjs|mod\.rs|lib\.rs|prelude\.rs)$"
            r"|(?:^|/)(?:package-info\.java|package\.scala)$"
        ),
        re.compile(r"(?!)"),
        0.15,
    ),
    (
        "script",
        re.compile(
            r"(?:^|/)(?:scripts?|tools?|hack|ci|build|bin|setup\.py|install\.sh|completions?|plugins?/available|themes?)(?:/|$)"
            r"|(?:^|/)(?:setup|build|gulpfile|rollup\.config|webpack\.config|mix)\.\w+$",
            re.I,
        ),
        re.compile(r"script|\btool|build|install|completion|plugin|theme|\bci\b|setup|脚本|构建|安装|插件", re.I),
        0.225,
    ),
    (
        "prose",
        re.compile(
            r"\.(?:md|mdx|markdown|rst|txt|adoc|asciidoc|org|html?|tex|textile)$"
            r"|(?:^|/)(?:readme|changes|changelog|license|licence|notice|authors|contributing|copying)[^/]*$",
            re.I,
        ),
        re.compile(
            r"\bdoc(?:s|ument\w*)?\b|readme|changelog|licen[sc]e|guide|tutorial|manual|markdown|\.md\b|\.rst\b|文档|说明|手册",
            re.I,
        ),
        1.0,
    ),
    (
        "settings",
        re.compile(
            r"\.(?:json5?|jsonc|ya?ml|toml|ini|cfg|conf|lock|xml|csv|tsv|properties|gradle|cmake|svg|po|pot|plist|snap|nix|cabal|gemspec|csproj|sln|props|targets|css|scss|less|m4|am|in|def|map)$"
            r"|(?:^|/)(?:Makefile|Dockerfile|CMakeLists\.txt|Gemfile|Rakefile|Jenkinsfile|Procfile)[^/]*$|(?:^|/)\.[^/]+$",
        ),
        re.compile(
            r"\byaml|\byml|\bjson\b|\btoml|\bxml\b|\.\w{2,5}\b file|makefile|dockerfile"
            r"|cmake|workflow|\bci\b|\bcss\b|lint|package\.json|依赖",
            re.I,
        ),
        1.0,
    ),
)

KINDS = tuple(row[0] for row in _KINDS)
PENALTIES = tuple(row[3] for row in _KINDS)
NO_CODE = ("prose", "settings", "test", "example")  # kinds whose use of a name says nothing of what it is for

# Names that say nothing themselves: the folder's name stands for them.
_NAMELESS = frozenset(("index", "mod", "__init__", "lib", "main", "init", "package"))


def kinds_of(path: str) -> tuple[bool, ...]:
    """Say for each of ``KINDS`` whether the file is of it."""
    return tuple(row[1].search(path) is not None for row in _KINDS)


def kinds_asked(question: str) -> tuple[bool, ...]:
    """Say for each of ``KINDS`` whether the question asks for such files."""
    return tuple(row[2].search(question) is not None for row in _KINDS)


def stem_of(path: str) -> str:
    """Return the file's name without its last suffix."""
    name = path.rpartition("/")[2]
    stem = name.rsplit(".", 1)[0]
    return stem or name


def speaking_stem(path: str) -> str:
    """Return the stem, for ``index``, ``__init__`` and the like the folder's name instead."""
    stem = stem_of(path)
    folder = path.rpartition("/")[0].rpartition("/")[2]
    return folder if stem in _NAMELESS and folder else stem


def folders_of(path: str) -> str:
    """Return the folders above the file, separated by blanks."""
    return path.rpartition("/")[0].replace("/", " ")


def own_folder(path: str) -> str:
    """Return the folder that a file stands for: its own one for ``index`` and the like, else the one of its name."""
    folder, _, name = path.rpartition("/")
    stem = stem_of(name)
    if stem in _NAMELESS:
        return folder
    return f"{folder}/{stem}" if folder else stem
