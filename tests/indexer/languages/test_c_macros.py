"""What is blanked out of C and C++ before the grammar reads it, and what stays."""

import time

import pytest

from indexer.languages.c_macros import without_macros
from indexer.summary import summarize_text


def left(text):
    source = text.encode("utf-8")
    readable, _ = without_macros(source)
    assert len(readable) == len(source)
    assert readable.count(b"\n") == source.count(b"\n")
    return readable.decode("utf-8").split()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("MY_NAMESPACE_BEGIN\nint f();\n", "int f();"),
        ("class A {\n  MY_OBJECT\n public:\n};\n", "class A { public: };"),
        ("int a;\nMY_API(2)\nint f();\n", "int a; int f();"),
        ("class MY_API A {};", "class A {};"),
        ("class MY_API A<int> : B {};", "class A<int> : B {};"),
        ("int A::f() const\n    MY_LOCKED(a, b(c)) {\n}\n", "int A::f() const { }"),
        ("void f() override MY_LOCKED(a) override {}\n", "void f() override override {}"),
        ("if (a) MY_CALL(b);\n", "if (a) MY_CALL(b);"),
        ("MY_INLINE STATIC int f() {}", "int f() {}"),
        ("enum { A_ONE,\n  A_TWO\n};\n", "enum { A_ONE, A_TWO };"),
        ("x = A_ONE |\n  A_TWO\n  ;\n", "x = A_ONE | A_TWO ;"),
        ("MY_TEST(a)\n{\n}\n", "MY_TEST(a) { }"),
        ("#define A_B \\\n  C_D\n", "#define A_B \\ C_D"),
        ("HANDLE f(HANDLE x);\nSSL_CTX *g(void);\n", "HANDLE f(HANDLE x); SSL_CTX *g(void);"),
        ("int f(\n#if A\n  int a) {\n#else\n  int b) {\n#endif\n}\n", "int f( int a) { }"),
        ("#if A\nint f() {}\n#else\nint f() { }\n#endif\n", "#if A int f() {} #else int f() { } #endif"),
        ("#if A\n  if (a)\n#endif\n    b();\n", "if (a) b();"),
    ],
)
def test_only_what_is_no_code_is_blanked_out(text, words):
    assert left(text) == words.split()


def test_macro_above_a_function_belongs_to_it_and_hides_no_comment():
    text = "// Opens it.\nMY_API(2)\nint open_it(int a) { return a; }\n"
    [symbol] = summarize_text("a.cpp", text).symbols
    assert (symbol.start, symbol.name_line, symbol.description) == (2, 3, "Opens it.")
    assert symbol.signature == "int open_it(int a)"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("#include <vector>\n", "cpp"),
        ("namespace a {\n}\n", "cpp"),
        ("template <class T> struct A;\n", "cpp"),
        ("class A : public B {\n", "cpp"),
        ("/* of a class */\nint f(void);\n", "c"),
        ("#include <stdio.h>\nstruct a { int b; };\n", "c"),
        ('#ifdef __cplusplus\nextern "C" {\n#endif\nint f(void);\n', "c"),
        ("", "c"),
    ],
)
def test_header_is_of_the_language_that_it_is_written_in(text, language):
    assert summarize_text("a.h", text).language == language


@pytest.mark.parametrize(
    "source",
    [
        b"A" * 300_000,
        b"INLINE" * 50_000,
        b"\nABC(" + b"(" * 100_000,
        b"#if A\n" * 5_000 + b"x\n" * 5_000 + b"#endif\n" * 5_000,
        b"#if \\\n" * 30_000,
    ],
    ids=["word", "marks", "brackets", "conditions", "continued"],
)
def test_odd_sources_take_no_time(source):
    begin = time.process_time()
    without_macros(source)
    assert time.process_time() - begin < 3
