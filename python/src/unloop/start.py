"""A guard of the program's own, for one that runs nowhere yet."""

from __future__ import annotations

import atexit
import os
import re
import secrets
import shutil
import signal
import subprocess
import threading
from collections import deque
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

from .client import Unloop, UnloopError

_NODE = (20, 19)
_CURE = "Install Node 20.19 or later (https://nodejs.org), or give Unloop the base_url of a guard that runs elsewhere."


class StartedUnloop(Unloop):
    """A guard in a process of its own; `close`, or the end of the program, ends it."""

    def __init__(self, process: subprocess.Popen[str], base_url: str, **options: Any) -> None:
        super().__init__(base_url, **options)
        self.base_url = base_url
        self.token: str | None = options.get("token")
        self._process = process
        atexit.register(self.close)

    def close(self) -> None:
        """Ends the guard."""
        super().close()
        atexit.unregister(self.close)
        _end(self._process)


def start(command: Sequence[str] | None = None, *, seconds: float = 60.0, **options: Any) -> StartedUnloop:
    """Starts a guard on a free port of this machine, and waits until it listens.

    `command` runs the npm package `unloop`, of this version by npx if not given. `options` are those of `Unloop`.
    Sessions are kept in that process. Raises `UnloopError`: `node_missing`, or `guard_not_started` with what it said.
    """
    command = command or [_npx(), "--yes", f"unloop@{version('unloop-guard')}"]
    token = secrets.token_urlsafe(24)
    env = {**os.environ, "UNLOOP_ADMIN_TOKEN": token, "UNLOOP_LOG": "silent"}
    process = subprocess.Popen(
        [*command, "serve", "--port", "0"],
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    deadline = threading.Timer(seconds, _end, [process])
    deadline.start()
    said = ""
    try:
        for line in process.stderr or ():
            said += line
            if listens := re.search(r"at (http://\S+)/v1\s*$", line):
                # A pipe that nobody reads is full one day, and would block the guard.
                threading.Thread(target=lambda: deque(process.stderr or (), maxlen=0), daemon=True).start()
                return StartedUnloop(process, listens[1], token=token, **options)
    finally:
        deadline.cancel()
    _end(process)
    told = said.strip()[-800:] or f"It said nothing within {seconds:g} s."
    raise UnloopError("guard_not_started", f"The guard did not start. {told}")


def _npx() -> str:
    node, npx = shutil.which("node"), shutil.which("npx")
    if node is None or npx is None:
        raise UnloopError("node_missing", f"The guard runs on Node, which is not installed. {_CURE}")
    told = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout.strip()
    if tuple(map(int, re.findall(r"\d+", told)[:2])) < _NODE:
        raise UnloopError("node_missing", f"The guard runs on Node 20.19 or later; here is {told}. {_CURE}")
    return npx


def _end(process: subprocess.Popen[str]) -> None:
    if process.poll() is not None:
        return
    # npx runs the guard as a child of its own.
    if hasattr(os, "killpg"):
        os.killpg(process.pid, signal.SIGTERM)
    else:
        process.terminate()
    process.wait()
