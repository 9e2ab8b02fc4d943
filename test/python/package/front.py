"""Agents' frameworks under guard, for the stories: front.py BACKEND. Serves on a free port, and prints it.

Each chat completion that comes to /FRAMEWORK/v1/chat/completions is one call of a model through that framework, and its turn
goes back as it came out. BACKEND is a guard and a model in one.
"""

import asyncio
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from agents import FunctionTool, ModelSettings, ModelTracing, OpenAIChatCompletionsModel
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import StructuredTool
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import MemorySaver
from openai import AsyncOpenAI

from unloop import Unloop
from unloop.agents import UnloopModel
from unloop.langchain import UnloopMiddleware

BACKEND = sys.argv[1]
MODEL = {"base_url": f"{BACKEND}/v1", "api_key": "sk-test", "max_retries": 0}
guard = Unloop(BACKEND, timeout=30)
# One for all runs, since models keep their connections.
loop = asyncio.new_event_loop()
threading.Thread(target=loop.run_forever, daemon=True).start()


def awaited(coroutine):
    return asyncio.run_coroutine_threadsafe(coroutine, loop).result()


def langchain_agent(body, session):
    """A real agent, which stops before its tools, so that the story plays them."""
    system, messages = split(body["messages"])
    tools = [StructuredTool.from_function(never, name=name, description=name, args_schema=SCHEMA) for name in names(body)]
    return create_agent(
        ChatOpenAI(model="scripted", **MODEL),
        tools,
        system_prompt=system,
        middleware=[UnloopMiddleware(guard, session=lambda _: session)],
        checkpointer=MemorySaver(),
        interrupt_before=["tools"],
    ), {"messages": [spoken(one) for one in messages]}


CONFIG = {"configurable": {"thread_id": "one"}}


def langchain_turn(message):
    calls = [(call["id"], call["name"], json.dumps(call["args"])) for call in message.tool_calls]
    return message.text, calls


def langchain(body, session):
    agent, state = langchain_agent(body, session)
    return langchain_turn(agent.invoke(state, CONFIG)["messages"][-1])


def langchain_async(body, session):
    agent, state = langchain_agent(body, session)
    return langchain_turn(awaited(agent.ainvoke(state, CONFIG))["messages"][-1])


def spoken(message):
    content = message.get("content") or ""
    if message["role"] == "user":
        return HumanMessage(content)
    if message["role"] == "tool":
        return ToolMessage(content, tool_call_id=message["tool_call_id"])
    calls = [
        {"id": call["id"], "name": call["function"]["name"], "args": json.loads(call["function"]["arguments"])}
        for call in message.get("tool_calls") or ()
    ]
    return AIMessage(content, tool_calls=calls)


def agents(body, session):
    answer = awaited(asked(session).get_response(*terms(body), **REST))
    return agents_turn(answer.output)


def agents_streamed(body, session):
    async def last():
        async for event in asked(session).stream_response(*terms(body), **REST):
            if event.type == "response.completed":
                completed = event.response
        return completed.output

    return agents_turn(awaited(last()))


REST = {"previous_response_id": None, "conversation_id": None, "prompt": None}


def asked(session):
    return UnloopModel(OpenAIChatCompletionsModel("scripted", AsyncOpenAI(**MODEL)), guard, session=session)


def terms(body):
    system, messages = split(body["messages"])
    tools = [FunctionTool(name, name, SCHEMA, never, strict_json_schema=False) for name in names(body)]
    items = [item for message in messages for item in items_of(message)]
    return system, items, ModelSettings(), tools, None, [], ModelTracing.DISABLED


def items_of(message):
    content = message.get("content") or ""
    if message["role"] == "user":
        return [{"role": "user", "content": content}]
    if message["role"] == "tool":
        return [{"type": "function_call_output", "call_id": message["tool_call_id"], "output": content}]
    said = [{"role": "assistant", "content": content}] if content else []
    return said + [
        {"type": "function_call", "call_id": call["id"], **call["function"]} for call in message.get("tool_calls") or ()
    ]


def agents_turn(output):
    texts = [part.text for item in output if item.type == "message" for part in item.content]
    calls = [(item.call_id, item.name, item.arguments) for item in output if item.type == "function_call"]
    return "".join(texts), calls


SCHEMA = {"type": "object", "properties": {}, "additionalProperties": True}


def never(*_, **__):
    raise AssertionError("The story plays the tools.")


def names(body):
    return [tool["function"]["name"] for tool in body.get("tools", ())]


def split(messages):
    system = next((one["content"] for one in messages if one["role"] == "system"), "")
    return system, [one for one in messages if one["role"] != "system"]


def completion(text, calls):
    told = [{"id": id, "type": "function", "function": {"name": name, "arguments": args}} for id, name, args in calls]
    message = {"role": "assistant", "content": text, **({"tool_calls": told} if told else {})}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if told else "stop"}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    return {"id": "turn", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage}


FRAMEWORKS = {"langchain": langchain, "langchain-async": langchain_async, "agents": agents, "agents-streamed": agents_streamed}


class Front(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        framework = FRAMEWORKS[self.path.split("/")[1]]
        try:
            status, answer = 200, completion(*framework(body, self.headers.get("x-unloop-session")))
        except Exception as error:  # what the framework throws is what the agent gets
            status, answer = 400, {"error": {"message": str(error), "type": type(error).__name__}}
        sent = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Front)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
