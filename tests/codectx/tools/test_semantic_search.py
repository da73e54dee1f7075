"""The best places for a question, with the lines as they are in the files now; or an honest nothing."""

import json
import re
import shutil
from typing import Any

import pytest

from codectx.errors import EXIT_NOTHING
from codectx.project import Project
from codectx.tokens import encoding

SHOP = {
    "shop/pay.py": '''"""Payments."""


def charge_card(token, cents):
    """Charges a credit card through the payment provider."""
    return provider.post("/charge", token=token, amount=cents)


def refund(order_id):
    """Gives the money of an order back to the customer."""
    return provider.post("/refund", order=order_id)
''',
    "shop/mail.py": '''def send_receipt(address, order):
    """Sends the invoice by e-mail."""
    smtp.send(address, render(order))
''',
    "ops/logs.py": '''def rotate_logs(directory, keep=7):
    """Deletes log files older than `keep` days."""
    for file in old_files(directory, keep):
        file.unlink()
''',
    "ops/tokens.py": '''class Session:
    """A login."""

    def refresh(self):
        """Renews the access token after the login has expired."""
        return self.client.post("/token", grant="refresh")
''',
    "web/登录.py": '''def login(user, password):
    """用户登录, 校验密码"""
    return check(user, password)
''',
}


@pytest.fixture
def shop(make_project: Any, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setattr("codectx.index.SCAN_SECONDS", 0.0)
    project: Project = make_project(SHOP)
    return project


def asked(ask: Any, project: Project, query: str, **arguments: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(ask(project, "semantic_search", as_json=True, query=query, **arguments).text)
    return found


def places(found: dict[str, Any]) -> list[tuple[str, list[int]]]:
    return [(hit["path"], hit["lines"]) for hit in found["hits"]]


@pytest.mark.parametrize(
    ("query", "path", "lines"),
    [
        ("charge a credit card", "shop/pay.py", [4, 6]),
        ("give the money back", "shop/pay.py", [9, 11]),
        ("delete old log files", "ops/logs.py", [1, 4]),
        ("token refresh after login", "ops/tokens.py", [1, 6]),
        ("rotate_logs", "ops/logs.py", [1, 4]),
        ("校验密码", "web/登录.py", [1, 3]),
    ],
)
def test_questions_names_and_chinese_find_the_place(
    shop: Project, ask: Any, query: str, path: str, lines: list[int]
) -> None:
    assert places(asked(ask, shop, query))[0] == (path, lines)


def test_x50_relevance_is_between_0_and_1_and_falls(shop: Project, ask: Any) -> None:
    hits = asked(ask, shop, "post to the provider", k=10)["hits"]
    relevance = [hit["relevance"] for hit in hits]
    assert len(relevance) >= 2
    assert all(0 <= each <= 1 for each in relevance)
    assert relevance == sorted(relevance, reverse=True)


@pytest.mark.parametrize("query", ["best pizza recipe with mushrooms", "kubernetes ingress timeout", "xyzzy_plugh"])
def test_x51_what_nothing_answers_gets_nothing_and_a_better_call(shop: Project, ask: Any, query: str) -> None:
    reply = ask(shop, "semantic_search", query=query)
    assert reply.exit_code == EXIT_NOTHING
    assert "nothing here answers" in reply.text
    assert "grep(" in reply.text
    assert asked(ask, shop, query)["hits"] == []


def test_x52_lines_are_whole_and_marked_only_where_some_are_left_out(make_project: Any, ask: Any) -> None:
    body = "".join(f"    total_{n} = compute_part(value, {n})\n" for n in range(20))
    project = make_project(
        {**SHOP, "big.py": f"def settle_invoice(value):\n{body}    charge_late_fee(value)\n    return value\n"}
    )
    text = ask(project, "semantic_search", query="charge late fee in settle_invoice", k=1).text
    lines = dict(enumerate((project.root / "big.py").read_text(encoding="utf-8").split("\n"), 1))
    shown = re.findall(r"^(\d+): (.*)$", text.partition("big.py:")[2], re.MULTILINE)
    assert shown
    assert all(lines[int(number)] == line for number, line in shown)
    assert "…" in text
    small = ask(project, "semantic_search", query="delete old log files", k=1).text
    assert "…" not in small
    assert "    for file in old_files(directory, keep):" in small


def test_x53_an_edit_after_indexing_shows_the_lines_as_they_are_now(shop: Project, ask: Any) -> None:
    assert places(asked(ask, shop, "delete old log files"))[0] == ("ops/logs.py", [1, 4])
    moved = "import os\n\n\n" + SHOP["ops/logs.py"]
    (shop.root / "ops/logs.py").write_text(moved, encoding="utf-8")
    assert places(asked(ask, shop, "delete old log files"))[0] == ("ops/logs.py", [4, 7])
    assert "4: def rotate_logs(directory, keep=7):" in ask(shop, "semantic_search", query="delete old log files").text


def test_x53_a_hit_that_changes_without_a_scan_is_read_again(
    shop: Project, ask: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked(ask, shop, "delete old log files")
    monkeypatch.setattr("codectx.index.SCAN_SECONDS", 1000.0)
    (shop.root / "ops/logs.py").write_text("\n" + SHOP["ops/logs.py"], encoding="utf-8")
    assert places(asked(ask, shop, "delete old log files"))[0] == ("ops/logs.py", [2, 5])
    (shop.root / "ops/logs.py").unlink()
    assert "ops/logs.py" not in str(asked(ask, shop, "delete old log files"))


def test_x53_deleted_files_and_folders_are_no_hits(shop: Project, ask: Any) -> None:
    asked(ask, shop, "delete old log files")
    (shop.root / "ops/logs.py").unlink()
    assert "ops/logs.py" not in str(places(asked(ask, shop, "rotate_logs")))
    shutil.rmtree(shop.root / "shop")
    assert not [path for path, _ in places(asked(ask, shop, "charge a credit card")) if path.startswith("shop/")]


def test_a_path_that_became_a_folder_is_no_hit(shop: Project, ask: Any) -> None:
    asked(ask, shop, "delete old log files")
    (shop.root / "ops/logs.py").unlink()
    (shop.root / "ops/logs.py").mkdir()
    assert "ops/logs.py" not in str(places(asked(ask, shop, "delete old log files")))


def test_a_new_file_is_found_at_the_next_question(shop: Project, ask: Any) -> None:
    asked(ask, shop, "charge a credit card")
    shop.index.live._scan_seconds = 0.0
    (shop.root / "new.py").write_text('def ship_parcel(order):\n    """Sends a parcel."""\n', encoding="utf-8")
    assert places(asked(ask, shop, "ship a parcel"))[0][0] == "new.py"


def test_a_path_narrows_the_search(shop: Project, ask: Any) -> None:
    assert {path for path, _ in places(asked(ask, shop, "post", path="ops", k=10))} == {"ops/tokens.py"}
    reply = ask(shop, "semantic_search", query="charge a credit card", path="ops")
    assert not any(path.startswith("shop") for path, _ in places(asked(ask, shop, "charge card", path="ops")))
    assert "error" not in reply.text


def test_nothing_longer_than_its_limit(shop: Project, ask: Any) -> None:
    reply = ask(shop, "semantic_search", query="post order customer", k=50, max_tokens=200)
    assert len(encoding().encode_ordinary(reply.text)) <= 200
    assert "[cut: " in reply.text


@pytest.mark.parametrize("query", ["", "   ", "\n"])
def test_a_blank_question_is_refused(shop: Project, ask: Any, query: str) -> None:
    assert "error[invalid_argument]" in ask(shop, "semantic_search", query=query).text


def test_an_empty_project_answers_that_nothing_is_there(make_project: Any, ask: Any) -> None:
    reply = ask(make_project({}), "semantic_search", query="charge a credit card")
    assert "nothing here answers" in reply.text


def test_before_a_large_project_is_indexed_the_answer_says_so(make_project: Any, ask: Any) -> None:
    filler = "".join(f"value_{n} = other_{n}\n" for n in range(8000))
    project = make_project({**SHOP, **{f"data/m{n}.py": filler for n in range(5)}})
    reply = ask(project, "semantic_search", query="charge a credit card")
    assert "shop/pay.py:4-6" in reply.text
    assert "index: none yet, `codectx index` builds it" in reply.text


def test_secrets_are_neither_found_nor_shown(make_project: Any, ask: Any) -> None:
    token = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    project = make_project(
        {**SHOP, ".env": "PAYMENT_PASSWORD=hunter2\n", "cfg.py": f'def github_login():\n    return "{token}"\n'}
    )
    assert ".env" not in str(asked(ask, project, "payment password"))
    text = ask(project, "semantic_search", query="github login").text
    assert "cfg.py" in text
    assert token not in text


def test_a_masked_line_is_told(make_project: Any, ask: Any) -> None:
    token = "ghp_" + "hV7kQ2zLm9Xw4RtYbN3cJ8dF5gS1pA6eU0iO"
    project = make_project({"n.md": f"# Of zebras\n\nThe token {token} is for the zebra.\n"})
    assert "[masked: likely secrets in n.md:3]" in ask(project, "semantic_search", query="zebra").text


def test_a_file_that_is_not_in_the_index_says_why(make_project: Any, ask: Any) -> None:
    files = {
        "a.py": "def charge(card):\n    return card\n",
        "package-lock.json": '{"zorblatt": 1}\n',
        ".env": "ZORBLATT=1\n",
    }
    project = make_project(files)
    assert "; in no indexed file: zorblatt" in ask(project, "semantic_search", query="zorblatt").text
    lock = ask(project, "semantic_search", query="zorblatt", path="package-lock.json").text
    assert "; package-lock.json is not in the index: lock file" in lock
    assert (
        "; .env is not in the index: secret file" in ask(project, "semantic_search", query="zorblatt", path=".env").text
    )


def test_a_question_is_told_with_what_cannot_be_seen(make_project: Any, ask: Any) -> None:
    project = make_project({"a.py": "def charge(card):\n    return card\n"})
    assert "<U+202E>zqqx" in ask(project, "semantic_search", query="\u202ezqqx").text
