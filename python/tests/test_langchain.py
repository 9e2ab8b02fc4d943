import asyncio
from functools import partial

import httpx
import pytest
from conftest import calls, heeding, looping, says, sending
from langchain.agents import create_agent
from langchain.agents.structured_output import ProviderStrategy, ToolStrategy
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import MemorySaver
from pydantic import BaseModel

from unloop import Unloop, UnloopError
from unloop.client import _read
from unloop.langchain import UnloopMiddleware

ASKED = {"messages": [("user", "What is the weather in Paris?")]}
CLIMB = ["ok", "ok", "ok", "nudge", "ok", "force-done", "short-circuit"]


class Report(BaseModel):
    city: str
    report: str


@tool
def search(q: str) -> str:
    """Searches."""
    return f"Results for {q}: rain, then sun."


@tool
def done(success: bool, text: str) -> str:
    """Ends the task."""
    return "noted"


def agent(model, guard, tools=(search,), **options):
    chat = ChatOpenAI(model="scripted", base_url=model.url, api_key="sk-test", max_retries=0)
    return create_agent(chat, list(tools), middleware=[UnloopMiddleware(guard)], system_prompt="Be brief.", **options)


def invoked(way, agent, config=None):
    return agent.invoke(ASKED, config) if way == "sync" else asyncio.run(agent.ainvoke(ASKED, config))


def verdicts(state):
    return [one.response_metadata["unloop"]["verdict"] for one in state["messages"] if isinstance(one, AIMessage)]


@pytest.mark.parametrize("way", ["sync", "async"])
def test_an_agent_that_goes_in_circles_is_ended(way, guard, model):
    asked = model(looping)
    told = Unloop(guard.base_url, token=guard.token, policy={"extends": "default", "intercept": "off"})
    state = invoked(way, agent(asked, told))
    assert "going in circles" in state["messages"][-1].text
    assert verdicts(state) == CLIMB
    assert len(asked.requests) == 6


def test_the_note_reaches_the_model_and_not_the_agents_state(guard, model):
    asked = model(heeding)
    state = agent(asked, guard).invoke(ASKED)
    assert state["messages"][-1].text == "It rains."
    assert not any("[unloop]" in one.text for one in state["messages"])
    assert "[unloop]" in asked.texts(3)


def test_a_healthy_run_is_left_as_it_is(guard, model):
    steps = lambda _, index: calls("search", q=f"city {index}") if index < 3 else says("All is known.")
    within, without = model(steps), model(steps)
    guarded = agent(within, guard).invoke(ASKED)
    chat = ChatOpenAI(model="scripted", base_url=without.url, api_key="sk-test", max_retries=0)
    plain = create_agent(chat, [search], system_prompt="Be brief.").invoke(ASKED)
    said = lambda asked: [[one.get("content") for one in request["messages"]] for request in asked.requests]
    assert said(within) == said(without)
    assert [one.text for one in guarded["messages"]] == [one.text for one in plain["messages"]]


@pytest.mark.parametrize("way", ["sync", "async"])
def test_a_call_that_would_complete_a_loop_is_held_back_and_the_model_asked_again(way, guard, model):
    sent = []

    @tool
    def send_message(text: str) -> str:
        """Sends."""
        sent.append(text)
        return "Sent."

    asked = model(sending)
    state = invoked(way, agent(asked, guard, [send_message]), {"configurable": {"thread_id": f"held-{way}"}})
    assert (len(sent), state["messages"][-1].text, len(asked.requests)) == (1, "Done.", 3)


@pytest.mark.parametrize("strategy", [ToolStrategy, ProviderStrategy, lambda shape: shape])
def test_a_run_is_ended_in_the_shape_that_the_agent_owes(strategy, guard, model):
    state = agent(model(looping), guard, response_format=strategy(Report)).invoke(ASKED)
    assert verdicts(state)[-1] == "short-circuit"
    assert "going in circles" in state["structured_response"].report


def test_a_model_is_forced_to_finish_without_any_tool(guard, model):
    forced = lambda request: request.get("tool_choice") == "none"
    asked = model(lambda request, index: says("It rains.") if forced(request) else looping(request, index))
    assert agent(asked, guard).invoke(ASKED)["messages"][-1].text == "It rains."
    assert forced(asked.requests[-1])


def test_a_run_with_a_tool_for_its_end_ends(guard, model):
    state = agent(model(looping), guard, [search, done]).invoke(ASKED, {"recursion_limit": 40})
    assert isinstance(state["messages"][-1], AIMessage) and not state["messages"][-1].tool_calls


def test_the_thread_names_the_run(guard, model):
    runs = agent(model(lambda *_: says("Rain.")), guard, checkpointer=MemorySaver())
    told = [runs.invoke(ASKED, {"configurable": {"thread_id": "ticket-1"}}) for _ in range(2)]
    assert {one["messages"][-1].response_metadata["unloop"]["session"] for one in told} == {"ticket-1"}


def test_in_observe_mode_nothing_is_changed(guard, model):
    asked = model(lambda request, index: looping(request, index) if index < 8 else says("Enough."))
    watching = Unloop(guard.base_url, token=guard.token, mode="observe")
    state = agent(asked, watching).invoke(ASKED)
    assert "observe:short-circuit" in verdicts(state)
    assert "[unloop]" not in asked.texts(-1)


def test_a_policy_may_end_runs_with_an_error(guard, model):
    strict = Unloop(guard.base_url, token=guard.token, policy={"extends": "default", "finalResponse": "error"})
    with pytest.raises(UnloopError, match="circles") as raised:
        agent(model(looping), strict).invoke(ASKED)
    assert raised.value.code == "loop_detected"


def test_without_a_guard_the_agent_works_on(model, caplog):
    state = agent(model(lambda *_: says("Rain.")), Unloop("http://127.0.0.1:9")).invoke(ASKED)
    assert state["messages"][-1].text == "Rain."
    assert verdicts(state) == ["unguarded"]
    assert "unloop serve" in caplog.text


def failing(_):
    raise RuntimeError("Paris is no thread")


ODD_DECISIONS = [
    {"verdict": "nudge", "edits": [{"op": "replace", "path": "/messages/99/content", "value": "x"}]},
    {"verdict": "nudge", "edits": "none", "rung": "nudge", "mode": "enforce"},
    {"verdict": "short-circuit", "respond": "nothing"},
    {"verdict": 7, "edits": None},
]


@pytest.mark.parametrize("decision", ODD_DECISIONS)
@pytest.mark.parametrize("way", ["sync", "async"])
def test_a_guard_that_decides_oddly_is_in_nobodys_way(way, decision, model, monkeypatch):
    guard = Unloop("http://guard")
    read = partial(_read, httpx.Response(200, json=decision, request=httpx.Request("POST", "http://guard")))

    async def adecides(*_, **__):
        return read()

    monkeypatch.setattr(guard, "decide", lambda *_, **__: read())
    monkeypatch.setattr(guard, "adecide", adecides)
    state = invoked(way, agent(model(lambda *_: says("Rain.")), guard))
    assert state["messages"][-1].text == "Rain."


@pytest.mark.parametrize("way", ["sync", "async"])
def test_a_question_that_cannot_be_made_is_in_nobodys_way_and_its_texts_in_no_log(way, guard, model, caplog):
    chat = ChatOpenAI(model="scripted", base_url=model(lambda *_: says("Rain.")).url, api_key="sk-test", max_retries=0)
    unknown = create_agent(chat, [search], middleware=[UnloopMiddleware(guard, session=failing)])
    state = invoked(way, unknown)
    assert state["messages"][-1].text == "Rain."
    assert verdicts(state) == ["unguarded"]
    assert "RuntimeError" in caplog.text and "Paris" not in caplog.text
