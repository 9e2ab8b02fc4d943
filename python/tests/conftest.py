"""A real guard, and a model behind HTTP that answers by a script."""

import json
import os
import shlex
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

import unloop

CLI = Path(__file__).parents[2] / "dist/cli/cli.js"
COMMAND = shlex.split(os.environ.get("GUARD_COMMAND", f"node {CLI}"))


@pytest.fixture(scope="session")
def guard() -> Iterator[unloop.Unloop]:
    with unloop.start(COMMAND) as started:
        yield started


def says(text: str) -> dict:
    return {"role": "assistant", "content": text}


def calls(tool: str, **args: str) -> dict:
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"function": {"name": tool, "arguments": json.dumps(args)}}],
    }


@dataclass
class Model:
    """Answers chat completions by a script, and remembers what it was asked."""

    script: Callable[[dict, int], dict]
    requests: list[dict] = field(default_factory=list)
    url: str = ""

    def answer(self, request: dict) -> bytes:
        index = len(self.requests)
        self.requests.append(request)
        message = self.script(request, index)
        for call in message.get("tool_calls", ()):
            call.update(id=f"call_{os.urandom(8).hex()}", type="function")
        reason = "tool_calls" if "tool_calls" in message else "stop"
        head = {"id": f"chat_{index}", "created": 1, "model": "scripted"}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        if not request.get("stream"):
            choice = {"index": 0, "message": message, "finish_reason": reason}
            return json.dumps({**head, "object": "chat.completion", "choices": [choice], "usage": usage}).encode()
        delta = {
            **message,
            "tool_calls": [{"index": i, **one} for i, one in enumerate(message.get("tool_calls", ()))] or None,
        }
        choices = (
            [{"index": 0, "delta": delta, "finish_reason": None}],
            [{"index": 0, "delta": {}, "finish_reason": reason}],
        )
        chunks = [{**head, "object": "chat.completion.chunk", "choices": one} for one in choices]
        chunks[-1]["usage"] = usage
        return b"".join(b"data: %s\n\n" % json.dumps(one).encode() for one in chunks) + b"data: [DONE]\n\n"

    def texts(self, index: int) -> str:
        return json.dumps(self.requests[index]["messages"])


@pytest.fixture
def model() -> Iterator[Callable[[Callable[[dict, int], dict]], Model]]:
    servers = []

    def start(script: Callable[[dict, int], dict]) -> Model:
        model = Model(script)

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["content-length"])))
                answer = model.answer(request)
                self.send_response(200)
                self.send_header("content-type", "text/event-stream" if request.get("stream") else "application/json")
                self.send_header("content-length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        servers.append(server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        model.url = f"http://127.0.0.1:{server.server_port}/v1"
        return model

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def looping(_: dict, __: int) -> dict:
    return calls("search", q="Paris")


def heeding(request: dict, index: int) -> dict:
    """Until it is told."""
    return says("It rains.") if "[unloop]" in json.dumps(request) else looping(request, index)


def sending(_: dict, index: int) -> dict:
    """Sends a message, sends it again, and thinks better of it."""
    return calls("send_message", text="All is well.") if index < 2 else says("Done.")
