"""Which files are secret, and what is masked inside the others.

The secrets are made here, at random from a fixed start, so that no scanner of this repository finds one.
"""

import random
import string
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.secrets import MASK, Masked, is_secret_path, mask, mask_lines
from indexer.text import split_lines

LETTERS = string.ascii_letters + string.digits
BEGIN, END = "-----BEGIN RSA PRIVATE " + "KEY-----", "-----END RSA PRIVATE " + "KEY-----"
RANDOM = random.Random(4711)

SECRET_PATHS = """
.env config/.env.local .env.production .envrc prod.env deploy/id_rsa id_ed25519 certs/server.pem a/b.key
store.p12 store.pfx release.jks android/debug.keystore .netrc .npmrc web/.npmrc .pypirc .pgpass .git-credentials
credentials .aws/credentials home/.aws/config .ssh/config .ssh/known_hosts.old .docker/config.json .kube/config
passwords.kdbx service-account-prod.json my-firebase-adminsdk-x1.json client_secret_123.json terraform.tfvars
secrets.yaml config/secrets.json .htpasswd .vault_pass ssh_host_rsa_key ID_RSA Server.PEM .env.example.local
"""
PLAIN_PATHS = """
.env.example .env.sample config/.env.template .env.dist env.py environment.ts .env/notes.txt keys.py key.rs
pem.go id_rsa.pub credentials.py credentials/reader.go secrets.py secret_test.go tokens.json .ssh.md config.json
aws/credentials.md settings.toml .envoy.yaml monkey keyboard.json docs/known_hosts .env.d.ts turkey
"""


def chance(length: int, alphabet: str = LETTERS) -> str:
    """Make a secret: a digit and letters are in it, and no two neighbours are alike."""
    text = "".join(RANDOM.choice(alphabet) for _ in range(length - 3))
    return text[: length // 2] + "7Kq" + text[length // 2 :]


@pytest.mark.parametrize(
    "path",
    SECRET_PATHS.split(),
)
def test_secret_paths(path: str) -> None:
    assert is_secret_path(path)


@pytest.mark.parametrize(
    "path",
    PLAIN_PATHS.split(),
)
def test_plain_paths(path: str) -> None:
    assert not is_secret_path(path)


def known_forms() -> dict[str, str]:
    small, digits, hexadecimal = string.ascii_lowercase, string.digits, "0123456789abcdef"
    return {
        "aws": "AK" + "IA" + "".join(RANDOM.choice(string.ascii_uppercase + "234567") for _ in range(16)),
        "github": "gh" + "p_" + chance(36),
        "github fine": "github" + "_pat_" + chance(22) + "_" + chance(59),
        "gitlab": "gl" + "pat-" + chance(20),
        "slack": "xo" + "xb-" + chance(12, digits)[:12] + "-" + chance(24),
        "stripe": "sk" + "_live_" + chance(24),
        "openai": "sk" + "-" + chance(48),
        "openai project": "sk" + "-proj-" + chance(60, LETTERS + "_-"),
        "anthropic": "sk" + "-ant-api03-" + chance(93, LETTERS + "_-") + "AA",
        "google": "AI" + "za" + chance(35, LETTERS + "_-"),
        "jwt": "ey" + "JhbGciOiJIUzI1NiJ9.ey" + "J" + chance(30) + "." + chance(43),
        "package": "np" + "m_" + chance(36),
        "hub": "hf" + "_" + chance(34),
        "mail": "SG" + "." + chance(22) + "." + chance(43),
        "vault": "hv" + "s." + chance(90),
        "cloud": "do" + "p_v1_" + "".join(RANDOM.choice(hexadecimal) for _ in range(64)),
        "oauth": "GOC" + "SPX-" + chance(28, small + digits),
    }


@pytest.mark.parametrize("form", known_forms())
@pytest.mark.parametrize(
    "line",
    ['x = "{}"', "token: {}", "# use {} here", "fetch('https://a.org/?k={}')", '{{"a":"{}"}}', "{}", "é {} 注释"],
)
def test_known_forms_are_masked_anywhere(form: str, line: str) -> None:
    secret = known_forms()[form]
    masked = mask("first\n" + line.format(secret) + "\nlast\n", 10)
    assert masked.text == "first\n" + line.format(MASK) + "\nlast\n"
    assert masked.lines == (11,)
    assert masked.kinds


ASSIGNED = [
    'password = "{}"',
    "  api_key: '{}',",
    'const SECRET_KEY = "{}";',
    'setenv("AUTH_TOKEN", "{}")',
    '"clientSecret": "{}"',
    'password: str = "{}"',
    "$db_password = '{}';",
    'String dbPassword = "{}";',
    'define("DB_PASSWORD", "{}");',
    "<password>{}</password>",
    'self.token="{}"',
    'config["access-key"] = b"{}"',
    "if token == '{}':",
    "secret => `{}`",
    'SECRET = SecretStr("{}")',
    "DB_PASSWORD={}",
    "export API_TOKEN={}",
    "api_token: {}  # staging",
    "password = {}",
    "İ, then private_key = '{}'",
]


@pytest.mark.parametrize("line", ASSIGNED)
@pytest.mark.parametrize(
    "value", [chance(16), chance(32, "0123456789abcdef"), "fee5173a-3972-428e-ae73-cd4c2a371" + "222"]
)
def test_values_of_secret_names_are_masked(line: str, value: str) -> None:
    assert mask(line.format(value)).text == line.format(MASK)


@pytest.mark.parametrize(
    "line",
    [
        'password = "changeme"',
        'password = "change-me-please-123"',
        'password: "Password is required"',
        'password = "xxxxxxxxxxxx"',
        'password = "********"',
        'api_key = "your-api-key-12345"',
        'api_key = "<token>"',
        'api_key = "${API_KEY_2024}"',
        'api_key = "{{ vault_key_1 }}"',
        'api_key = "%(api_key_2)s"',
        'token = os.environ["API_TOKEN"]',
        "token = process.env.API_TOKEN_V2",
        'token = "example-token-a1b2c3"',
        'secret = "test1234secret"',
        'token_type = "urn:ietf:params:oauth2:Xy7k9"',
        'next_token = "9f4d9f69-275a-41fe-b58e-2b837bd9ba48"',
        "token = parser.next_token2(line1)",
        "private_key: ed25519.Ed25519PrivateKey",
        '"tokens", "symbol2label"',
        'TOKEN = r"[!#$%&*+.^_`|~0-9A-Za-z]{1,}"',
        "token: Token = self.tokens[index + 1]",
        "passwordField1.setText(value2string)",
        "def password_hash(password: str, rounds: int = 12) -> str:",
        "postgresql://user:password@localhost/db",
        "postgresql://postgres:postgres@db.prod.org/db",
        "https://user:${PASSWORD}@host.org/",
        "https://example.org:8080/a@b",
        "redis://localhost:6379/0",
        "AKIAIOSFODNN7EXAMPLE",
        "gh" + "p_" + "x" * 36,
        "sk-learn-based-feature-selection-component-for-web",
        "class='sk-folding-cube-loading-indicator-large'",
        f're.compile("{BEGIN}")',
        f"raise ValueError('no {BEGIN} found')\nsecond = line\n",
        "Authorization: Bearer <token>",
        "Authorization: Basic dXNlcjp1c2Vy",
        "bearer token authentication is described in the manual",
    ],
)
def test_ordinary_code_is_left_alone(line: str) -> None:
    assert mask(line) == Masked(line)


def test_passwords_in_urls() -> None:
    masked = mask('url = "postgres://app:s3cR9tPw@db.prod.org:5432/x"\nmongodb+srv://u:Wq7zzk2p@c.org/?a=b\n')
    assert masked.text == f'url = "postgres://app:{MASK}@db.prod.org:5432/x"\nmongodb+srv://u:{MASK}@c.org/?a=b\n'
    assert masked.lines == (1, 2)


def test_headers() -> None:
    secret = chance(40)
    assert mask(f"Authorization: Bearer {secret}\n").text == f"Authorization: Bearer {MASK}\n"
    assert mask("Authorization: Basic YXBwOlM0M3cwbTNwdw==\n").text == f"Authorization: Basic {MASK}\n"


def key_lines(count: int) -> list[str]:
    return [chance(64, LETTERS + "+/") for _ in range(count)] + ["q8w=="]


def test_private_keys_keep_their_lines() -> None:
    body = key_lines(5)
    text = "\n".join(["before", BEGIN, "Proc-Type: 4,ENCRYPTED", "", *body, END, "after"]) + "\n"
    masked = mask(text, 100)
    assert split_lines(masked.text) == [
        f"{line}\n" for line in ["before", BEGIN, "Proc-Type: 4,ENCRYPTED", "", *[MASK] * 6, END, "after"]
    ]
    assert masked.lines == tuple(range(104, 110))
    assert masked.kinds == ("private key",)


def test_private_keys_in_source_code() -> None:
    body = key_lines(3)
    quoted = "\n".join(['KEY = """' + BEGIN, *body, END + '"""', "after = 1"])
    assert mask(quoted).lines == (2, 3, 4, 5)
    joined = "\n".join([f'  "{BEGIN}\\n" +', *[f'  "{line}\\n" +' for line in body], f'  "{END}"'])
    assert mask(joined).lines == (2, 3, 4, 5)
    escaped = f'{{"key": "{BEGIN}\\n{body[0]}\\n{body[1]}\\n{END}\\n"}}\n'
    assert mask(escaped).text == f'{{"key": "{BEGIN}{MASK}{END}\\n"}}\n'


def test_parts_of_private_keys() -> None:
    body = key_lines(4)
    assert mask("\n".join([BEGIN, *body])).lines == (2, 3, 4, 5, 6)
    assert mask("\n".join([BEGIN, *body[:3], "", "def f():", "    pass"])).lines == (2, 3, 4)
    assert mask("\n".join(["code", *body, END, "after"])).lines == (2, 3, 4, 5, 6)
    two = "\n".join([BEGIN, *body, END, "between", BEGIN, *body, END])
    assert mask(two).lines == (2, 3, 4, 5, 6, 10, 11, 12, 13, 14)


@given(
    st.lists(st.sampled_from(["password = ", '"s3cR9tPw7"', "\n", "token", BEGIN, END, "x" * 30, "é", "://u:k7Q@h"]))
)
def test_lines_stay_where_they_are(parts: list[str]) -> None:
    text = "".join(parts)
    masked = mask(text)
    assert masked.text.count("\n") == text.count("\n")
    lines, before = masked.text.split("\n"), text.split("\n")
    assert {n for n, (new, old) in enumerate(zip(lines, before, strict=True), 1) if new != old} == set(masked.lines)
    assert all(MASK in lines[n - 1] for n in masked.lines)


@given(
    st.lists(
        st.sampled_from(
            [
                "password = ",
                "password =\n\n\n",
                '"s3cR9tPw7"',
                "\n",
                "\n" * 9,
                "x = 1\r\n",
                "token",
                BEGIN,
                END,
                "x" * 30,
                "é",
                "://u:k7Q@h",
            ]
        ),
        max_size=40,
    ),
    st.integers(1, 60),
    st.integers(0, 60),
)
def test_some_lines_are_masked_as_they_are_in_the_whole_file(parts: list[str], start: int, more: int) -> None:
    text = "".join(parts)
    whole = [line.rstrip("\r") for line in mask(text).text.split("\n")]
    assert mask_lines(text, start, start + more) == whole[start - 1 : start + more]


@pytest.mark.parametrize(
    "text",
    [
        "sk-" + "ab-" * 100_000,
        (BEGIN + "\n") * 5_000,
        BEGIN + "\n" + "/" * 200_000 + "\n" + END,
        "token = " * 30_000,
        "://a:" + "b" * 200_000,
        'password="' + "\\" * 200_000,
        ("eyJ" + "a" * 9 + ".") * 20_000,
        "password: " + "a |" * 60_000,
    ],
    ids=range(8),
)
def test_no_text_takes_long(text: str) -> None:
    start = time.process_time()
    mask(text)
    assert time.process_time() - start < 2


def test_own_source_holds_nothing_to_mask() -> None:
    sources = [*Path(__file__).parents[2].glob("indexer/*.py"), *Path(__file__).parents[2].glob("codectx/*.py")]
    assert len(sources) > 20
    assert [path.name for path in sources if mask(path.read_text(encoding="utf-8")).lines] == []
