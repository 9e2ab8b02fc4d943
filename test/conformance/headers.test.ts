import { describe, expect, it } from "vitest";
import { type Asked, ask, bothWays, chat, embeddings, loopOf, ways } from "./rig.ts";

const origin = "https://app.example";
const long = "a".repeat(64_000);

describe("a header of 64 KB", () => {
  it.each<{ name: string; asked: Asked }>([
    { name: "in one field of a guarded request", asked: { ...chat, fields: { "x-a": long } } },
    { name: "in one field elsewhere", asked: { ...embeddings, fields: { cookie: long } } },
    { name: "in a long query", asked: { ...embeddings, path: `/v1/embeddings?q=${long}` } },
  ])("passes $name", async ({ asked }) => {
    const rig = await ways((_, outgoing) => outgoing.end("{}"));
    const [direct, guarded] = await bothWays(rig, asked);
    expect(guarded).toEqual(direct);
    expect(rig.arrived[1]?.target).toBe(rig.arrived[0]?.target);
    expect(rig.arrived[1]?.fields).toMatchObject(asked.fields ?? {});
  });

  it.each([chat, embeddings])("passes in an answer ($path)", async (asked) => {
    const fields = { "content-security-policy": long };
    const [direct, guarded] = await bothWays(
      await ways((_, outgoing) => outgoing.writeHead(200, fields).end("{}")),
      asked,
    );
    expect(guarded).toEqual(direct);
  });
});

const tooLong = { "x-a": "a".repeat(30_000) };

it.each([
  { where: "a request", fields: tooLong, answered: {}, status: 431, code: "header_too_large", count: 0 },
  { where: "an answer", fields: {}, answered: tooLong, status: 502, code: "answer_header_too_large", count: 1 },
])("a header beyond the limit is told with its cure: in $where", async ({ fields, answered, status, code, count }) => {
  const env = { UNLOOP_MAX_HEADER_BYTES: "20000" };
  const { guard, arrived } = await ways((_, outgoing) => outgoing.writeHead(200, answered).end(), env);
  const heard = await ask(guard, { ...chat, fields });
  expect([heard.status, arrived.length]).toEqual([status, count]);
  const message = expect.stringMatching(/UNLOOP_MAX_HEADER_BYTES/);
  expect(JSON.parse(String(heard.bytes)).error).toMatchObject({ code, message });
});

const { path } = chat;
const allowed = { "access-control-allow-origin": origin, "access-control-allow-credentials": "true" };

it.each([
  { name: "a final answer", body: loopOf(9), verdict: "short-circuit", status: 200 },
  { name: "a streamed one", body: loopOf(9, { stream: true }), verdict: "short-circuit", status: 200 },
  { name: "an error", body: chat.body, verdict: "ok", status: 502 },
])(
  "the guard's own answers are for pages that the upstream allowed to read it ($name)",
  async ({ name: _, body, ...wanted }) => {
    let isUp = true;
    const { guard } = await ways(({ socket }, outgoing) => {
      if (isUp) outgoing.writeHead(200, allowed).end("{}");
      else socket.resetAndDestroy();
    });
    await ask(guard, { ...chat, fields: { origin } });
    isUp = false;
    const { status, fields } = await ask(guard, { path, body, fields: { origin, connection: "close" } });
    expect({ status, verdict: fields["x-unloop-verdict"] }).toEqual(wanted);
    expect(fields).toMatchObject({ ...allowed, vary: "origin" });
  },
);

it("a preflight says as much", async () => {
  const { guard } = await ways((_, outgoing) => outgoing.writeHead(204, allowed).end());
  await ask(guard, { method: "OPTIONS", path, fields: { origin, "access-control-request-method": "POST" } });
  const { fields } = await ask(guard, { path, body: loopOf(9), fields: { origin } });
  expect(fields).toMatchObject(allowed);
});

it.each([{ origin: "https://evil.example" }, {}])("nothing is allowed to a page of %j", async (asking) => {
  const { guard } = await ways((_, outgoing) => outgoing.writeHead(200, allowed).end("{}"));
  await ask(guard, { ...chat, fields: { origin } });
  const { fields } = await ask(guard, { path, body: loopOf(9), fields: asking as Record<string, string> });
  expect(fields["x-unloop-verdict"]).toBe("short-circuit");
  expect(fields["access-control-allow-origin"]).toBeUndefined();
});
