import { describe, expect, it } from "vitest";
import { configuredWorkers, deployedWorker, replicaWorker } from "../seams/bindings.ts";
import { urlOf } from "./short-run.ts";

const token = "a token of the tests";

/** Asks the admin API of the deployed Worker. */
async function api(path: string, body?: object, worker = deployedWorker) {
  const response = await fetch(`${urlOf(worker)}/unloop/api${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { "content-type": "application/json" }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: the OpenAPI document says what it is, and Node's tests hold it to that
  return { status: response.status, body: (await response.json()) as any };
}

const named = async (name: string) =>
  (await api("/sessions")).body.sessions.find((one: { name: string }) => one.name === name);

function ask(url: string, session: string, more: object = {}) {
  return fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer sk-test", "x-unloop-session": session },
    body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "count" }], ...more }),
  });
}

describe("operators of a Worker", () => {
  it("are let in by the admin token alone", async () => {
    const refused = await fetch(`${urlOf(deployedWorker)}/unloop/api/status`);
    expect(refused.status).toBe(401);
    expect((await api("/status")).body).toMatchObject({ actor: "admin", role: "operate", store: "shared" });
  });

  it("are told that whoever has a provider's key may use it, until there is a client key", async () => {
    const cure = expect.stringContaining("open relay: whoever has a provider's key");
    expect((await api("/status")).body.warnings).toEqual([cure]);
    expect((await api("/status", undefined, configuredWorkers[0])).body.warnings).toEqual([]);
  });

  it("end a session's open streams in every isolate, with the reason, and release it", async () => {
    const urls = [urlOf(deployedWorker), urlOf(replicaWorker)];
    const session = "runaway";
    await (await ask(urls[0] ?? "", session)).text();
    await expect.poll(() => named(session)).toBeDefined();
    const { id } = await named(session);

    const opened = await Promise.all(
      Array.from({ length: 10 }, (_, i) => ask(urls[i % 2] ?? "", session, { model: "endless", stream: true })),
    );
    const ends = opened.map((response) => response.text());
    const asked = Date.now();
    const contained = await api(`/sessions/${id}/contain`, { reason: "it never ends" });
    expect(contained.body.containment).toMatchObject({ actor: "admin", reason: "it never ends" });
    for (const text of await Promise.all(ends)) expect(text.trimEnd().endsWith("data: [DONE]")).toBe(true);
    console.info(`10 streams in two isolates ended ${Date.now() - asked} ms after the order`);

    for (const url of urls) {
      const response = await ask(url, session);
      expect(response.headers.get("x-unloop-verdict")).toBe("contained");
      expect(await response.text()).toContain("it never ends");
    }
    await api(`/sessions/${id}/release`, { reason: "it may" });
    const verdict = async () => (await ask(urls[1] ?? "", session)).headers.get("x-unloop-verdict");
    await expect.poll(verdict, { timeout: 20_000, interval: 500 }).toBe("ok");
    await expect
      .poll(async () => {
        const { body } = await api(`/journal?session=${id}`);
        return body.entries.filter(({ type }: { type: string }) => type === "contained").length;
      })
      .toBeGreaterThanOrEqual(12);
    const { body } = await api(`/journal?session=${id}`);
    const acts = body.entries.filter(({ type }: { type: string }) => type !== "contained");
    expect(acts.map(({ type, actor, reason }: Record<string, string>) => [type, actor, reason])).toEqual([
      ["release", "admin", "it may"],
      ["contain", "admin", "it never ends"],
    ]);
  });
});
