"""One index in a store on another machine: built by one, read by others, written by one at a time, no secret told."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from codectx import keeper as keeper_module
from codectx.config import load
from codectx.keeper import Keeper
from codectx.project import Project
from codectx.searching import searched
from codectx.stores import place_of, plain_address, project_key
from indexer import shared
from indexer.store import Store, StoreUnreachableError

pytestmark = pytest.mark.timeout(300)  # each command is a process that loads LanceDB

ROOT = Path(__file__).parent.parent
START = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from codectx.cli import main; sys.exit(main())"
SECRET = "wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY"
SHOP = {
    "pay_py": "def charge_card(card, amount):\n    return card.take(amount)\n",
    "ship_py": "def ship_parcel(parcel, address):\n    return parcel.send(address)\n",
    "mail_js": "function sendInvoice(customer) {\n  return customer.mail();\n}\n",
}
WRITER = f"""
import sys, time
sys.path.insert(0, {str(ROOT)!r})
from indexer.lease import leased
for _ in range(int(sys.argv[2])):
    with leased(sys.argv[1], 60.0):
        begun = time.monotonic_ns()
        time.sleep(0.05)
        print(begun, time.monotonic_ns())
"""


class Server:
    """A stand-in for an object store, in a process of its own."""

    def __init__(self) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-m", "moto.server", "-H", "127.0.0.1", "-p", str(self.port)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + 50
        while True:
            try:
                urllib.request.urlopen(f"{self.url}/moto-api/", timeout=5).close()
                break
            except OSError:
                assert self.process.poll() is None
                assert time.monotonic() < deadline
                time.sleep(0.1)
        self.client("s3").create_bucket(Bucket="team")

    def client(self, service: str) -> Any:
        import boto3

        return boto3.client(
            service,
            endpoint_url=self.url,
            region_name="us-east-1",
            aws_access_key_id="AKIAIOSFODNN7EXAMPLE",
            aws_secret_access_key=SECRET,
        )

    def objects(self) -> dict[str, str]:
        listed = self.client("s3").list_objects_v2(Bucket="team").get("Contents", [])
        return {each["Key"]: each["ETag"] for each in listed}

    def end(self) -> None:
        self.process.terminate()
        self.process.wait(20)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.end()


class Machine:
    """A clone of the project, on a machine with a cache of its own."""

    def __init__(self, top: Path, name: str, uri: str, url: str, origin: str = "https://git.example/team/shop.git"):
        self.root = Path(os.path.realpath(top)) / name / "somewhere"
        self.root.mkdir(parents=True)
        subprocess.run(["git", "init", "-q"], cwd=self.root, check=True)
        subprocess.run(["git", "config", "remote.origin.url", origin], cwd=self.root, check=True)
        self.write("pay.py", "def charge_card(card, amount):\n    return card.take(amount)\n")
        self.write("ship.py", "def ship_parcel(parcel, address):\n    return parcel.send(address)\n")
        self.write("mail.js", "function sendInvoice(customer) {\n  return customer.mail();\n}\n")
        self.env = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.root.parent),
            "XDG_CACHE_HOME": str(self.root.parent / "cache"),
            "CODECTX_STORE_URI": uri,
            "CODECTX_EMBEDDER": "none",
            "AWS_ENDPOINT_URL": url,
            "AWS_ALLOW_HTTP": "true",
            "AWS_ACCESS_KEY_ID": "AKIAIOSFODNN7EXAMPLE",
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "AWS_REGION": "us-east-1",
        }

    def write(self, path: str, text: str) -> None:
        (self.root / path).write_text(text, encoding="utf-8")

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-P", "-c", START, *arguments],
            cwd=self.root,
            env=self.env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def run(self, *arguments: str, code: int = 0) -> str:
        """Run a command, and give all that it says."""
        process = self.start(*arguments)
        out, err = process.communicate(timeout=50)
        assert SECRET not in out + err
        assert process.returncode == code, out + err
        return out + err

    def search(self, query: str, code: int = 0) -> str:
        return self.run("semantic-search", query, code=code)

    def look_again(self) -> None:
        """Let the time pass in which a shared store is not looked at again."""
        for path in self.root.parent.rglob("looked"):
            os.utime(path, (0, 0))


@pytest.fixture
def uri(tmp_path: Path) -> str:
    return f"s3://team/{tmp_path.name}"


def rows_of(machine: Machine) -> dict[str, str]:
    """Give what the store holds, as another machine would see it."""
    script = (
        f"import sys, json; sys.path.insert(0, {str(ROOT)!r})\n"
        "from pathlib import Path\nfrom codectx.stores import place_of\n"
        f"store = place_of(Path({str(machine.root)!r}), {machine.env['CODECTX_STORE_URI']!r}).store\n"
        "table = store.read(['path', 'digest'])\n"
        "print(json.dumps([table['path'].to_pylist(), table['digest'].to_pylist()]))"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", script], env=machine.env, capture_output=True, check=True, timeout=50
    )
    paths, digests = json.loads(done.stdout)
    assert len(set(paths)) == len(paths)
    return dict(zip(paths, digests, strict=True))


def digests_of(machine: Machine) -> dict[str, str]:
    from hashlib import blake2b

    return {
        path.name: blake2b(path.read_bytes(), digest_size=16).hexdigest()
        for path in machine.root.iterdir()
        if path.is_file()
    }


# --- built by one, read by others


def test_one_process_indexes_and_another_searches_without_an_index_of_its_own(
    server: Server, uri: str, tmp_path: Path
) -> None:
    ci = Machine(tmp_path, "ci", uri, server.url)
    assert "3 files" in ci.run("index")
    dev = Machine(tmp_path, "dev", uri, server.url, "git@git.example:team/shop.git")
    before = server.objects()
    assert "pay.py:1-2" in dev.search("charge a card")
    # Changes here are found here, and nowhere else.
    dev.write("refund.py", "def refund_order(order):\n    return order.undo()\n")
    dev.write("pay.py", "\n\n\ndef charge_card(card, amount):\n    return card.take(amount)\n")
    (dev.root / "ship.py").unlink()
    assert "refund.py:1-2" in dev.search("refund an order")
    assert "pay.py:4-5" in dev.search("charge a card")
    assert "ship.py" not in dev.search("ship a parcel to an address", 1)
    assert f"shared: {uri}/shop-" in dev.run("status")
    assert server.objects() == before
    assert "refund.py" not in ci.search("refund an order", 1)
    # What the first one writes later is taken over.
    ci.write("tax.py", "def compute_tax(order):\n    return order.total * 0.2\n")
    ci.run("index")
    dev.look_again()
    dev.write("tax.py", "def compute_tax(order):\n    return order.total * 0.2\n")
    assert "tax.py:1-2" in dev.search("compute the tax of an order")


def test_credentials_that_may_only_read_are_enough(uri: str, tmp_path: Path) -> None:
    server = Server()
    try:
        may = {"reader": ["s3:Get*", "s3:List*"], "ci": ["s3:*"]}
        keys = {}
        for name, actions in may.items():
            server.client("iam").create_user(UserName=name)
            policy = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": actions, "Resource": "*"}]}
            server.client("iam").put_user_policy(UserName=name, PolicyName="p", PolicyDocument=json.dumps(policy))
            keys[name] = server.client("iam").create_access_key(UserName=name)["AccessKey"]
        strict = urllib.request.Request(f"{server.url}/moto-api/reset-auth", b"0", {"Content-Type": "text/plain"})
        urllib.request.urlopen(strict, timeout=10).close()

        def as_user(name: str, user: str) -> Machine:
            machine = Machine(tmp_path, name, uri, server.url)
            machine.env["AWS_ACCESS_KEY_ID"] = keys[user]["AccessKeyId"]
            machine.env["AWS_SECRET_ACCESS_KEY"] = keys[user]["SecretAccessKey"]
            return machine

        assert '"published": true' in as_user("ci", "ci").run("index", "--json")
        dev = as_user("dev", "reader")
        assert "pay.py:1-2" in dev.search("charge a card")
        told = dev.run("index")
        assert "3 files" in told
        assert "may not be written" in told
        dev.env["CODECTX_EMBEDDER"] = "auto"
        assert "vectors: none made; searches use those of the shared index\n" in dev.run("index")
        ci = as_user("ci2", "ci")
        ci.env["CODECTX_EMBEDDER"] = "auto"
        assert "vectors: none made; in a shared store only `codectx index --embedder " in ci.run("index")
        told = dev.run("index", "--json")
        assert '"published": false' in told
        assert "may not be written" in told
        assert "may not be written" in dev.run("index", "--quiet")
        # With credentials that are none, questions are answered from the files, and one line says why.
        wrong = Machine(tmp_path, "wrong", uri, server.url)
        told = wrong.search("charge a card")
        assert "pay.py:1-2" in told
        assert "refuses access; check the credentials" in told
        told = wrong.run("index", code=2)
        assert told.startswith("error[backend_down]: ")
        assert told.count("\n") == 1
    finally:
        server.end()


@pytest.mark.parametrize("what", ["bucket", "endpoint", "http"])
def test_a_store_that_cannot_be_had_is_one_clear_line_and_a_lexical_answer(
    server: Server, uri: str, tmp_path: Path, what: str
) -> None:
    machine = Machine(tmp_path, "m", uri, server.url)
    said = {"bucket": "the bucket does not exist", "endpoint": "does not answer", "http": "AWS_ALLOW_HTTP=true"}[what]
    if what == "bucket":
        machine.env["CODECTX_STORE_URI"] = "s3://nobodys/x"
    elif what == "endpoint":
        machine.env["AWS_ENDPOINT_URL"] = "http://127.0.0.1:9"
    else:
        del machine.env["AWS_ALLOW_HTTP"]
    told = machine.run("index", code=2)
    assert told.startswith("error[backend_down]: the store s3://")
    assert said in told
    assert told.count("\n") == 1
    told = machine.search("charge a card")
    assert "pay.py:1-2" in told
    assert said in told


def test_what_was_taken_over_serves_while_the_store_is_away(server: Server, uri: str, tmp_path: Path) -> None:
    ci, dev = Machine(tmp_path, "ci", uri, server.url), Machine(tmp_path, "dev", uri, server.url)
    ci.run("index")
    dev.search("charge a card")
    dev.env["AWS_ENDPOINT_URL"] = "http://127.0.0.1:9"
    assert "not looked at" not in dev.run("status")
    dev.look_again()
    told = dev.search("ship a parcel")
    assert "ship.py:1-2" in told
    assert "does not answer" in told
    dev.look_again()  # which is told until a look succeeds
    assert "shared index not looked at: the store s3://" in (told := dev.run("status")) and "does not answer" in told


def test_a_store_without_an_index_of_the_project_says_who_makes_it(server: Server, uri: str, tmp_path: Path) -> None:
    dev = Machine(tmp_path, "dev", uri, server.url)
    told = dev.search("charge a card")
    assert "pay.py:1-2" in told
    assert "has no index of this project yet; the job that builds it for all has to run first" in told
    assert "`codectx index`" not in told  # which would publish what is here


# --- as one process sees it


Here = Callable[..., Project]


@pytest.fixture
def here(server: Server, uri: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Here:
    """Give a function that opens a clone of one project in this process."""
    machine = Machine(tmp_path, "environment", uri, server.url)
    for name, value in machine.env.items():
        if name.startswith("AWS_"):
            monkeypatch.setenv(name, value)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def opened(name: str, embedder: Mapping[str, str] = {"CODECTX_EMBEDDER": "none"}, **files: str | bytes) -> Project:
        root = tmp_path / name
        root.mkdir(exist_ok=True)
        for file, content in {**SHOP, **files}.items():
            data = content if isinstance(content, bytes) else content.encode("utf-8")
            (root / file.replace("_", ".")).write_bytes(data)
        environment = {"CODECTX_STORE_URI": uri, "CODECTX_STORE_PROJECT": "shop", **embedder}
        return Project(root, load(root, {}, environment))

    return opened


def published(project: Project) -> Project:
    """Write a project's index as CI does."""
    project.index.place.store.publishes = True
    project.index.sync(project.index.walk())
    return project


def look_is_due(project: Project) -> None:
    """Let the time pass in which a shared store is not looked at again."""
    os.utime(project.index.place.folder / "looked", (0, 0))


def waits_for(what: Callable[[], Any]) -> Any:
    end = time.monotonic() + 60
    while not (found := what()):
        assert time.monotonic() < end
        time.sleep(0.05)
    return found


def started(project: Project, monkeypatch: pytest.MonkeyPatch) -> Keeper:
    monkeypatch.setattr(keeper_module, "IDLE_SECONDS", 0.02)
    kept = Keeper(lambda: project)
    project.index.keeper = kept
    kept.start()
    return kept


def notices(project: Project) -> str:
    return "\n".join(searched(project, "charge a card", 5, ".").notices)


def test_a_server_tells_that_the_store_is_away_and_no_more_when_it_is_back(
    here: Here, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    published(here("ci"))
    dev = here("dev")
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    kept = started(dev, monkeypatch)
    waits_for(lambda: "does not answer" in notices(dev))  # without any copy
    assert "being built" not in notices(dev)
    monkeypatch.setenv("AWS_ENDPOINT_URL", server.url)
    waits_for(lambda: look_is_due(dev) or notices(dev) == "")  # as each question wakes the server
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    look_is_due(dev)
    kept.wake()
    waits_for(lambda: "shared index not looked at: " in notices(dev))  # with the copy


def embedding_by(ollama: Any) -> dict[str, str]:
    """Give the environment in which a stand-in for Ollama embeds."""
    return {"CODECTX_EMBEDDER": "ollama", "CODECTX_OLLAMA_URL": ollama.url, "CODECTX_EMBEDDER_MODEL": "fake-a"}


def test_vectors_that_come_after_the_index_reach_a_server_that_has_it(
    here: Here, ollama: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedder = embedding_by(ollama)
    ci, dev = published(here("ci", embedder)), here("dev", embedder, new_py="def only_here():\n    return 1\n")
    kept = started(dev, monkeypatch)
    waits_for(lambda: kept._looked and not kept.doing)
    assert dev.index.embedding.vectors is None
    filled = dev.index.embedding.fill(3)
    assert (filled.files_embedded, filled.files_not_embedded) == (0, 3)
    ci.index.embedding.fill(3)
    look_is_due(dev)
    kept.wake()
    waits_for(lambda: dev.index.embedding.vectors is not None and kept._embedded > 0)
    filled = dev.index.embedding.fill(3)
    assert (filled.files_embedded, filled.files_not_embedded) == (3, 0)
    ci.index.close()
    dev.index.close()


def test_a_question_of_the_command_line_notes_how_many_vectors_the_shared_index_has(
    here: Here, ollama: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedder = embedding_by(ollama)
    ci, dev = published(here("ci", embedder)), here("dev", embedder)
    dev.index.sync(dev.index.walk())
    embedding, store = dev.index.embedding, dev.index.place.store
    assert embedding.told == "in the shared index, read by each question"
    asked, read = [], store.vectors
    monkeypatch.setattr(store, "vectors", lambda model: asked.append(model) or read(model))

    def question() -> int:
        """Ask as a new process does, and say how often the store was asked for vectors."""
        asked.clear()
        embedding._is_loaded = False
        embedding.loaded()
        return len(asked)

    assert (question(), question()) == (1, 0)
    assert embedding.told == "0 chunks of the shared index by ollama"
    ci.index.embedding.fill(3)
    shared.note_look(dev.index.place)
    newer = (dev.index.place.folder / "vectors.json").stat().st_mtime_ns + 10**9
    os.utime(dev.index.place.folder / shared.LOOKED, ns=(newer, newer))
    assert (question(), question()) == (1, 1)
    assert embedding.told == "3 chunks of the shared index by ollama"
    ci.index.close()
    dev.index.close()


def test_what_has_no_place_in_an_index_is_no_change_and_secrets_are_counted(here: Here, ask: Any) -> None:
    more = {"logo_png": b"\x89PNG\0\0\0", "yarn_lock": "a@1:\n", "login_py": 'password = "hT9!xq2Lw8zR"\n'}
    published(here("ci", **more))
    dev = here("dev", **more)
    dev.index.sync(dev.index.walk())
    told = ask(dev, "status").text
    assert "index: 4 files" in told
    assert "up to date" in told
    assert " yarn.lock: lock file" in told
    assert " logo.png: " in told
    assert "1 masked in the index (password 1)" in told
    # What is new here is so at the next look, too, though nobody has written the store.
    (dev.root / "Cargo.lock").write_text("x\n", encoding="utf-8")
    (dev.root / "pay.py").write_text("def changed():\n    return 1\n", encoding="utf-8")
    look_is_due(dev)
    dev.index.sync(dev.index.walk())
    told = ask(dev, "status").text
    assert "1 file changed since" in told
    assert " Cargo.lock: lock file" in told
    (dev.root / "pay.py").write_text(SHOP["pay_py"], encoding="utf-8")
    look_is_due(dev)
    dev.index.sync(dev.index.walk())
    assert "index: 4 files, 4 chunks, up to date" in ask(dev, "status").text
    assert "1 masked in the index (password 1)" in told


def test_whoever_reads_first_and_writes_then_leaves_no_rows_of_files_that_he_has_not(here: Here) -> None:
    published(here("ci", old_py="def only_there():\n    return 1\n"))
    dev = here("dev")
    dev.index.state()
    assert dev.index.live.state is not None
    published(here("dev"))
    rows = dev.index.place.store.read(["path"])
    assert rows is not None
    assert sorted(rows["path"].to_pylist()) == ["mail.js", "pay.py", "ship.py"]


def test_a_store_that_was_waited_for_in_vain_is_not_waited_for_again_at_once(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries = []

    def fails(store: Store, *_: str) -> Any:
        tries.append(1)
        raise StoreUnreachableError(store.location, "does not answer")

    published(here("ci"))
    first = here("dev")
    first.index.state()
    for name in ("version", "vectors", "read", "read_versioned"):
        monkeypatch.setattr(Store, name, fails)
    monkeypatch.setattr(shared, "SLOW_SECONDS", 0.0)
    look_is_due(first)
    for _ in range(3):  # processes
        dev = here("dev")
        assert "does not answer" in notices(dev)
        dev.index.embedding.load()
    assert len(tries) == 1
    with pytest.raises(StoreUnreachableError):  # but whoever asks for the index to be looked at has it looked at
        shared.taken_over(dev.index.place, dev.index.walk(), dev.index.read, at_once=True)
    assert len(tries) == 2
    monkeypatch.undo()


# --- which project


def test_clones_of_one_repository_have_one_name_and_others_another(tmp_path: Path) -> None:
    addresses = [
        "https://github.com/Team/shop.git",
        "https://x-access-token:ghs_abc@github.com/Team/shop",
        "git@github.com:Team/shop.git",
        "ssh://git@github.com:22/Team/shop.git/",
    ]
    assert {plain_address(address) for address in addresses} == {"github.com/Team/shop"}
    assert plain_address("https://gitlab.com/Team/shop") != plain_address(addresses[0])
    assert plain_address("/srv/git/shop.git") == "srv/git/shop"
    keys = set()
    for number, address in enumerate(addresses):
        machine = Machine(tmp_path, f"m{number}", "", "", address)
        keys.add(project_key(machine.root))
        (machine.root / "sub").mkdir()
        assert project_key(machine.root / "sub").startswith("sub-")
    assert len(keys) == 1
    other = Machine(tmp_path, "other", "", "", "https://github.com/Team/shop2")
    assert project_key(other.root) not in keys
    bare = tmp_path / "bare"
    bare.mkdir()
    assert project_key(bare) != project_key(tmp_path)
    assert project_key(bare, "named") == project_key(tmp_path, "named")
    assert "/" not in project_key(bare, "../../evil")
    assert place_of(bare, "s3://team/x/", "p").store.location.startswith("s3://team/x/p-")


def test_two_projects_in_one_store_leave_each_other_alone(server: Server, uri: str, tmp_path: Path) -> None:
    shop = Machine(tmp_path, "shop", uri, server.url)
    bank = Machine(tmp_path, "bank", uri, server.url, "https://git.example/team/bank.git")
    bank.write("loan.py", "def grant_loan(person):\n    return person.rate\n")
    shop.run("index")
    bank.run("index")
    assert rows_of(shop) == digests_of(shop)
    assert rows_of(bank) == digests_of(bank)


# --- one writer at a time


def test_writers_on_two_machines_take_turns(server: Server, uri: str, tmp_path: Path) -> None:
    machine = Machine(tmp_path, "m", uri, server.url)
    writers = [
        subprocess.Popen(
            [sys.executable, "-P", "-c", WRITER, f"{uri}/lease", "6"],
            env=machine.env,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    spans = []
    for writer in writers:
        out, _ = writer.communicate(timeout=55)
        assert writer.returncode == 0
        spans += [tuple(map(int, line.split())) for line in out.strip().split("\n")]
    spans.sort()
    assert len(spans) == 12
    assert all(end <= begun for (_, end), (begun, _) in pairwise(spans))


def test_of_two_runs_at_once_one_wins_and_the_index_is_of_one_tree(server: Server, uri: str, tmp_path: Path) -> None:
    one, two = Machine(tmp_path, "one", uri, server.url), Machine(tmp_path, "two", uri, server.url)
    for round_ in range(2):
        for number in range(6):
            one.write(f"m{number}.py", f"def first_{number}():\n    return {round_}\n")
            two.write(f"m{number}.py", f"def second_{number}():\n    return {round_}\n")
        runs = [machine.start("index") for machine in (one, two)]
        codes = []
        for run in runs:
            out, err = run.communicate(timeout=50)
            codes.append(run.returncode)
            assert run.returncode in (0, 75), out + err
            if run.returncode == 75:
                assert (
                    err == "error[store_locked]: another run is writing the shared index; try again when it is done\n"
                )
        assert 0 in codes
        assert rows_of(one) in (digests_of(one), digests_of(two))
    # Whoever runs last makes it his own, whatever he remembers of it.
    for machine in (one, two, one):
        machine.run("index")
        assert rows_of(machine) == digests_of(machine)


def test_a_writer_that_died_is_succeeded_and_one_that_was_succeeded_is_told(
    server: Server, uri: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from indexer import lease
    from indexer.lock import StoreLockedError

    for name, value in Machine(tmp_path, "m", uri, server.url).env.items():
        if name.startswith("AWS_"):
            monkeypatch.setenv(name, value)
    first, second = lease.Lease(uri), lease.Lease(uri)
    assert first.take()
    assert not second.take()
    first.renew()
    with pytest.raises(StoreLockedError, match="shared index"), lease.leased(uri):
        pass
    monkeypatch.setattr(lease.time, "time", lambda real=time.time: real() + lease.SECONDS + 1)
    assert second.take()
    with pytest.raises(StoreLockedError):
        first.renew()
    first.leave()  # which is no longer his to give back
    second.renew()
    second.leave()
    assert first.take()


# --- no secret is told


def test_a_location_with_a_login_is_shown_without_it(server: Server, tmp_path: Path) -> None:
    location = f"s3://AKIAIOSFODNN7EXAMPLE:{SECRET}@nobodys/x?sig={SECRET}"
    machine = Machine(tmp_path, "m", location, server.url)
    assert 's3://***@nobodys/x?***"' in machine.run("config")
    machine.run("config", "--json")
    machine.run("index", code=2)
    machine.search("charge a card")
    machine.run("status")
    machine.run("status", "--json")
    machine.run("clean", str(machine.root))
    for kept in machine.root.parent.rglob("*.json"):
        assert SECRET not in kept.read_text(encoding="utf-8")
    machine.env["CODECTX_STORE_URI"] = f"ftp://user:{SECRET}@host/x"
    assert "store.uri" in machine.run("index", code=2)


@pytest.mark.parametrize(
    "text",
    [
        f"s3://user:{SECRET}@b/x",
        f"s3://user:p@{SECRET}@b/x",
        f"s3://user:ab/{SECRET}@b/x",
        f"'s3://u:a/{SECRET}@b/x' and s3://u:{SECRET}/@b/x?sig={SECRET}",
        f"az://c/x?sv=1&sig={SECRET}",
        f"failed: aws_secret_access_key={SECRET} at s3://b",
        f'{{"account_key": "{SECRET}"}}',
        f"GET https://h/b?X-Amz-Signature={SECRET}: 403",
    ],
)
def test_errors_of_a_store_are_told_without_what_opens_it(text: str) -> None:
    from indexer.store import StoreCorruptError
    from indexer.tables import told

    with pytest.raises(StoreCorruptError) as raised, told("s3://b/x"):
        raise RuntimeError(text)
    assert SECRET not in str(raised.value)
    assert raised.value.__cause__ is None


def test_a_shared_index_is_deleted_only_by_its_name(server: Server, uri: str, tmp_path: Path) -> None:
    machine = Machine(tmp_path, "m", uri, server.url)
    machine.run("index")
    root = str(machine.root)
    here = [key for key in server.objects() if key.startswith(f"{tmp_path.name}/")]
    assert here
    shutil.rmtree(machine.root.parent / "cache" / "codectx" / "vectors", ignore_errors=True)
    assert "stays" in machine.run("clean", root, "--yes")
    assert set(here) <= set(server.objects())
    machine.run("clean", root, "--yes", "--store", "s3://team/another", code=2)
    machine.run("clean", root, "--yes", "--store", uri)
    left = [key for key in server.objects() if key.startswith(f"{tmp_path.name}/")]
    assert [key for key in left if "/writer_1.lance/" not in key] == []  # the lock, without which nobody may write
