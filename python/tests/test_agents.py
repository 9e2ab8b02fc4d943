import asyncio

import pytest
from agents import (
    Agent,
    ModelSettings,
    OpenAIChatCompletionsModel,
    OpenAIProvider,
    RunConfig,
    Runner,
    function_tool,
    set_tracing_disabled,
)
from conftest import heeding, looping, says, sending
from openai import AsyncOpenAI
from pydantic import BaseModel

from unloop import Unloop, UnloopError
from unloop.agents import UnloopModel, UnloopProvider

set_tracing_disabled(True)
TASK = "What is the weather in Paris?"


class Report(BaseModel):
    city: str
    report: str


@function_tool
def search(q: str) -> str:
    """Searches."""
    return f"Results for {q}: rain, then sun."


def agent(model, guard, tools=(search,), **options):
    scripted = OpenAIChatCompletionsModel("scripted", AsyncOpenAI(base_url=model.url, api_key="sk-test", max_retries=0))
    return Agent("Helper", instructions="Be brief.", tools=list(tools), model=UnloopModel(scripted, guard), **options)


def run(way, agent, **options):
    async def play():
        if way == "whole":
            return await Runner.run(agent, TASK, max_turns=16, **options)
        result = Runner.run_streamed(agent, TASK, max_turns=16, **options)
        events = [event.data.type async for event in result.stream_events() if event.type == "raw_response_event"]
        assert events[-1] == "response.completed"
        return result

    return asyncio.run(play())


ways = pytest.mark.parametrize("way", ["whole", "streamed"])


@ways
def test_an_agent_that_goes_in_circles_is_ended(way, guard, model):
    asked = model(looping)
    told = Unloop(guard.base_url, token=guard.token, policy={"extends": "default", "intercept": "off"})
    assert "going in circles" in run(way, agent(asked, told)).final_output
    assert len(asked.requests) == 6
    assert asked.requests[-1]["tool_choice"] == "none"


@ways
def test_the_note_reaches_the_model_and_not_the_history(way, guard, model):
    asked = model(heeding)
    result = run(way, agent(asked, guard))
    assert result.final_output == "It rains."
    assert "[unloop]" in asked.texts(-1)
    assert "[unloop]" not in str(result.to_input_list())


@ways
def test_a_call_that_would_complete_a_loop_is_held_back_and_the_model_asked_again(way, guard, model):
    sent = []

    @function_tool
    def send_message(text: str) -> str:
        """Sends."""
        sent.append(text)
        return "Sent."

    asked = model(sending)
    result = run(way, agent(asked, guard, [send_message]))
    assert (len(sent), result.final_output, len(asked.requests)) == (1, "Done.", 3)


@ways
def test_a_run_is_ended_in_the_shape_that_the_agent_owes(way, guard, model):
    output = run(way, agent(model(looping), guard, output_type=Report)).final_output
    assert "going in circles" in output.report


@ways
def test_a_policy_may_end_runs_with_an_error(way, guard, model):
    strict = Unloop(guard.base_url, token=guard.token, policy={"extends": "default", "finalResponse": "error"})
    with pytest.raises(UnloopError, match="circles"):
        run(way, agent(model(looping), strict))


def test_models_that_are_named_are_guarded_with_handoffs_and_named_runs(guard, model):
    asked = model(heeding)
    client = AsyncOpenAI(base_url=asked.url, api_key="sk-test", max_retries=0)
    provider = UnloopProvider(guard, session="ticket-2", of=OpenAIProvider(openai_client=client, use_responses=False))
    forced = {"model_settings": ModelSettings(tool_choice="search"), "reset_tool_choice": False}
    helper = Agent("Helper", tools=[search], model="scripted", handoffs=[Agent("Writer", model="scripted")], **forced)
    result = run("whole", helper, run_config=RunConfig(model_provider=provider))
    assert result.final_output == "It rains."


def test_without_a_guard_the_agent_works_on(model, caplog):
    asked = model(lambda *_: says("Rain."))
    assert run("whole", agent(asked, Unloop("http://127.0.0.1:9"))).final_output == "Rain."
    assert "unloop serve" in caplog.text
