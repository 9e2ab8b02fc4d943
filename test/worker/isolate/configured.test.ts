import { describe, expect, it } from "vitest";
import { configuredWorkers } from "../seams/bindings.ts";
import { urlOf } from "./short-run.ts";

const [url = "", replica = ""] = configuredWorkers.map(urlOf);
const KEY = "a client key of the tests";

const turn = (id: string) => [
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id, type: "function", function: { name: "search", arguments: '{"q":"Paris"}' } }],
  },
  { role: "tool", tool_call_id: id, content: "Rain in the morning, sun after noon." },
];
const messages = [{ role: "user", content: "Weather?" }, ...turn("c1"), ...turn("c2"), ...turn("c3")];

async function verdict(at: string, headers: Readonly<Record<string, string>>) {
  const response = await fetch(`${at}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${KEY}`, ...headers },
    body: JSON.stringify({ model: "m", messages }),
  });
  await response.text();
  return response.headers.get("x-unloop-verdict") ?? response.status;
}

describe("a Worker with a configuration among its bindings", () => {
  it("lets nobody in without one of its client keys", async () => {
    expect(await verdict(url, { authorization: "Bearer sk-anybody" })).toBe(401);
  });

  it("follows a rule by header", async () => {
    expect(await verdict(url, { "x-team": "trial", "x-unloop-session": "of-the-rule" })).toBe("observe:nudge");
  });

  it("enforces a share of sessions, the same ones in each isolate", async () => {
    const sessions = Array.from({ length: 40 }, (_, i) => `rollout-${i}`);
    const verdicts = await Promise.all(
      sessions.map(async (session) => [
        await verdict(url, { "x-unloop-session": session }),
        await verdict(replica, { "x-unloop-session": session }),
      ]),
    );
    const enforced = verdicts.filter(([one]) => one === "nudge");
    expect(enforced.length).toBeGreaterThan(0);
    expect(enforced.length).toBeLessThan(20);
    expect(
      verdicts.filter(
        ([one, other]) => String(one).startsWith("observe") !== String(other).startsWith("observe") && other !== "ok",
      ),
    ).toEqual([]);
  });
});
