"""The guard for the OpenAI Agents SDK.

It stands where the SDK asks a model, since the SDK's hooks (`RunHooks`, `AgentHooks`) are told of a call and can change
nothing: no note, no end, nothing held back.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

from agents import FunctionTool, ItemHelpers, Model, ModelProvider, ModelResponse, ModelSettings, MultiProvider, Usage
from agents.items import TResponseStreamEvent
from openai.types.responses import Response, ResponseCompletedEvent, ResponseTextDeltaEvent

from .client import Edits, Json, Respond, Unloop, patched
from .turn import Turn, arun, astream


class UnloopProvider(ModelProvider):
    """`Runner.run(agent, task, run_config=RunConfig(model_provider=UnloopProvider()))`: guards models that are named.

    For an agent that has a model as an object: `Agent(model=UnloopModel(model))`. The options are the same.
    """

    def __init__(
        self, guard: Unloop | None = None, *, session: str | None = None, of: ModelProvider | None = None
    ) -> None:
        self._guard = guard or Unloop()
        self._session = session
        self._of = of or MultiProvider()

    def get_model(self, model_name: str | None) -> Model:
        """The model of that name, guarded."""
        return UnloopModel(self._of.get_model(model_name), self._guard, session=self._session)

    async def aclose(self) -> None:
        """Closes the provider behind it."""
        await self._of.aclose()


class UnloopModel(Model):
    """A model, each call of which is asked about: with notes, ends, calls held back, and the model asked again.

    `session` names the run; without it the SDK's `conversation_id` does, or else the call's items are judged alone.
    Of a stream all goes on as it comes, up to its first call or its end, which wait for the decision.
    """

    def __init__(self, model: Model, guard: Unloop | None = None, *, session: str | None = None) -> None:
        self._model = model
        self._guard = guard or Unloop()
        self._session = session

    async def get_response(self, *args: Any, **kwargs: Any) -> ModelResponse:
        """Called by the SDK."""
        terms = _terms(args, kwargs)
        turn = self._turn(terms)
        await turn.abegin()
        call = lambda: self._model.get_response(**turn.edited(terms, _edited))
        return await arun(turn, call, view=_view, own=_own)

    async def stream_response(self, *args: Any, **kwargs: Any) -> AsyncIterator[TResponseStreamEvent]:
        """Called by the SDK."""
        terms = _terms(args, kwargs)
        turn = self._turn(terms)
        await turn.abegin()

        def call() -> AsyncIterator[TResponseStreamEvent]:
            return self._model.stream_response(**turn.edited(terms, _edited))

        async for event in astream(turn, call, holds=_holds, view=_completed, own=_own_events):
            yield event

    async def close(self) -> None:
        """Closes the model behind it."""
        await self._model.close()

    def get_retry_advice(self, request: Any) -> Any:
        """The advice of the model behind it."""
        return self._model.get_retry_advice(request)

    def _turn(self, terms: Json) -> Turn:
        session = self._session or terms.get("conversation_id")
        return Turn(self._guard, lambda: {"request": _request(terms), "wire": "responses", "session": session})


_NAMES = ("system_instructions", "input", "model_settings", "tools", "output_schema", "handoffs", "tracing")


def _terms(args: tuple[Any, ...], kwargs: Json) -> Json:
    """The SDK's arguments by name; with more of them in a later version."""
    return dict(zip(_NAMES, args, strict=False)) | kwargs


def _request(terms: Json) -> Json:
    """The call as a request of the Responses API, in whose items the SDK speaks."""
    schema, choice = terms["output_schema"], terms["model_settings"].tool_choice
    request: Json = {"model": "in-process", "input": ItemHelpers.input_to_new_input_list(terms["input"])}
    if terms["system_instructions"]:
        request["instructions"] = terms["system_instructions"]
    if tools := [_tool(one) for one in _callable(terms)]:
        request["tools"] = tools
    if isinstance(choice, str):
        request["tool_choice"] = choice if choice in _CHOICES else {"type": "function", "name": choice}
    if schema is not None and not schema.is_plain_text():
        form = {"type": "json_schema", "name": "final_output", "schema": schema.json_schema()}
        request["text"] = {"format": form}
    return request


_CHOICES = ("auto", "none", "required")


def _callable(terms: Json) -> list[Any]:
    """What the agent carries out itself: its own tools, and handoffs."""
    return [tool for tool in terms["tools"] if isinstance(tool, FunctionTool)] + list(terms["handoffs"])


def _name(one: Any) -> str:
    return str(getattr(one, "tool_name", None) or one.name)


def _tool(one: Any) -> Json:
    schema = one.params_json_schema if isinstance(one, FunctionTool) else one.input_json_schema
    return {"type": "function", "name": _name(one), "parameters": schema}


def _edited(terms: Json, request: Json, edits: Edits) -> Json:
    edited = patched(request, edits)
    given = {"input": edited["input"], "system_instructions": edited.get("instructions")}
    choice = edited.get("tool_choice")
    if choice == request.get("tool_choice"):
        return terms | given
    offered = {tool["name"] for tool in edited.get("tools", ())}
    withdrawn = {_name(one) for one in _callable(terms)} - offered
    settings: ModelSettings = terms["model_settings"]
    forced = choice["name"] if isinstance(choice, dict) else choice
    return {
        **terms,
        **given,
        "tools": [tool for tool in terms["tools"] if _name(tool) not in withdrawn],
        "handoffs": [one for one in terms["handoffs"] if _name(one) not in withdrawn],
        "model_settings": replace(settings, tool_choice=forced),
    }


def _view(answer: ModelResponse) -> Json:
    output = [item.model_dump(mode="json", exclude_none=True) for item in answer.output]
    return {"id": "answer", "object": "response", "status": "completed", "output": output}


def _own(respond: Respond) -> ModelResponse:
    return ModelResponse(Response.construct(**respond.json()).output, Usage(), response_id=None)


def _holds(event: TResponseStreamEvent) -> bool:
    if event.type == "response.output_item.added":
        return event.item.type not in ("message", "reasoning")
    return event.type == "response.completed"


def _completed(events: list[TResponseStreamEvent]) -> Json:
    whole = next((event.response for event in reversed(events) if event.type == "response.completed"), None)
    return {} if whole is None else whole.model_dump(mode="json", exclude_none=True)


async def _own_events(respond: Respond) -> AsyncIterator[TResponseStreamEvent]:
    own = Response.construct(**respond.json())
    place: Json = {"item_id": "unloop", "output_index": 0, "content_index": 0, "logprobs": []}
    yield ResponseTextDeltaEvent(type="response.output_text.delta", delta=own.output_text, sequence_number=0, **place)
    yield ResponseCompletedEvent.construct(type="response.completed", response=own, sequence_number=1)
