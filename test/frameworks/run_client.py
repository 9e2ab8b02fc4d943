"""One run of one real client: run_client.py CLIENT BASE_URL STORY. Prints a JSON object: what the client made of the end.

`ended`: how its run came to an end: "answer" (the client took what it got for its final answer), "limit" (its own
limit of steps stopped it), "error" (it threw).
"""

import asyncio
import json
import os
import sys
import tempfile

os.environ.update(OPENAI_API_KEY="sk-test", CREWAI_DISABLE_TELEMETRY="true", OTEL_SDK_DISABLED="true",
                  ANONYMIZED_TELEMETRY="false", LITELLM_LOCAL_MODEL_COST_MAP="True", CREWAI_TESTING="true",
                  DSPY_CACHEDIR=os.path.join(tempfile.gettempdir(), "dspy-cache"))
MODEL = "gpt-4o"
LIMIT = 16


def lookup(query: str) -> str:
    """Look something up.

    Args:
        query: What to look up.
    """
    return f"result for {query}: nothing special here, value unchanged"


QUERY = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}


def report():
    from pydantic import BaseModel

    class Report(BaseModel):
        summary: str
        confidence: float

    return Report


def openai_python(url, task):
    """The loop that everybody writes by hand."""
    from openai import OpenAI
    completions = OpenAI(base_url=url, max_retries=0).chat.completions
    tools = [{"type": "function", "function": {"name": "lookup", "parameters": QUERY}}]
    messages = [{"role": "user", "content": task}]
    for _ in range(LIMIT):
        message = completions.create(model=MODEL, messages=messages, tools=tools).choices[0].message
        if not message.tool_calls:
            return message.content
        messages.append(message.model_dump(exclude_none=True))
        for call in message.tool_calls:
            query = json.loads(call.function.arguments)["query"]
            messages.append({"role": "tool", "tool_call_id": call.id, "content": lookup(query)})
    raise Limit()


def langchain_agent(url, task, typed=False, react=False):
    from langchain.agents import create_agent
    from langchain.agents.structured_output import ToolStrategy
    from langchain_core.tools import tool
    from langchain_openai import ChatOpenAI
    from langgraph.errors import GraphRecursionError
    from langgraph.prebuilt import create_react_agent

    model = ChatOpenAI(model=MODEL, base_url=url, max_retries=0)
    create = create_react_agent if react else create_agent
    agent = create(model, [tool(lookup)], **({"response_format": ToolStrategy(report())} if typed else {}))
    try:
        state = agent.invoke({"messages": [("user", task)]}, {"recursion_limit": 2 * LIMIT})
    except GraphRecursionError:
        raise Limit()
    return str(state["structured_response"].summary) if typed else state["messages"][-1].content


def pydantic_ai(url, task, typed=False):
    from openai import AsyncOpenAI
    from pydantic_ai import Agent
    from pydantic_ai.exceptions import UsageLimitExceeded
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider
    from pydantic_ai.usage import UsageLimits

    model = OpenAIChatModel(MODEL, provider=OpenAIProvider(openai_client=AsyncOpenAI(base_url=url, max_retries=0)))
    agent = Agent(model, output_type=report()) if typed else Agent(model)
    agent.tool_plain(lookup)
    try:
        output = agent.run_sync(task, usage_limits=UsageLimits(request_limit=LIMIT)).output
    except UsageLimitExceeded:
        raise Limit()
    return output.summary if typed else output


def smolagents(url, task, kind="tools"):
    from smolagents import CodeAgent, LogLevel, OpenAIServerModel, ToolCallingAgent, tool

    model = OpenAIServerModel(MODEL, api_base=url, api_key="sk-test")
    options = dict(tools=[tool(lookup)], model=model, max_steps=LIMIT - 2, verbosity_level=LogLevel.OFF, return_full_result=True)
    if kind == "tools":
        agent = ToolCallingAgent(**options)
    else:
        agent = CodeAgent(**options, use_structured_outputs_internally=kind == "structured")
    result = agent.run(task)
    if result.state != "success":
        raise Limit()
    return str(result.output)


def crewai(url, task):
    from crewai import LLM, Agent, Crew, Task
    from crewai.tools import tool

    llm = LLM(model="openai/" + MODEL, base_url=url, api_key="sk-test")
    llm.supports_function_calling = lambda: False
    agent = Agent(role="Helper", goal=task, backstory="You help.", tools=[tool("lookup")(lookup)], llm=llm, max_iter=LIMIT)
    crew = Crew(agents=[agent], tasks=[Task(description=task, expected_output="a summary", agent=agent)])
    return str(crew.kickoff())


def autogen(url, task, team=False):
    from autogen_agentchat.agents import AssistantAgent
    from autogen_agentchat.conditions import MaxMessageTermination, TextMentionTermination
    from autogen_agentchat.teams import RoundRobinGroupChat
    from autogen_ext.models.openai import OpenAIChatCompletionClient

    client = OpenAIChatCompletionClient(model=MODEL, base_url=url, api_key="sk-test", max_retries=0)
    alone = {"max_tool_iterations": LIMIT, "reflect_on_tool_use": False}
    terms = {"system_message": "You help. Say TERMINATE when done."} if team else alone
    agent = AssistantAgent("helper", model_client=client, tools=[lookup], **terms)
    if team:
        ends = TextMentionTermination("TERMINATE", sources=["helper"]) | MaxMessageTermination(50)
        agent = RoundRobinGroupChat([agent], termination_condition=ends)
    message = asyncio.run(agent.run(task=task)).messages[-1]
    if "TERMINATE" not in str(message.content) if team else type(message).__name__ != "TextMessage":
        raise Limit()
    return message.content


def llama_index(url, task, kind="function"):
    from llama_index.core.agent.workflow import FunctionAgent, ReActAgent
    from llama_index.core.tools import FunctionTool
    from llama_index.llms.openai_like import OpenAILike

    llm = OpenAILike(model=MODEL, api_base=url, api_key="sk-test", is_chat_model=True, context_window=64000,
                     is_function_calling_model=kind == "function", max_retries=0)
    tools = [FunctionTool.from_defaults(lookup)]
    agent = (FunctionAgent if kind == "function" else ReActAgent)(tools=tools, llm=llm, system_prompt="You help.")

    async def run():
        return await agent.run(task, max_iterations=LIMIT)

    try:
        return str(asyncio.run(run()))
    except Exception as error:
        raise Limit() if "Max iterations" in str(error) else error


def dspy_react(url, task):
    import dspy
    dspy.configure_cache(enable_disk_cache=False, enable_memory_cache=False)

    dspy.configure(lm=dspy.LM("openai/" + MODEL, api_base=url, api_key="sk-test", cache=False, num_retries=0))
    result = dspy.ReAct("question -> answer", tools=[lookup], max_iters=LIMIT - 4)(question=task)
    names = [name for key, name in result.trajectory.items() if key.startswith("tool_name_")]
    if names[-1:] != ["finish"]:
        raise Limit()
    return result.answer


def browser_use(url, task):
    from browser_use import Agent, BrowserProfile, ChatOpenAI
    profile = BrowserProfile(headless=True, executable_path=os.environ["UNLOOP_CHROMIUM"], chromium_sandbox=False,
                             enable_default_extensions=False)
    page = os.environ["UNLOOP_PAGE"]
    agent = Agent(task=f"{task} Start at {page}", llm=ChatOpenAI(model=MODEL, base_url=url, api_key="sk-test", max_retries=0),
                  browser_profile=profile, use_vision=False, use_judge=False)
    history = asyncio.run(agent.run(max_steps=LIMIT - 2))
    if not history.is_done() or len(history.history) >= LIMIT - 2:
        raise Limit()
    return history.final_result()


class Limit(Exception):
    """The client's own limit of steps."""


def qwen_agent(url, task):
    from qwen_agent.agents import Assistant
    from qwen_agent.tools.base import BaseTool, register_tool

    @register_tool("lookup")
    class Lookup(BaseTool):
        description = "Looks something up."
        parameters = QUERY

        def call(self, params, **_):
            return lookup(json.loads(params)["query"])

    llm = {"model": "qwen-plus", "model_server": url, "api_key": "sk-test", "generate_cfg": {"max_retries": 0}}
    agent = Assistant(llm=llm, function_list=["lookup"])
    answer = list(agent.run([{"role": "user", "content": task}]))[-1][-1]
    if answer["role"] != "assistant" or answer.get("function_call"):
        raise Limit()
    return answer["content"]


def griptape(url, task):
    from griptape.artifacts import TextArtifact
    from griptape.drivers.prompt.openai import OpenAiChatPromptDriver
    from griptape.structures import Agent
    from griptape.tools import BaseTool
    from griptape.utils.decorators import activity
    from schema import Literal, Schema

    class Lookup(BaseTool):
        @activity(config={"description": "Looks something up.", "schema": Schema({Literal("query"): str})})
        def find(self, params):
            return TextArtifact(lookup(params["values"]["query"]))

    driver = OpenAiChatPromptDriver(model=MODEL, base_url=url, api_key="sk-test", use_native_tools=False, max_attempts=1)
    agent = Agent(prompt_driver=driver, tools=[Lookup()], stream=False)
    output = agent.run(task).output
    if type(output).__name__ == "ErrorArtifact":
        raise Limit() if "limit" in output.to_text().lower() else RuntimeError(output.to_text())
    return output.to_text()


CLIENTS = {
    "openai": openai_python,
    "langgraph": lambda url, task: langchain_agent(url, task, react=True),
    "langchain": langchain_agent,
    "langchain-tool-strategy": lambda url, task: langchain_agent(url, task, typed=True),
    "pydantic-ai": pydantic_ai,
    "pydantic-ai-typed": lambda url, task: pydantic_ai(url, task, typed=True),
    "smolagents-tools": smolagents,
    "smolagents-code": lambda url, task: smolagents(url, task, "code"),
    "smolagents-code-structured": lambda url, task: smolagents(url, task, "structured"),
    "crewai-text": crewai,
    "autogen": autogen,
    "autogen-team": lambda url, task: autogen(url, task, team=True),
    "llama-index-function": llama_index,
    "llama-index-react": lambda url, task: llama_index(url, task, "react"),
    "dspy-react": dspy_react,
    "browser-use": browser_use,
    "qwen-agent": qwen_agent,
    "griptape": griptape,
}


def main():
    client, url, task = sys.argv[1:4]
    real = sys.stdout
    sys.stdout = sys.stderr
    try:
        told = {"ended": "answer", "text": str(CLIENTS[client](url, task))}
    except Limit:
        told = {"ended": "limit"}
    except Exception as error:  # whatever the client throws is what is being measured
        told = {"ended": "error", "text": f"{type(error).__name__}: {error}"[:600]}
    print(json.dumps(told), file=real, flush=True)
    os._exit(0)


main()
