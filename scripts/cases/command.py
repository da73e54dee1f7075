"""Run the product's commands: ``run`` to its end, ``start`` in the background, ``run_until`` a signal."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

LONGEST_SECONDS = 120  # of a command that nothing else limits


@dataclass
class Done:
    """Hold how a command ended."""

    stdout: bytes
    stderr: str
    exit_code: int
    seconds: float
    timed_out: bool = False


class Running:
    """Hold a command that was started and left running; its output is collected meanwhile."""

    def __init__(self, words: Sequence[str], cwd: Path, env: Mapping[str, str]) -> None:
        self.words = list(words)
        self.began = time.monotonic()
        self.process = subprocess.Popen(
            self.words,
            cwd=cwd,
            env=dict(env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        self._output: tuple[bytes, bytes] = (b"", b"")
        self._ended = 0.0
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def wait(self, seconds: float) -> Done:
        """Wait for the end; a command that takes longer is killed, and told."""
        self._reader.join(seconds)
        timed_out = self._reader.is_alive()
        if timed_out:
            self.end(signal.SIGKILL)
        return Done(
            self._output[0],
            self._output[1].decode("utf-8", "replace"),
            self.process.returncode if self.process.returncode is not None else -signal.SIGKILL,
            self._ended - self.began,
            timed_out,
        )

    def is_over(self) -> bool:
        """Tell whether the command has ended by itself."""
        return self.process.poll() is not None

    def end(self, number: int = signal.SIGTERM) -> None:
        """End the command and what it has started; kill what does not listen."""
        for sent in dict.fromkeys((number, signal.SIGKILL)):
            try:
                os.killpg(self.process.pid, sent)
            except ProcessLookupError:
                break
            self._reader.join(5)
            if not self._reader.is_alive():
                break
        self._reader.join(5)

    def _read(self) -> None:
        self._output = self.process.communicate()
        self._ended = time.monotonic()


def run(words: Sequence[str], cwd: Path, env: Mapping[str, str], seconds: float = LONGEST_SECONDS) -> Done:
    """Run a command to its end."""
    return Running(words, cwd, env).wait(seconds)


def run_until(
    words: Sequence[str], cwd: Path, env: Mapping[str, str], number: int, reached: Callable[[Callable[[], bool]], bool]
) -> tuple[Done, bool]:
    """Run a command and send it a signal as soon as ``reached`` says so.

    Args:
        words: the command.
        cwd: where.
        env: its environment.
        number: the signal.
        reached: waits; takes a function that tells whether the command is over, and gives False in that case.

    Returns:
        How it ended, and whether it was sent the signal.
    """
    running = Running(words, cwd, env)
    sent = reached(running.is_over) and not running.is_over()
    if sent:
        running.process.send_signal(number)
    return running.wait(LONGEST_SECONDS), sent
