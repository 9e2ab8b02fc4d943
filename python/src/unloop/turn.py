"""One call of a model under guard: the same few steps for every framework."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable
from typing import Any, TypeVar

from .client import Decision, Edits, Json, Respond, Unloop, UnloopError

Answer = TypeVar("Answer")
Part = TypeVar("Part")

_log = logging.getLogger("unloop")
_UNGUARDED = "A call of the model goes on without the guard: %s"


class Turn:
    """One call of a model: the guard is asked about the request, and then about each answer.

    `question` is what else the guard is told (`wire`, `session`, `headers`). A guard that cannot be asked is in
    nobody's way: the call goes on as if there were none, with a warning in the log.
    """

    def __init__(self, guard: Unloop, request: Json, **question: Any) -> None:
        self.request = request
        self._guard = guard
        self._question = question
        self._reasked: list[str] = []
        self._decision: Decision | None = None
        self._told: Decision | None = None

    @property
    def edits(self) -> Edits:
        """What to change in the request before the model is asked."""
        return () if self._decision is None else self._decision.edits

    @property
    def respond(self) -> Respond | None:
        """The guard's own answer, in place of the model's."""
        return None if self._decision is None else self._decision.respond

    def facts(self) -> Json:
        """What was done about the call."""
        return {"verdict": "unguarded", "steps": 0} if self._told is None else self._told.facts()

    def begin(self) -> None:
        """Asks about the request."""
        self._begun(self._asked(self._question))

    async def abegin(self) -> None:
        """`begin`, awaited."""
        self._begun(await self._aasked(self._question))

    def accepts(self, answer: Json) -> bool:
        """Whether an answer may go on. If not: `respond` has another one, or `edits` are for asking the model again."""
        return self._decision is None or self._goes_on(self._asked(self._about(answer)))

    async def aaccepts(self, answer: Json) -> bool:
        """`accepts`, awaited."""
        return self._decision is None or self._goes_on(await self._aasked(self._about(answer)))

    def _about(self, answer: Json) -> Json:
        return {**self._question, "answer": answer, "reasked": self._reasked}

    def _asked(self, question: Json) -> Decision | None:
        try:
            return self._guard.decide(self.request, **question)
        except UnloopError as error:
            _log.warning(_UNGUARDED, error)
            return None

    async def _aasked(self, question: Json) -> Decision | None:
        try:
            return await self._guard.adecide(self.request, **question)
        except UnloopError as error:
            _log.warning(_UNGUARDED, error)
            return None

    def _begun(self, decision: Decision | None) -> None:
        self._decision = self._told = _logged(decision)

    def _goes_on(self, decision: Decision | None) -> bool:
        if decision is None or decision.verdict == "ok":
            return True
        self._told = _logged(decision)
        if decision.rung is None or decision.mode != "enforce":
            return True
        self._decision = decision
        self._reasked.append(decision.rung)
        return False


def run(
    turn: Turn,
    call: Callable[[Edits], Answer],
    *,
    view: Callable[[Answer], Json],
    own: Callable[[Respond], Answer],
) -> Answer:
    """The answer to a turn that has begun: one of the model's, or the guard's.

    `call` asks the model by the request with these edits, `view` shows its answer in the request's wire format, and
    `own` makes one of the guard's.
    """
    while turn.respond is None:
        answer = call(turn.edits)
        if turn.accepts(view(answer)):
            return answer
    return own(turn.respond)


async def arun(
    turn: Turn,
    call: Callable[[Edits], Awaitable[Answer]],
    *,
    view: Callable[[Answer], Json],
    own: Callable[[Respond], Answer],
) -> Answer:
    """`run`, awaited."""
    while turn.respond is None:
        answer = await call(turn.edits)
        if await turn.aaccepts(view(answer)):
            return answer
    return own(turn.respond)


async def astream(
    turn: Turn,
    call: Callable[[Edits], AsyncIterable[Part]],
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
        async for part in call(turn.edits):
            parts.append(part)
            if held or holds(part):
                held.append(part)
            else:
                yield part
        if await turn.aaccepts(view(parts)):
            for part in held:
                yield part
            return
    async for part in own(turn.respond):
        yield part


def _logged(decision: Decision | None) -> Decision | None:
    if decision is not None and decision.verdict not in ("ok", "unguarded"):
        _log.info("%s (%s): %s", decision.verdict, decision.detector, decision.note)
    return decision
