import { describe, expect, it } from "vitest";
import { client, configFile } from "../admin/config-file.ts";
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

const closing = { origin, connection: "close" };

it.each<{ name: string; asked: Asked; status: number; verdict?: string; env?: Record<string, string> }>([
  { name: "a final answer", asked: { path, body: loopOf(9) }, verdict: "short-circuit", status: 200 },
  {
    name: "a streamed one",
    asked: { path, body: loopOf(9, { stream: true }) },
    verdict: "short-circuit",
    status: 200,
  },
  { name: "an error", asked: chat, verdict: "ok", status: 502 },
  { name: "an error elsewhere", asked: embeddings, status: 502 },
  {
    name: "a body too large",
    asked: { path, body: "x".repeat(2_000) },
    status: 413,
    env: { UNLOOP_MAX_BODY_BYTES: "1000" },
  },
  { name: "a path that climbs", asked: { path: "/v1/../x" }, status: 400 },
  {
    name: "an upstream that is silent",
    asked: { path: "/v1/silent", body: "{}" },
    status: 504,
    env: { UNLOOP_FIRST_BYTE_TIMEOUT_MS: "100" },
  },
])("the guard's own answers are for pages that the upstream allowed to read it ($name)", async (row) => {
  const { asked, status, verdict, env } = row;
  let isUp = true;
  const { guard } = await ways(({ socket, url }, outgoing) => {
    if (isUp) outgoing.writeHead(200, allowed).end("{}");
    else if (url !== "/v1/silent") socket.resetAndDestroy();
  }, env);
  await ask(guard, { ...embeddings, fields: { origin } });
  isUp = false;
  const heard = await ask(guard, { ...asked, fields: closing });
  expect([heard.status, heard.fields["x-unloop-verdict"]]).toEqual([status, verdict]);
  expect(heard.fields).toMatchObject({ ...allowed, vary: "origin" });
});

it("a preflight says as much, and needs no key of the guard's, which browsers do not send with it", async () => {
  const { path: file } = configFile(`clients: [${client("ci", "team")}]`);
  const rig = await ways((_, outgoing) => outgoing.writeHead(204, allowed).end(), { UNLOOP_CONFIG: file });
  const fields = { origin, "access-control-request-method": "POST", "access-control-request-headers": "authorization" };
  const [direct, guarded] = await bothWays(rig, { method: "OPTIONS", path, fields });
  expect(guarded).toEqual(direct);
  const refused = await ask(rig.guard, { ...chat, fields: { origin } });
  expect([refused.status, rig.arrived.length]).toEqual([401, 2]);
  expect(refused.fields).toMatchObject(allowed);
});

const preflight = { origin, "access-control-request-method": "POST" };

it.each<[what: string, request: Partial<Asked>]>([
  ["without a page", { fields: { "access-control-request-method": "POST" } }],
  ["with a key", { fields: { ...preflight, authorization: "Bearer of-another" } }],
  ["with a body", { fields: { ...preflight, "content-length": "2" }, body: "{}" }],
  ["for another method", { fields: { ...preflight, "x-http-method-override": "POST" } }],
])("what asks like a preflight %s is none, and needs a key", async (_, request) => {
  const { path: file } = configFile(`clients: [${client("ci", "team")}]`);
  const { guard, arrived } = await ways((_, outgoing) => outgoing.writeHead(204).end(), { UNLOOP_CONFIG: file });
  const { status } = await ask(guard, { method: "OPTIONS", path, ...request });
  expect([status, arrived.length]).toEqual([401, 0]);
});

it.each([{ origin: "https://evil.example" }, {}])("nothing is allowed to a page of %j", async (asking) => {
  const { guard } = await ways((_, outgoing) => outgoing.writeHead(200, allowed).end("{}"));
  await ask(guard, { ...chat, fields: { origin } });
  const { fields } = await ask(guard, { path, body: loopOf(9), fields: asking as Record<string, string> });
  expect(fields["x-unloop-verdict"]).toBe("short-circuit");
  expect(fields["access-control-allow-origin"]).toBeUndefined();
});
