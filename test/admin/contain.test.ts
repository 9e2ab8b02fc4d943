import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startGuard } from "../support/servers/guarded.ts";
import type { RawAnswer } from "../support/wires/scripted-answer.ts";
import { type RedisServer, startRedis } from "../support/servers/redis.ts";
import { scriptedUpstream } from "../support/servers/upstream.ts";
import { apiClient } from "./api-rig.ts";

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis();
}, 120_000);
afterAll(() => redis?.stop());

const chunk = (delta: object) =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`;

/** A stream that says a word and then nothing any more. */
const endless: RawAnswer = {
  kind: "raw",
  status: 200,
  fields: { "content-type": "text/event-stream" },
  pieces: [chunk({ role: "assistant", content: "one " })],
  ending: "hang",
};

const body = JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: "count" }] });
const headers = { "content-type": "application/json", "x-unloop-session": "runaway" };

async function open(url: string) {
  const response = await fetch(`${url}/v1/chat/completions`, { method: "POST", headers, body });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (reader === undefined) throw new Error("There is no stream.");
  const first = await reader.read();
  let text = first.value ?? "";
  for (let part = await reader.read(); !part.done; part = await reader.read()) text += part.value;
  return text;
}

describe("contain, over replicas that share one Redis", () => {
  it("ends open streams validly and answers with the reason, until it is lifted", { timeout: 60_000 }, async () => {
    const upstream = await scriptedUpstream(() => endless);
    onTestFinished(() => upstream.close());
    const env = {
      REDIS_URL: `${redis.url}?prefix=contain:`,
      UNLOOP_SECRET: "a secret of the replicas",
      UNLOOP_STORE_DEADLINE_MS: "5000",
    };
    const start = async () => {
      const guard = await startGuard({ upstream: upstream.url, env });
      onTestFinished(guard.close);
      return guard;
    };
    const [one, two] = [await start(), await start()];
    // The first exchange of a session makes it known.
    const listed = async () => (await apiClient(one.url)("listSessions")).body.sessions[0];
    const ended: Promise<string>[] = [];
    for (let i = 0; i < 10; i += 1) ended.push(open(i % 2 === 0 ? one.url : two.url));
    await expect.poll(() => upstream.requests.length, { timeout: 20_000 }).toBe(10);
    const leaver = new AbortController();
    const first = fetch(`${one.url}/v1/chat/completions`, { method: "POST", headers, body, signal: leaver.signal });
    await first;
    leaver.abort();
    await expect.poll(listed, { timeout: 20_000 }).toBeDefined();
    const { id } = await listed();

    const { status } = await apiClient(one.url, one.adminToken)("containSession", {
      id,
      body: { reason: "it never ends" },
    });
    expect(status).toBe(200);
    const streams = await Promise.all(ended);
    expect(streams.every((text) => text.trimEnd().endsWith("data: [DONE]"))).toBe(true);
    const ask = async (url: string) => {
      const leaving = new AbortController();
      const answer = await fetch(`${url}/v1/chat/completions`, {
        method: "POST",
        headers,
        body,
        signal: leaving.signal,
      });
      const verdict = answer.headers.get("x-unloop-verdict");
      if (verdict === "contained") expect(await answer.text()).toContain("it never ends");
      leaving.abort();
      return verdict;
    };
    for (const { url } of [one, two]) expect(await ask(url)).toBe("contained");
    await apiClient(two.url, two.adminToken)("releaseSession", { id, body: { reason: "it may" } });
    await expect.poll(() => ask(one.url), { timeout: 10_000 }).toBe("ok");
    const { body: journal } = await apiClient(one.url)("readJournal", { query: { session: id, limit: "200" } });
    const types = journal.entries.map(({ type }: { type: string }) => type);
    expect(new Set(types)).toEqual(new Set(["contain", "contained", "release"]));
    expect(types.filter((type: string) => type === "contained").length).toBeGreaterThanOrEqual(12);
  });
});
