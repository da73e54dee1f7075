"""List where a witness is plainly wrong, one named rule each: ``KNOWN``.

A rule speaks of the source alone, never of what the summary says, and is used only where the two differ. It must
name a construct, so that docs/languages.md can tell it in a sentence.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Known:
    """Hold one rule.

    Attributes:
        name: short, for tables.
        languages: where it holds.
        kinds: the witness's kinds it is about; empty for all.
        why: what the witness does wrong, in a sentence.
        source: pattern found in the line that the witness names, ``NAME`` for its name; empty for any line.
        unlike: pattern that must not be found there.
        defined: pattern that the witness's name matches whole; empty for any name.
        in_text: True for what stands inside a string or comment only.
        everyone: True where not only ctags is meant.
        counted: False where the line alone shows that nothing is defined; such a one is left out before anything is
            compared, whether or not there is a symbol, and does not count into the share of known differences.
    """

    name: str
    languages: tuple[str, ...]
    kinds: tuple[str, ...]
    why: str
    source: str = ""
    unlike: str = ""
    defined: str = ""
    in_text: bool = False
    everyone: bool = False
    counted: bool = True

    def holds(self, language: str, kind: str, name: str, source: str, *, in_text: bool = False) -> bool:
        """Tell whether the rule is about this definition; ``in_text``: whether its line begins inside a string."""
        return (
            language in self.languages
            and self.in_text <= in_text
            and (not self.kinds or kind in self.kinds)
            and (not self.defined or re.fullmatch(self.defined, name) is not None)
            and (not self.source or re.search(self.source.replace("NAME", re.escape(name)), source) is not None)
            and (not self.unlike or re.search(self.unlike.replace("NAME", re.escape(name)), source) is None)
        )


def whole_name(language: str, name: str, source: str) -> str:
    """Give a name as its line has it where ctags has only its end: in Lua it cuts names at their last blank.

    Of ``T['a b'] = function`` it says ``b']``. The definition is compared all the same, by its whole name.
    """
    assigned = re.match(r"(?:local\s+)?(\S.*?)\s*=\s*function\b", source) if language == "lua" else None
    return assigned[1] if assigned and name.endswith("]") and assigned[1].endswith(name) else name


_ECMASCRIPT = ("javascript", "typescript", "tsx")

KNOWN: tuple[Known, ...] = (
    Known(
        "object as class",
        ("javascript",),
        ("class",),
        "ctags takes an object, or what a method is called on, for a class",
        unlike=r"\bclass\b|\bfunction\b|=>",
        counted=False,
    ),
    Known(
        "object literal",
        ("javascript",),
        ("class", "method"),
        "ctags takes `x = {...}` for a class, or for a method where x is a property",
        source=r"\bNAME\s*[:=]\s*\{",
        counted=False,
    ),
    Known(
        "type in a list",
        ("typescript",),
        ("alias",),
        "ctags takes `type X` in the braces of an import or export for a definition",
        source=r"^import\b|^export\s+(type\s+)?\{|^type [\w$]+( as [\w$]+)?,|^type [\w$]+ as [\w$]+$",
        counted=False,
    ),
    Known(
        "keyword as name",
        ("typescript",),
        (),
        "ctags takes a keyword for a name, as in `if (x) {` or `type instanceof X`",
        defined="extends|if|instanceof|new|satisfies|true|false",
        counted=False,
    ),
    Known(
        "operand as type",
        ("typescript",),
        ("alias",),
        "ctags takes x for a type in `type instanceof x`, where `type` is a variable",
        source=r"\btype (instanceof|satisfies|in|as) NAME\b",
        counted=False,
    ),
    Known(
        "keyword as type",
        ("typescript",),
        ("alias", "enum", "class", "interface"),
        "ctags takes a keyword for the name of a type, as in `x.enum as any`",
        defined="as|in|is|of",
        counted=False,
    ),
    Known(
        "owner of a prototype",
        ("javascript",),
        ("class",),
        "ctags takes the type whose prototype gets a method for a class defined there",
        source=r"\bNAME\.prototype\b",
    ),
    Known(
        "call of a method",
        ("javascript",),
        ("method", "class", "function"),
        "ctags takes `this.f(...)` or `A.prototype.f.call(...)` for a definition",
        source=r"\bthis\.NAME\(|\.prototype\.NAME\.(call|apply)\b",
        unlike=r"\bfunction\b|=>|\{$",
        counted=False,
    ),
    Known(
        "second name of a method",
        ("javascript",),
        ("method",),
        "ctags takes `A.prototype.f = A.prototype.g` for the definition of a method",
        source=r"\.prototype\.NAME = [\w.]+;",
    ),
    Known(
        "second name of a function",
        ("javascript",),
        ("function", "class", "method"),
        "ctags takes the inner name of `key: function name() {}`, which only the body can use; the symbol is key",
        source=r"(?<![\w$])(?!NAME\s*[:=]|exports\s*=)[\w$]+\s*[:=]\s*((async\s+)?function\b\*?|class)\s*NAME\b",
        counted=False,
    ),
    Known(
        "minified line",
        _ECMASCRIPT,
        (),
        "a line of more than 1,000 characters holds so many definitions that its number says nothing",
        source=r".{1000}",
        everyone=True,
        counted=False,
    ),
    Known(
        "object of an assignment",
        ("javascript",),
        ("function", "method"),
        "ctags takes x for the name in `x.get = function` and `x[y] = function`",
        source=r"\bNAME(\.[\w$]+|\[[^\]]*\])\s*=\s*(async\s+)?function\b",
    ),
    Known(
        "line after the name",
        ("typescript",),
        ("interface",),
        "ctags gives the line of `extends` or of a comment where it follows the line of the name",
        source=r"^extends\b|^//",
    ),
    Known(
        "property of a function type",
        ("typescript",),
        ("method",),
        "ctags takes a property whose type is a generic function for a method",
        source=r"^NAME\??:\s*<",
    ),
    Known(
        "text of a string",
        ("ruby", "elixir", "bash", "php", "lua"),
        (),
        "ctags reads the text of a string, a heredoc or a comment as code",
        in_text=True,
        counted=False,
    ),
    Known(
        "array as function",
        ("bash",),
        ("function",),
        "ctags takes the array `X=()` for a function",
        defined=".*=",
        counted=False,
    ),
    Known(
        "callback as function",
        ("lua",),
        ("function",),
        "ctags takes a name for a function when anything on its line says `function`",
        unlike=r"\bfunction\s+NAME\s*\(|NAME\s*=\s*function\b",
        counted=False,
    ),
    Known(
        "code in a string",
        ("lua",),
        ("function",),
        "ctags reads `x = function` in the text of a string as code; the quote has become a part of the name",
        defined=r"(\[=*\[|[\"'])[\w.:]+",
        counted=False,
    ),
    Known(
        "macro as function",
        ("c", "cpp"),
        ("function",),
        "ctags takes a call of a macro that begins a line for a function",
        source=r"^((static|extern|inline)\s+)*NAME\s*\(",
        defined="[A-Z][A-Z0-9_]*",
        counted=False,
    ),
    Known(
        "constraint as class",
        ("csharp",),
        ("class",),
        "ctags takes the type parameter of `where T : U` for a class",
        source=r"\bwhere NAME\s*:",
    ),
    Known(
        "call as method",
        ("csharp",),
        ("method",),
        "ctags takes a call, often of the base constructor, for a method",
        source=r"^:\s*NAME\s*\(|^NAME\s*\(.*\);$",
    ),
    Known(
        "receiver as name",
        ("ruby",),
        ("singletonMethod",),
        "ctags takes x for the name in `def x.name`",
        source=r"\bdef NAME\.",
    ),
)
