import { describe, expect, it, onTestFinished, vi } from "vitest";
import { chatCompletions } from "../../src/protocols/chat-completions/chat-completions.ts";
import { sha256Hex } from "../../src/text/keyed-hash.ts";
import { apiRig } from "../admin/api-rig.ts";
import { client, configFile } from "../admin/config-file.ts";
import { healthy } from "../support/agents/scripts.ts";
import { chatBody, user } from "../support/builders/chat-history.ts";

const file = (more: string, mode = "enforce") =>
  `mode: "${mode}"\nclients: [${client("ci", "team", more)}, ${client("idle", "team")}]`;

async function limited(more: string, mode?: string) {
  const rig = await apiRig(
    { UNLOOP_CONFIG: configFile(file(more, mode)).path, UNLOOP_ADMIN_TOKEN: "operate-0123456789" },
    healthy(0),
  );
  const send = async (path: string, body?: string) => {
    const response = await fetch(`${rig.url}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: "Bearer ul-ci", "content-type": "application/json", "x-unloop-session": "run" },
      ...(body !== undefined && { body }),
    });
    const text = await response.text();
    return { status: response.status, code: /"code":"(\w+)"/.exec(text)?.[1], headers: response.headers };
  };
  const complete = (fields: object) =>
    send("/v1/chat/completions", chatBody([user("Hi.")], { model: undefined, ...fields }));
  const ask = (model?: string) => complete({ model });
  return { ...rig, send, ask, complete };
}

describe("the models of a client key", () => {
  it.each(["enforce", "off"])("are asked, and no others, in mode %s", async (mode) => {
    const { ask, send, upstream } = await limited(', models: ["gpt-5*", o4-mini]', mode);
    const refused = { status: 403, code: "model_refused" };
    expect((await ask("gpt-5-mini")).status).toBe(200);
    expect((await ask("O4-mini")).status).toBe(200);
    expect(await ask("gpt-4.1")).toMatchObject(refused);
    expect(await ask()).toMatchObject(refused);
    expect(await send("/v1/chat/completions", "no JSON")).toMatchObject(refused);
    expect(await send("/v1/embeddings", '{"model":"gpt-5-mini"}')).toMatchObject(refused);
    expect(upstream.requests.filter(({ method }) => method === "POST")).toHaveLength(2);
    expect((await send("/v1/models")).code).toBeUndefined();
  });

  it("hold for all that a request names, fallbacks with terms of their own included", async () => {
    const { complete } = await limited(', models: ["gpt-5*", o4-mini]');
    for (const fields of [{ models: ["gpt-5-mini", "gpt-4.1"] }, { fallbacks: [{ model: "gpt-4.1" }] }])
      expect((await complete({ model: "gpt-5-mini", ...fields })).status).toBe(403);
  });

  it("hold where the guard itself fails, as far as the model can still be read", async () => {
    const { ask, upstream } = await limited(', models: ["gpt-5*"]');
    const spy = vi.spyOn(chatCompletions, "parseInPieces");
    onTestFinished(() => spy.mockRestore());
    const broken = () => {
      throw new Error("broken");
    };
    spy.mockImplementationOnce(broken);
    expect((await ask("gpt-4.1")).status).toBe(403);
    spy.mockImplementationOnce(broken);
    expect((await ask("gpt-5-mini")).headers.get("x-unloop-verdict")).toBe("unguarded");
    spy.mockImplementation(broken);
    const again = vi.spyOn(chatCompletions, "parse").mockImplementation(broken);
    onTestFinished(() => again.mockRestore());
    expect((await ask("gpt-5-mini")).status).toBe(403);
    expect(upstream.requests).toHaveLength(1);
  });
});

it("a client key's rate limit refuses what is too much, in the API's own shape, and says when to ask again", async () => {
  const { ask } = await limited(", requestsPerMinute: 2");
  const answers = [await ask("m"), await ask("m"), await ask("m")];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
  expect(answers[2]?.code).toBe("rate_limited");
  expect(Number(answers[2]?.headers.get("retry-after"))).toSatisfy((seconds) => seconds > 25 && seconds <= 30);
});

it("operators see when a client key was last used, beside its limits, without its hash", async () => {
  const { send, call } = await limited(", models: m, requestsPerMinute: 9, expires: 2999-01-01");
  const before = Date.now();
  await send("/v1/models");
  const { body } = await call("status");
  expect(body.clients).toEqual([
    {
      ...{ name: "ci", tenant: "team", models: "m", requestsPerMinute: 9, expires: "2999-01-01T00:00:00.000Z" },
      lastUsed: expect.toSatisfy((at) => Date.parse(at) >= before),
    },
    { name: "idle", tenant: "team", expires: null, lastUsed: null },
  ]);
  expect(JSON.stringify(body)).not.toContain(sha256Hex("ul-ci"));
});
