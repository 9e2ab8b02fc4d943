"""The guard as a guardrail of LiteLLM's proxy.

Put a file `unloop_guardrail.py` beside its `config.yaml`, with `from unloop.litellm import UnloopGuardrail`, and name
it there: `guardrail: unloop_guardrail.UnloopGuardrail`, `mode: [pre_call, post_call]`, `default_on: true`.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextvars import ContextVar
from typing import Any

from fastapi import HTTPException
from litellm import stream_chunk_builder
from litellm.integrations.custom_guardrail import CustomGuardrail
from litellm.llms.base_llm.base_model_iterator import convert_model_response_to_streaming
from litellm.types.utils import ModelResponse

from .client import Edits, Json, Mode, Respond, Unloop, UnloopError, patched
from .turn import Turn, arun, astream

# By LiteLLM's name of a call: the wire format, and the router's function by which the model is asked again.
_CALLS = {
    "completion": ("chat-completions", "acompletion"),
    "acompletion": ("chat-completions", "acompletion"),
    "responses": ("responses", "aresponses"),
    "aresponses": ("responses", "aresponses"),
    "anthropic_messages": ("messages", "aanthropic_messages"),
}
# The form of the answer, since decisions are given whole, and what LiteLLM has put its own objects into.
_LEFT_OUT = {"stream", "stream_options", "metadata", "litellm_metadata"}
# Of the first call of the model alone.
_ONCE = {"litellm_logging_obj", "litellm_call_id"}

# The hooks of one request run one after the other in one context.
_current: ContextVar[tuple[Turn, str] | None] = ContextVar("unloop", default=None)


class UnloopGuardrail(CustomGuardrail):
    """Asks a guard about each call of a model, and about its answer, before the agent has it.

    `api_base` and `api_key` are the guard's URL and its admin token, with the role `operate`. The header
    `x-unloop-session`, or LiteLLM's `litellm_session_id`, names a run; without them its history is judged alone.
    Each answer says in `x-unloop-verdict` what was done; for a stream, about its request.

    With `mode: pre_call` alone answers go through: nothing is held back, and no model is asked again. Of streams only
    those of chat completions are held. A run on another API ends in plain text, by no tool of its own. What the first
    of two answers has used is counted by LiteLLM, as is the second.
    """

    def __init__(
        self,
        api_base: str = "http://127.0.0.1:8787",
        api_key: str | None = None,
        policy: str | Json | None = None,
        guard_mode: Mode | None = None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self._guard = Unloop(api_base, token=api_key, policy=policy, mode=guard_mode)

    async def async_pre_call_hook(self, user_api_key_dict: Any, cache: Any, data: Json, call_type: str) -> Json:
        """Called by LiteLLM with a request."""
        wire, function = _CALLS.get(call_type, (None, ""))
        if wire is None:
            return data
        owner = {"authorization": f"Bearer {user_api_key_dict.api_key}"} if user_api_key_dict.api_key else None
        turn = Turn(
            self._guard,
            lambda: {"request": _request(data), "wire": wire, "session": _session(data), "headers": owner},
        )
        await turn.abegin()
        _current.set((turn, function))
        if turn.respond is None:
            return turn.edited(data, _edited)
        own = _json(turn.respond)
        if wire != "chat-completions":
            self.raise_passthrough_exception(_text(own), data)
        return {**data, "mock_response": ModelResponse(**own)}

    async def async_post_call_success_hook(self, data: Json, user_api_key_dict: Any, response: Any) -> Any:
        """Called by LiteLLM with an answer in one piece; for one that was streamed, when it is over."""
        turn, function = _current.get() or (None, "")
        if turn is None or turn.respond is not None or data.get("stream"):
            return response
        given = [response]

        async def call() -> Any:
            return given.pop() if given else await _asked(function, data, turn)

        return await arun(turn, call, view=_whole, own=lambda respond: type(response)(**_json(respond)))

    async def async_post_call_streaming_iterator_hook(
        self, user_api_key_dict: Any, response: Any, request_data: Json
    ) -> AsyncGenerator[Any, None]:
        """Called by LiteLLM with a stream."""
        turn, function = _current.get() or (None, "")
        if turn is None or turn.respond is not None or function != "acompletion":
            async for chunk in response:
                yield chunk
            return
        given = [response]

        async def call() -> AsyncIterator[Any]:
            stream = given.pop() if given else await _asked(function, request_data, turn)
            async for chunk in stream:
                yield chunk

        async def own(respond: Respond) -> AsyncIterator[Any]:
            yield convert_model_response_to_streaming(ModelResponse(**_json(respond)))

        first: Any = None
        async for chunk in astream(turn, call, holds=_holds, view=_joined, own=own):
            # One answer has one id, and says its role once.
            first = first or chunk
            if chunk is not first:
                chunk.id = first.id
                for choice in chunk.choices:
                    choice.delta.role = None
            yield chunk

    async def async_post_call_response_headers_hook(
        self,
        data: Json,
        user_api_key_dict: Any,
        response: Any,
        request_headers: dict[str, str] | None = None,
        litellm_call_info: Json | None = None,
    ) -> dict[str, str]:
        """Called by LiteLLM for the header of an answer."""
        turn, _ = _current.get() or (None, "")
        return {} if turn is None else {f"x-unloop-{name}": str(fact) for name, fact in turn.facts().items()}


def _request(data: Json) -> Json:
    """The body as the client sent it, without what LiteLLM keeps beside it, which has keys in it."""
    body = data.get("proxy_server_request", {}).get("body") or {}
    return {name: data[name] for name in body if name in data and name not in _LEFT_OUT}


def _session(data: Json) -> str | None:
    headers: Mapping[str, str] = data.get("proxy_server_request", {}).get("headers") or {}
    return headers.get("x-unloop-session") or data.get("litellm_session_id")


def _edited(data: Json, request: Json, edits: Edits) -> Json:
    return {name: value for name, value in data.items() if name not in request} | patched(request, edits)


async def _asked(function: str, data: Json, turn: Turn) -> Any:
    from litellm.proxy.proxy_server import llm_router

    again = {name: value for name, value in data.items() if name not in _ONCE}
    return await getattr(llm_router, function)(**turn.edited(again, _edited))


def _json(respond: Respond) -> Json:
    try:
        return respond.json()
    except UnloopError as error:
        raise HTTPException(respond.status, {"error": str(error), "code": error.code}) from error


def _text(own: Any) -> str:
    """What an answer of any wire format says."""
    if isinstance(own, list):
        return "\n".join(text for part in own if (text := _text(part)))
    if isinstance(own, dict):
        said = own.get("text")
        return said if isinstance(said, str) else _text(own.get("output") or own.get("content") or "")
    return str(own)


def _whole(response: Any) -> Json:
    answer: Json = response if isinstance(response, dict) else response.model_dump(mode="json", exclude_none=True)
    return answer


def _holds(chunk: Any) -> bool:
    return any(choice.delta.tool_calls or choice.finish_reason for choice in chunk.choices)


def _joined(chunks: list[Any]) -> Json:
    return _whole(stream_chunk_builder(chunks))
