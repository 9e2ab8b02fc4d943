"""One call of a model under guard: the same few steps for every framework."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable
from functools import partial
from typing import TypeVar

from .client import Decision, Edits, Json, Respond, Unloop, UnloopError

Answer = TypeVar("Answer")
Given = TypeVar("Given")
Part = TypeVar("Part")

_log = logging.getLogger("unloop")
_UNGUARDED = "A call of the model goes on without the guard: %s"


class Turn:
    """One call of a model: the guard is asked about the request, and then about each answer.

    `question` makes what the guard is asked: `request`, and what else it is told (`wire`, `session`, `headers`).
    Whatever goes wrong on the way to a decision, the call goes on as if there were no guard, with a warning in the log.
    """

    def __init__(self, guard: Unloop, question: Callable[[], Json]) -> None:
        self.request: Json = {}
        self._guard = guard
        self._question = question
        self._reasked: list[str] = []
        self._decision: Decision | None = None
        self._told: Decision | None = None

    def edited(self, given: Given, by: Callable[[Given, Json, Edits], Given]) -> Given:
        """What the model is asked with: `given`, in which `by` carries out what the guard changes in the request."""
        if self._decision is None or not self._decision.edits:
            return given
        try:
            return by(given, self.request, self._decision.edits)
        except Exception as error:
            _log.warning(_UNGUARDED, _cause(error))
            return given

    @property
    def respond(self) -> Respond | None:
        """The guard's own answer, in place of the model's."""
        return None if self._decision is None else self._decision.respond

    def facts(self) -> Json:
        """What was done about the call."""
        return {"verdict": "unguarded", "steps": 0} if self._told is None else self._told.facts()

    def begin(self) -> None:
        """Asks about the request."""
        self._begun(self._asked(self._first))

    async def abegin(self) -> None:
        """`begin`, awaited."""
        self._begun(await self._aasked(self._first))

    def accepts(self, answer: Callable[[], Json]) -> bool:
        """Whether an answer may go on. If not: `respond` has another one, or the model is to be asked again."""
        return self._decision is None or self._goes_on(self._asked(lambda: self._about(answer())))

    async def aaccepts(self, answer: Callable[[], Json]) -> bool:
        """`accepts`, awaited."""
        return self._decision is None or self._goes_on(await self._aasked(lambda: self._about(answer())))

    def _first(self) -> Json:
        question = self._question()
        self.request = question["request"]
        return question

    def _about(self, answer: Json) -> Json:
        return {**self._question(), "request": self.request, "answer": answer, "reasked": self._reasked}

    def _asked(self, question: Callable[[], Json]) -> Decision | None:
        try:
            return self._guard.decide(**question())
        except Exception as error:
            _log.warning(_UNGUARDED, _cause(error))
            return None

    async def _aasked(self, question: Callable[[], Json]) -> Decision | None:
        try:
            return await self._guard.adecide(**question())
        except Exception as error:
            _log.warning(_UNGUARDED, _cause(error))
            return None

    def _begun(self, decision: Decision | None) -> None:
        self._decision = self._told = _logged(decision)

    def _goes_on(self, decision: Decision | None) -> bool:
        if decision is None or decision.verdict == "ok":
            return True
        self._told = _logged(decision)
        if decision.rung is None or decision.mode != "enforce" or decision.rung in self._reasked:
            return True
        self._decision = decision
        self._reasked.append(decision.rung)
        return False


def run(
    turn: Turn,
    call: Callable[[], Answer],
    *,
    view: Callable[[Answer], Json],
    own: Callable[[Respond], Answer],
) -> Answer:
    """The answer to a turn that has begun: one of the model's, or the guard's.

    `call` asks the model, with what `turn.edited` gives, `view` shows its answer in the request's wire format, and
    `own` makes one of the guard's.
    """
    while turn.respond is None:
        answer = call()
        if turn.accepts(partial(view, answer)):
            return answer
    return own(turn.respond)


async def arun(
    turn: Turn,
    call: Callable[[], Awaitable[Answer]],
    *,
    view: Callable[[Answer], Json],
    own: Callable[[Respond], Answer],
) -> Answer:
    """`run`, awaited."""
    while turn.respond is None:
        answer = await call()
        if await turn.aaccepts(partial(view, answer)):
            return answer
    return own(turn.respond)


async def astream(
    turn: Turn,
    call: Callable[[], AsyncIterable[Part]],
    *,
    holds: Callable[[Part], bool],
    view: Callable[[list[Part]], Json],
    own: Callable[[Respond], AsyncIterable[Part]],
) -> AsyncIterator[Part]:
    """The same for answers in parts. They go on as they come, up to the first that `holds` is true of.

    That one and all behind it wait for the decision. What went on before, of an answer that may not, cannot be taken
    back: the parts of the next answer follow it.
    """
    while turn.respond is None:
        parts: list[Part] = []
        held: list[Part] = []
        async for part in call():
            parts.append(part)
            if held or holds(part):
                held.append(part)
            else:
                yield part
        if await turn.aaccepts(partial(view, parts)):
            for part in held:
                yield part
            return
    async for part in own(turn.respond):
        yield part


def _cause(error: Exception) -> str:
    """The texts of errors that are not our own may quote messages."""
    return str(error) if isinstance(error, UnloopError) else type(error).__name__


def _logged(decision: Decision | None) -> Decision | None:
    if decision is not None and decision.verdict not in ("ok", "unguarded"):
        _log.info("%s (%s): %s", decision.verdict, decision.detector, decision.note)
    return decision
