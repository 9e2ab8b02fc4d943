import { describe, expect, it } from "vitest";
import { post } from "../../proxy/guard-rig.ts";
import { chatBody, user } from "../../support/builders/chat-history.ts";
import { configuredWorker, deployedWorker, replicaWorker } from "../seams/bindings.ts";
import { urlOf } from "../seams/network.ts";

const urls = [deployedWorker, replicaWorker].map(urlOf);

async function api(path: string, body?: object, url = urls[0] ?? "") {
  const response = await fetch(`${url}/unloop/api${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: "Bearer a token of the tests", ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: the OpenAPI document says what it is, and Node's tests hold it to that
  return (await response.json()) as any;
}

const authorization = "Bearer sk-test";
const headers = { "content-type": "application/json", "x-unloop-session": "runaway" };
const ask = (at: number) => post(urls[at % 2] ?? "", chatBody([user("count")]), headers);

describe("operators of a Worker", () => {
  it("are let in by the admin token alone, and told that it is an open relay until there is a client key", async () => {
    expect((await fetch(`${urls[0]}/unloop/api/status`)).status).toBe(401);
    const cure = expect.stringContaining("open relay: whoever has a provider's key");
    expect(await api("/status")).toMatchObject({ actor: "admin", role: "operate", store: "shared", warnings: [cure] });
    expect((await api("/status", undefined, urlOf(configuredWorker))).warnings).toEqual([]);
  });

  it("end a session's open streams in every isolate, with the reason, and release it", async () => {
    await ask(0);
    const named = async () =>
      (await api("/sessions")).sessions.find(({ name }: { name: string }) => name === "runaway");
    await expect.poll(named).toBeDefined();
    const { id } = await named();
    const body = chatBody([user("count")], { model: "endless", stream: true });
    const opened = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        fetch(`${urls[i % 2]}/v1/chat/completions`, { method: "POST", headers: { ...headers, authorization }, body }),
      ),
    );
    const ends = opened.map((response) => response.text());
    const { containment } = await api(`/sessions/${id}/contain`, { reason: "it never ends" });
    expect(containment).toMatchObject({ actor: "admin", reason: "it never ends" });
    for (const text of await Promise.all(ends)) expect(text.trimEnd().endsWith("data: [DONE]")).toBe(true);
    for (const at of [0, 1]) {
      const { headers, text } = await ask(at);
      expect([headers.get("x-unloop-verdict"), text]).toEqual(["contained", expect.stringContaining("it never ends")]);
    }
    await api(`/sessions/${id}/release`, { reason: "it may" });
    const verdict = async () => (await ask(1)).headers.get("x-unloop-verdict");
    await expect.poll(verdict, { timeout: 20_000, interval: 500 }).toBe("ok");
    const entries = async (): Promise<Record<string, string>[]> => (await api(`/journal?session=${id}`)).entries;
    const isContained = ({ type }: Record<string, string>) => type === "contained";
    await expect.poll(async () => (await entries()).filter(isContained).length).toBeGreaterThanOrEqual(12);
    const acts = (await entries()).filter((one) => !isContained(one));
    expect(acts).toMatchObject([
      { type: "release", actor: "admin", reason: "it may" },
      { type: "contain", actor: "admin", reason: "it never ends" },
    ]);
  });
});
