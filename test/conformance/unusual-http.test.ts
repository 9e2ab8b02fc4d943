import { describe, expect, it, onTestFinished } from "vitest";
import { client, configFile } from "../admin/config-file.ts";
import { type Asked, ask, bothWays, chat, embeddings, loopOf, ways, expectSame } from "./rig.ts";
import { once } from "node:events";
import { createServer } from "node:net";
import { rawConnection } from "../contracts/transport-rig.ts";
import { listening } from "../support/servers/http.ts";

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

const listing: Asked = { method: "GET", path: "/v1/models" };
const many = (letter: string) => Array.from({ length: 150 }, (_, i) => `${letter}-${i}: ${i}`).join("\r\n");
const chunked = (text: string) => `${Buffer.byteLength(text, "latin1").toString(16)}\r\n${text}\r\n`;
const json = "content-type: application/json";
const events = "200 OK\r\ncontent-type: text/event-stream\r\n";

/** Answers as they stand on the wire, behind `HTTP/1.1`; each ends with its connection. Plain ones of each status are the contract's. */
const answers: readonly { name: string; asked?: Asked; raw: string }[] = [
  {
    name: "HEAD with a length",
    asked: { ...listing, method: "HEAD" },
    raw: `200 OK\r\n${json}\r\ncontent-length: 99\r\n\r\n`,
  },
  {
    name: "HEAD of chunks",
    asked: { ...listing, method: "HEAD" },
    raw: "200 OK\r\ntransfer-encoding: chunked\r\n\r\n",
  },
  { name: "205 with a body", raw: "205 Reset Content\r\ncontent-length: 2\r\n\r\nhi" },
  { name: "no words behind the status", raw: "200\r\ncontent-length: 2\r\n\r\n{}" },
  {
    name: "fields twice",
    raw: "200 OK\r\nlink: <a>; rel=next\r\nlink: <b>\r\ncache-control: no-cache\r\ncache-control: private\r\ncontent-length: 2\r\n\r\n{}",
  },
  { name: "many fields", raw: `200 OK\r\n${many("y")}\r\ncontent-length: 2\r\n\r\n{}` },
  {
    name: "odd names and values",
    raw: "200 OK\r\nx_a.b: c\r\nx-empty:\r\nx-tab: a\tb\r\nx-l: na\xefve\r\nx-u: \xe3\x81\x82\r\ncontent-length: 2\r\n\r\n{}",
  },
  {
    name: "extensions of chunks",
    raw: `200 OK\r\n${json}\r\ntransfer-encoding: chunked\r\n\r\n2;a="b"\r\n{}\r\n0\r\n\r\n`,
  },
  {
    name: "sizes of chunks with zeros",
    raw: "200 OK\r\ntransfer-encoding: chunked\r\n\r\n00A\r\n0123456789\r\n000\r\n\r\n",
  },
  { name: "no length", raw: `200 OK\r\n${json}\r\n\r\n{}` },
  {
    name: "events with comments, ids and names",
    raw: `${events}\r\n: PROCESSING\n\nid: 1\nevent: x\nretry: 5\ndata: {"a":\ndata: 1}\n\n: bye\n\n`,
  },
  { name: "events that are no UTF-8", raw: `${events}\r\ndata: \xff\xfe\xc0\x00\n\n` },
  { name: "an event that lacks its end", raw: `${events}\r\ndata: {"a":1}` },
  { name: "no event", raw: `${events}\r\n` },
  { name: "events without a type", raw: '200 OK\r\n\r\ndata: {"a":1}\n\n' },
];

it("answers, however they are written, arrive as they come directly", async () => {
  let raw = "";
  const rig = await ways(({ socket }) => void socket.end(`HTTP/1.1 ${raw}`, "latin1"));
  for (const row of answers) {
    raw = row.raw;
    for (const asked of row.asked === undefined ? [chat, embeddings] : [row.asked])
      await expectSame(rig, asked, row.name);
  }
});

const upload = { method: "POST", path: "/v1/files" };
const requests: readonly Asked[] = [
  { ...listing, path: `/v1/x?a=b&a=c&&=d&e=%20+%2B&f=[1]&g={"a":1}&h='"<>|^\`` },
  { ...listing, path: "/v1/files/a%2Fb%20c%3Fd%23e/%zz/%" },
  { ...listing, path: "/v1/x??a?b=/../c;d" },
  { ...listing, path: "/?x" },
  { ...listing, path: "/v1/x;a=b/c:d@e!$&'()*+,=~" },
  { ...listing, body: "{}", fields: { "content-length": "2" } },
  { method: "DELETE", path: "/v1/x", body: "{}", fields: { "content-length": "2" } },
  { method: "PURGE", path: "/v1/x" },
  { method: "SEARCH", path: "/v1/x", body: "{}" },
  { ...chat, body: "" },
  { ...upload, body: "" },
  { ...upload, fields: { "transfer-encoding": "chunked" }, body: "" },
  {
    ...chat,
    fields: {
      "x-empty": "",
      "x-l": "caf\xe9",
      x_y: "1",
      "x-forwarded-for": "1.2.3.4",
      via: "1.1 a",
      cookie: 'a=1; b="q"',
    },
  },
];

it.each(requests)("requests, however they are written, arrive as they do directly: $method $path", async (asked) => {
  await expectSame(await ways((_, outgoing) => outgoing.end("{}")), asked);
});

const host = "host: 127.0.0.1\r\n";

it.each<{ name: string; text: string; body?: string; path?: string }>([
  {
    name: "extensions of chunks",
    text: `POST /v1/files HTTP/1.1\r\n${host}transfer-encoding: chunked\r\n\r\n5;name="v"\r\nhello\r\n0;last\r\n\r\n`,
    body: "hello",
  },
  {
    name: "trailers",
    text: `POST /v1/files HTTP/1.1\r\n${host}transfer-encoding: chunked\r\ntrailer: x\r\n\r\n${chunked("hello")}0\r\nx: 1\r\n\r\n`,
    body: "hello",
  },
  {
    name: "a guarded body in chunks",
    text: `POST ${chat.path} HTTP/1.1\r\n${host}transfer-encoding: Chunked\r\n\r\n${chunked(chat.body)}0\r\n\r\n`,
    body: chat.body,
  },
  {
    name: "HTTP/1.0",
    text: `POST ${chat.path} HTTP/1.0\r\n${host}content-length: ${chat.body.length}\r\n\r\n${chat.body}`,
    body: chat.body,
  },
  { name: "HTTP/1.0 without a host", text: "GET /v1/models HTTP/1.0\r\n\r\n" },
  { name: "the whole URL", text: `GET http://127.0.0.1/v1/models?a HTTP/1.1\r\n${host}\r\n`, path: "/v1/models?a" },
  { name: "an empty line before it", text: `\r\nGET /v1/models HTTP/1.1\r\n${host}\r\n` },
  {
    name: "names in capitals, values between blanks",
    text: `GET /v1/models HTTP/1.1\r\nHOST: 127.0.0.1\r\nX-A:   b   \r\n\r\n`,
  },
  {
    name: "no length of a POST",
    text: `POST /v1/batches/1/cancel HTTP/1.1\r\n${host}\r\n`,
    path: "/v1/batches/1/cancel",
  },
])("what a client writes by hand is understood: $name", async ({ text, body = "", path }) => {
  const { guard, arrived } = await ways((_, outgoing) => outgoing.end("{}"));
  const { socket, until } = rawConnection(guard);
  socket.write(text, "latin1");
  expect(await until("{}")).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(arrived.map(({ bytes }) => String(bytes))).toEqual([body]);
  if (path !== undefined) expect(arrived[0]?.target).toBe(path);
});

it.each([chat, upload])("an upstream that refuses an upload before its end is heard ($path)", async ({ path }) => {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () =>
      socket.end("HTTP/1.1 413 Payload Too Large\r\ncontent-length: 2\r\nconnection: close\r\n\r\nno"),
    );
  });
  const upstream = await listening(server);
  onTestFinished(() => void server.close());
  const { guard } = await ways(() => undefined, { UNLOOP_UPSTREAM: upstream });
  const { status, bytes } = await ask(guard, { path, body: Buffer.alloc(4 << 20, "x") });
  expect([status, String(bytes)]).toEqual([413, "no"]);
});

it("a client that has its answer may send its next request on the same connection, whatever became of the first", async () => {
  const { guard, arrived } = await ways(({ url, socket }, outgoing) => {
    if (url === "/v1/broken") socket.resetAndDestroy();
    else outgoing.end("{}");
  });
  const { socket, until } = rawConnection(guard);
  for (const path of ["/v1/broken", "/v1/../x", "/v1/models"]) socket.write(`GET ${path} HTTP/1.1\r\n${host}\r\n`);
  expect((await until("\r\n\r\n{}")).match(/HTTP\/1\.1 \d+/g)).toEqual([
    "HTTP/1.1 502",
    "HTTP/1.1 400",
    "HTTP/1.1 200",
  ]);
  expect(arrived).toHaveLength(2);
  socket.end();
  await once(socket, "close");
});
