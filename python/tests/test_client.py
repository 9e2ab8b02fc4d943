import asyncio
import json
import sys

import httpx
import pytest

import unloop
from unloop import Respond, Unloop, UnloopError
from unloop.client import _read

STEP = [
    {
        "role": "assistant",
        "tool_calls": [{"id": "c", "type": "function", "function": {"name": "read", "arguments": "{}"}}],
    },
    {"role": "tool", "tool_call_id": "c", "content": "no results"},
]
REQUEST = {"model": "m", "messages": [{"role": "user", "content": "Find it."}, *STEP * 3]}


@pytest.mark.parametrize("ask", [Unloop.decide, lambda guard, *args: asyncio.run(guard.adecide(*args))])
def test_a_decision_has_its_edits_and_its_facts(ask, guard):
    decision = ask(guard, REQUEST)
    assert (decision.verdict, decision.detector, decision.count, decision.respond) == (
        "nudge",
        "repeated-call",
        3,
        None,
    )
    edited = decision.apply(REQUEST)
    assert "[unloop]" in edited["messages"][-1]["content"]
    assert "[unloop]" not in json.dumps(REQUEST)
    assert decision.facts() == {
        "verdict": "nudge", "steps": 3, "session": decision.session, "detector": "repeated-call", "count": 3,
    }  # fmt: skip


def test_one_client_serves_one_event_loop_after_another(guard):
    assert [asyncio.run(guard.adecide(REQUEST)).verdict for _ in range(3)] == ["nudge"] * 3


def test_an_end_is_an_answer_of_the_requests_format(guard):
    ended = guard.decide({"model": "m", "messages": [REQUEST["messages"][0], *STEP * 7]})
    assert "going in circles" in ended.respond.json()["choices"][0]["message"]["content"]


def test_a_newer_guard_may_say_more():
    own = {"status": 200, "contentType": "application/json", "body": "{}", "later": 1}
    told = {"verdict": "short-circuit", "respond": own, "later": 1}
    respond = _read(httpx.Response(200, json=told, request=httpx.Request("POST", "http://guard"))).respond
    assert respond == Respond(status=200, contentType="application/json", body="{}")


@pytest.mark.parametrize(
    ("wrong", "code", "said"),
    [
        ({"token": "a token that is none"}, "not_authorised", "token"),
        ({"policy": "nope"}, "not_found", "nope"),
        ({"base_url": "http://127.0.0.1:9"}, "guard_unreachable", "unloop serve"),
    ],
)
def test_what_is_wrong_is_said_with_its_cure(wrong, code, said, guard):
    asked = Unloop(**{"base_url": guard.base_url, "token": guard.token, **wrong})
    with pytest.raises(UnloopError, match=said) as raised:
        asked.decide(REQUEST)
    assert raised.value.code == code


def test_a_question_that_is_no_json_is_said(guard):
    with pytest.raises(UnloopError, match="no JSON"):
        guard.decide({"messages": [object()]})


def test_a_server_that_is_no_guard_is_named(model):
    with pytest.raises(UnloopError, match="check base_url") as raised:
        Unloop(model(lambda *_: {"role": "assistant", "content": ""}).url).decide(REQUEST)
    assert raised.value.code == "no_guard"


def test_a_missing_node_is_said_at_once(monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(UnloopError, match=r"Install Node .* or give Unloop the base_url") as raised:
        unloop.start()
    assert raised.value.code == "node_missing"


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("import sys; print('no such option', file=sys.stderr)", "no such option"),
        ("import time; time.sleep(60)", "said nothing within 3 s"),
    ],
)
def test_a_guard_that_does_not_start_is_said(program, said):
    with pytest.raises(UnloopError, match=said) as raised:
        unloop.start([sys.executable, "-c", program], seconds=3)
    assert raised.value.code == "guard_not_started"
