"""What scripts of several databases create; what is in quotes, bodies and comments creates nothing."""

import pytest

from indexer.summary import summarize_text


def found(text):
    return [
        (symbol.kind.value, symbol.name, symbol.start, symbol.end) for symbol in summarize_text("a.sql", text).symbols
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("create table a (x int);", [("table", "a", 1, 1)]),
        ("CREATE TABLE IF NOT EXISTS s.a (x int)", [("table", "s.a", 1, 1)]),
        ("CREATE UNLOGGED TABLE a AS SELECT 1;", [("table", "a", 1, 1)]),
        ("CREATE TABLE `odd name` (x int) ENGINE=InnoDB;", [("table", "odd name", 1, 1)]),
        ("CREATE OR REPLACE VIEW v AS SELECT 1;", [("view", "v", 1, 1)]),
        ("CREATE MATERIALIZED VIEW v AS SELECT 1;", [("view", "v", 1, 1)]),
        ("CREATE TYPE t AS ENUM ('a;b');", [("type", "t", 1, 1)]),
        ("CREATE FUNCTION f() RETURNS int AS $$\nSELECT 1;\n$$ LANGUAGE sql;", [("function", "f", 1, 3)]),
        ("CREATE FUNCTION f() RETURNS int AS '\nselect 1;' LANGUAGE sql;", [("function", "f", 1, 2)]),
        ("CREATE PROCEDURE p() BEGIN\nIF 1 THEN SELECT 1; END IF;\nEND;", [("procedure", "p", 1, 3)]),
        ("CREATE PROCEDURE p() BEGIN\nSELECT CASE WHEN 1 THEN 2 END; END;", [("procedure", "p", 1, 2)]),
        ("CREATE TRIGGER t AFTER INSERT ON x BEGIN\nUPDATE x SET a = 1;\nEND;", [("trigger", "t", 1, 3)]),
        ("DELIMITER $$\nCREATE PROCEDURE p() SELECT 1; $$\nDELIMITER ;", [("procedure", "p", 2, 2)]),
        ("CREATE INDEX i ON a (x); CREATE SCHEMA s; DROP TABLE a;", []),
        ("-- CREATE TABLE a (x int);\n/* CREATE TABLE b (x int); */", []),
        ("INSERT INTO x VALUES ('CREATE TABLE a (x int);');", []),
        ("SELECT 1; BEGIN; CREATE TABLE a (x int); COMMIT;", [("table", "a", 1, 1)]),
        ("CREATE", []),
        ("CREATE TABLE", []),
        ("CREATE FUNCTION f(", [("function", "f", 1, 1)]),
    ],
)
def test_definitions(text, expected):
    assert found(text) == expected


def test_every_statement_is_found_after_a_body_that_no_grammar_reads():
    text = "CREATE FUNCTION f() AS $x$ !! ' $$ {{ $x$;\nCREATE TABLE a (x int)\nGO\nCREATE TABLE b (x int)\n/\n"
    assert [name for _, name, _, _ in found(text)] == ["f", "a", "b"]


def test_quote_that_is_not_closed_is_a_problem_and_hides_nothing_else():
    summary = summarize_text("a.sql", "SELECT 'a;\nCREATE TABLE b (x int);\n")
    assert [(problem.start, problem.message) for problem in summary.problems] == [(1, "syntax error")]


def test_parameters_and_calls():
    text = "CREATE FUNCTION f(a numeric(3, 1), OUT b text) AS $$ SELECT s.g(a), 'h(x)' /* i() */ WHERE a IN (1) $$;"
    [symbol] = summarize_text("a.sql", text).symbols
    assert (symbol.params, symbol.calls) == (("a numeric(3, 1)", "OUT b text"), ("s.g",))
