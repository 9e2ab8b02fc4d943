import { describe, expect, it } from "vitest";
import { identify } from "../../../src/session/session.ts";
import { sign } from "../../support/builders/detection.ts";
import { evidence, type Said } from "../../support/builders/evidence.ts";
import { call, conversation, heard, numbered } from "../../support/builders/steps.ts";

const told = numbered(conversation([heard("Fix a."), call("read", {}, "x")]));
const who = (said: Said) => identify(evidence(said), told, sign);

describe("sub-agents that begin alike are threads of their own, and share their session", () => {
  it.each<{ name: string; parent: Said; child: (id: string) => Said }>([
    {
      name: "Claude Code's",
      parent: { headers: { "x-claude-code-session-id": "run-7" } },
      child: (id) => ({ headers: { "x-claude-code-session-id": "run-7", "x-claude-code-agent-id": id } }),
    },
    {
      name: "Codex's, by kind",
      parent: { headers: { "session-id": "run-7" } },
      child: (id) => ({ headers: { "session-id": "run-7", "x-openai-subagent": id } }),
    },
    {
      name: "Codex's, by thread",
      parent: { headers: { originator: "codex", "session-id": "run-7", "thread-id": "run-7" } },
      child: (id) => ({ headers: { originator: "codex", "session-id": "run-7", "thread-id": id } }),
    },
    {
      name: "Codex's, in a header's JSON",
      parent: { headers: { "x-codex-turn-metadata": '{"session_id":"run-7","thread_id":"run-7"}' } },
      child: (id) => ({ headers: { "x-codex-turn-metadata": JSON.stringify({ session_id: "run-7", thread_id: id }) } }),
    },
    {
      name: "Codex's, in the body",
      parent: { body: { client_metadata: { session_id: "run-7", thread_id: "run-7" } } },
      child: (id) => ({ body: { client_metadata: { session_id: "run-7", thread_id: id } } }),
    },
    {
      name: "OpenCode's",
      parent: { headers: { "x-session-affinity": "run-7" } },
      child: (id) => ({ headers: { "x-session-affinity": id, "x-parent-session-id": "run-7" } }),
    },
    {
      name: "Kilo Code's",
      parent: { headers: { "x-kilocode-taskid": "run-7" } },
      child: (id) => ({ headers: { "x-kilocode-taskid": id, "x-kilocode-parent-taskid": "run-7" } }),
    },
  ])("$name", ({ parent, child }) => {
    const all = [who(parent), who(child("agent-1")), who(child("agent-2"))];
    expect(new Set(all.map(({ thread }) => thread)).size).toBe(3);
    expect(new Set(all.map(({ key }) => key)).size).toBe(1);
    expect(all.map(({ session }) => session)).toEqual(["run-7", "run-7", "run-7"]);
    expect(who(child("agent-1"))).toEqual(who(child("agent-1")));
  });
});

it("an agent's id is refused like a session's", () => {
  const headers = { "x-claude-code-session-id": "run-7" };
  expect(who({ headers: { ...headers, "x-claude-code-agent-id": "null" } })).toEqual(who({ headers }));
});

it("a path within a Helicone session is a place in its trace, no agent", () => {
  const at = (path: string) => who({ headers: { "helicone-session-id": "run-7", "helicone-session-path": path } });
  expect(at("/plan")).toEqual(at("/plan/step-2"));
});
