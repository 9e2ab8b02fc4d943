"""The guard for agents of LangChain (`create_agent`), which are graphs of LangGraph."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from copy import deepcopy
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain.agents.structured_output import ProviderStrategy, ProviderStrategyBinding, ToolStrategy
from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.config import get_config

from .client import Edits, Json, Respond, Unloop, patched
from .turn import Turn, arun, run

Request = ModelRequest[Any]
Response = ModelResponse[Any]


class UnloopMiddleware(AgentMiddleware[Any, Any, Any]):
    """`create_agent(model, tools, middleware=[UnloopMiddleware()])`: each call of the model is asked about.

    It notes, forces an end, holds calls back, asks the model again and ends a run, as the proxy does. Tokens that are
    streamed out of the graph come from the model itself: where it is asked again, both answers show there.
    `session` names a call's run; without it the `thread_id` of the configuration does, or else the messages that the
    agent has are judged alone. `response_metadata["unloop"]` of each message of the model says what was done.
    """

    def __init__(self, guard: Unloop | None = None, *, session: Callable[[Request], str | None] | None = None) -> None:
        super().__init__()
        self._guard = guard or Unloop()
        self._session = session or _thread

    def wrap_model_call(self, request: Request, handler: Callable[[Request], Response]) -> Response:
        """Called by the agent."""
        turn = self._turn(request)
        turn.begin()
        call = lambda: handler(turn.edited(request, _edited))
        return _told(turn, run(turn, call, view=_view, own=lambda respond: _own(respond, request)))

    async def awrap_model_call(self, request: Request, handler: Callable[[Request], Awaitable[Response]]) -> Response:
        """Called by the agent."""
        turn = self._turn(request)
        await turn.abegin()
        call = lambda: handler(turn.edited(request, _edited))
        return _told(turn, await arun(turn, call, view=_view, own=lambda respond: _own(respond, request)))

    def _turn(self, request: Request) -> Turn:
        return Turn(
            self._guard,
            lambda: {"request": _chat(request), "wire": "chat-completions", "session": self._session(request)},
        )


def _thread(_: Request) -> str | None:
    thread = get_config().get("configurable", {}).get("thread_id")
    return None if thread is None else str(thread)


def _chat(request: Request) -> Json:
    """The call as a chat completion."""
    tools = [_tool(tool) for tool in request.tools if _name(tool) is not None]
    chat: Json = {"model": "in-process", "messages": [_message(one) for one in _messages(request)]}
    if tools:
        chat["tools"] = tools
    if isinstance(request.tool_choice, dict) or request.tool_choice in ("none", "required"):
        chat["tool_choice"] = request.tool_choice
    if (spec := _spec(request)) is not None:
        chat["response_format"] = {"type": "json_schema", "json_schema": {"name": "answer", "schema": spec.json_schema}}
    return chat


def _messages(request: Request) -> list[AnyMessage]:
    return [*([request.system_message] if request.system_message else []), *request.messages]


def _name(tool: Any) -> str | None:
    """Tools that the provider carries out by itself have no name of the agent's."""
    name: str | None = tool.get("function", tool).get("name") if isinstance(tool, dict) else tool.name
    return name


def _tool(tool: Any) -> Json:
    return tool if isinstance(tool, dict) and "function" in tool else convert_to_openai_tool(tool)


def _spec(request: Request) -> Any:
    """Of several shapes that an answer may have, the first."""
    shape: Any = request.response_format
    if shape is None or isinstance(shape, ProviderStrategy):
        return shape and shape.schema_spec
    strategy = shape if isinstance(shape, ToolStrategy) else ToolStrategy(getattr(shape, "schema", shape))
    return strategy.schema_specs[0]


def _message(message: BaseMessage) -> Json:
    if isinstance(message, ToolMessage):
        return {"role": "tool", "tool_call_id": message.tool_call_id, "content": _text(message)}
    if not isinstance(message, AIMessage):
        return {"role": "system" if isinstance(message, SystemMessage) else "user", "content": _text(message)}
    calls = [
        _call(call["id"] or f"call-{index}", call["name"], call["args"])
        for index, call in enumerate(message.tool_calls)
    ]
    return {"role": "assistant", "content": _text(message)} | ({"tool_calls": calls} if calls else {})


def _call(identifier: str, name: str, args: Json) -> Json:
    return {"id": identifier, "type": "function", "function": {"name": name, "arguments": json.dumps(args)}}


def _text(message: BaseMessage) -> str:
    """Pictures and files as short marks."""
    if isinstance(message.content, str):
        return message.content
    return "\n".join(text for part in message.content if (text := _part(part)))


def _part(part: str | Json) -> str:
    if isinstance(part, str):
        return part
    kind = part.get("type")
    return str(part.get("text", "" if kind in ("tool_use", "function_call") else f"[{kind}]"))


def _edited(request: Request, chat: Json, edits: Edits) -> Request:
    """The call with what the guard has changed. The messages as they were stay as they are."""
    # By these copies, which the patch edits, the agent's own messages are found again.
    copies = [dict(message) for message in chat["messages"]]
    known = {id(copy): (own, copy["content"]) for copy, own in zip(copies, _messages(request), strict=True)}
    edited = patched({**deepcopy(chat), "messages": copies}, edits, in_place=True)
    system, messages = request.system_message, list[AnyMessage]()
    for message in edited["messages"]:
        own, before = known.get(id(message), (None, ""))
        added = message["content"].removeprefix(before).lstrip()
        if own is request.system_message or (own is None and message["role"] == "system"):
            system = _extended(system or SystemMessage(""), added)
        else:
            messages.append(_extended(own or HumanMessage(""), added))
    return request.override(messages=messages, system_message=system, **_edited_tools(request, chat, edited))


def _edited_tools(request: Request, chat: Json, edited: Json) -> Any:
    choice = edited.get("tool_choice")
    if choice == chat.get("tool_choice"):
        return {}
    # An agent that owes an answer of some shape may give it by a tool of its own, which it binds behind this.
    if choice == "none" and "response_format" in edited:
        return {"tools": []}
    offered = {None, *(_name(tool) for tool in edited.get("tools", ()))}
    # Its name is what the models of all providers take.
    forced = choice["function"]["name"] if isinstance(choice, dict) else choice
    return {"tools": [tool for tool in request.tools if _name(tool) in offered], "tool_choice": forced}


def _extended(message: Any, text: str) -> Any:
    if text == "":
        return message
    content = message.content
    longer = (
        [*content, {"type": "text", "text": text}] if isinstance(content, list) else f"{content}\n\n{text}".lstrip()
    )
    return message.model_copy(update={"content": longer})


def _view(answer: Response) -> Json:
    """The model's answer as a chat completion."""
    message = _message(_spoken(answer))
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if "tool_calls" in message else "stop"}
    return {"id": "answer", "object": "chat.completion", "created": 0, "model": "in-process", "choices": [choice]}


def _spoken(answer: Response) -> AIMessage:
    return next((one for one in answer.result if isinstance(one, AIMessage)), AIMessage(""))


def _own(respond: Respond, request: Request) -> Response:
    """The guard's answer, in the shape that the agent owes, where it owes one.

    These agents end where the model calls nothing: of a call that tells the end, its longest text is what is said.
    """
    said = respond.json()["choices"][0]["message"]
    told = [json.loads(call["function"]["arguments"]) for call in said.get("tool_calls") or ()]
    texts = [text for args in told for text in args.values() if isinstance(text, str)]
    message = AIMessage(said.get("content") or max(texts, key=len, default=""))
    if told or (spec := _spec(request)) is None:
        return ModelResponse(result=[message])
    shaped = ProviderStrategyBinding.from_schema_spec(spec).parse(message)
    return ModelResponse(result=[message], structured_response=shaped)


def _told(turn: Turn, answer: Response) -> Response:
    _spoken(answer).response_metadata["unloop"] = turn.facts()
    return answer
