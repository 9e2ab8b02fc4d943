"""A client of a guard's API: what to do about a request to a model, and about the model's answer."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal
from weakref import WeakKeyDictionary

import httpx
import jsonpatch

Json = dict[str, Any]
Edits = Sequence[Mapping[str, Any]]
Mode = Literal["enforce", "observe"]

_PATH = "/unloop/api/decide"


class UnloopError(Exception):
    """Something that the guard refused, or that it could not be asked. The message says what is wrong, and the cure.

    `code` is one of the guard's own (`not_authorised`, `bad_request`, ...), or `guard_unreachable`, `no_guard`,
    `node_missing`, `guard_not_started`, `loop_detected`.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True)
class Respond:
    """An answer of the guard's own, in the wire format of the request."""

    status: int
    contentType: str
    body: str

    def json(self) -> Json:
        """The answer as an object. Raises `UnloopError` (`loop_detected`) if the policy ends runs with an error."""
        answer: Json = json.loads(self.body)
        if self.status >= 400:
            raise UnloopError("loop_detected", str(_error_in(answer).get("message", "The run goes in circles.")))
        return answer


@dataclass(frozen=True)
class Decision:
    """What the guard decided. Its fields are those of the answer of `decide` in docs/openapi.json."""

    verdict: str
    rung: str | None
    detector: str | None
    grade: str | None
    count: int | None
    loop: str | None
    tools: list[str]
    note: str | None
    edits: list[Json]
    respond: Respond | None
    session: str
    source: str
    steps: int
    wire: str
    policy: str
    mode: str

    def apply(self, request: Json) -> Json:
        """The request with the guard's edits (RFC 6902). The one that is given stays as it is."""
        return patched(request, self.edits)

    def facts(self) -> Json:
        """What was done, without any text: for the place where a framework keeps what else is known of an answer."""
        known = {"session": self.session, "detector": self.detector, "count": self.count}
        return {"verdict": self.verdict, "steps": self.steps} | {name: fact for name, fact in known.items() if fact}


def patched(document: Json, edits: Edits, *, in_place: bool = False) -> Json:
    """The document with a JSON Patch applied: a copy, or itself."""
    edited: Json = jsonpatch.apply_patch(document, edits, in_place=in_place)
    return edited


class Unloop:
    """A running guard. What can be asked has two forms: `decide` waits, `adecide` is awaited.

    `token` is an admin token of the guard, with the role `operate` if runs are named. `policy` (a name, or a policy as
    JSON) and `mode` override the guard's configuration. `timeout` is in seconds, for one question.
    One object may serve many agents, threads and event loops.
    """

    def __init__(
        self,
        base_url: str = "http://127.0.0.1:8787",
        *,
        token: str | None = None,
        policy: str | Json | None = None,
        mode: Mode | None = None,
        timeout: float = 2.0,
    ) -> None:
        self._terms = _present(policy=policy, mode=mode)
        headers = {"content-type": "application/json"} | ({} if token is None else {"authorization": f"Bearer {token}"})
        self._options: dict[str, Any] = {"base_url": base_url, "headers": headers, "timeout": timeout}
        self._client = httpx.Client(**self._options)
        # A connection belongs to the event loop that opened it.
        self._async: WeakKeyDictionary[asyncio.AbstractEventLoop, httpx.AsyncClient] = WeakKeyDictionary()

    def decide(self, request: Json, **question: Any) -> Decision:
        """The guard's decision on a request that you are about to send, or on its answer.

        `question` takes the other fields of the operation `decide` in docs/openapi.json: `wire`, `session`, `tenant`,
        `policy`, `mode`, `path`, `headers`, `answer` (an object, or an event stream as text), `reasked`.
        Raises `UnloopError` if the guard cannot be asked, or refuses.
        """
        try:
            return _read(self._client.post(_PATH, content=self._body(request, question)))
        except httpx.HTTPError as error:
            raise self._unreachable(error) from error

    async def adecide(self, request: Json, **question: Any) -> Decision:
        """`decide`, awaited."""
        loop = asyncio.get_running_loop()
        if loop not in self._async:
            self._async[loop] = httpx.AsyncClient(**self._options)
        try:
            return _read(await self._async[loop].post(_PATH, content=self._body(request, question)))
        except httpx.HTTPError as error:
            raise self._unreachable(error) from error

    def close(self) -> None:
        """Closes what is open. The connections of an event loop end with it."""
        self._client.close()

    def __enter__(self) -> Unloop:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _body(self, request: Json, question: Json) -> str:
        try:
            return json.dumps({**self._terms, **_present(**question), "request": request})
        except (TypeError, ValueError) as error:
            raise UnloopError("bad_request", f"The question is no JSON: {error}.") from error

    def _unreachable(self, error: httpx.HTTPError) -> UnloopError:
        return UnloopError(
            "guard_unreachable",
            f"The guard at {self._options['base_url']} could not be asked ({type(error).__name__}). "
            "Start it (unloop serve), or give the base_url of one that runs.",
        )


def _read(response: httpx.Response) -> Decision:
    try:
        body = response.json()
    except ValueError:
        body = None
    if response.status_code == 200 and isinstance(body, dict) and "verdict" in body:
        respond = body.get("respond")
        return Decision(**{**_known(Decision, body), "respond": respond and Respond(**_known(Respond, respond))})
    error = _error_in(body)
    message = error.get("message", "This is no guard that decides: check base_url.")
    raise UnloopError(str(error.get("code", "no_guard")), f"{response.url} answered {response.status_code}. {message}")


def _known(kind: type[Decision | Respond], told: Json) -> Json:
    """Of what is told, the fields that this version knows."""
    return {field.name: told.get(field.name) for field in fields(kind)}


def _error_in(body: Any) -> Json:
    error = body.get("error") if isinstance(body, dict) else None
    return error if isinstance(error, dict) else {}


def _present(**values: Any) -> Json:
    return {name: value for name, value in values.items() if value is not None}
