import { describe, expect, it } from "vitest";
import { ask, chat, loopOf, ways } from "./rig.ts";
import * as zlib from "node:zlib";

const contents = '{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}';

it.each([
  ["/v1/chat/completions/", chat.body],
  ["/v1//responses", '{"model":"m","stream":true,"input":"hi"}'],
  ["//v1/messages", chat.body],
  ["/v1beta/models/m:streamGenerateContent//?alt=sse", contents],
  ["/api/chat/", chat.body],
  ["/v1/chat/%63ompletions?a=%2F", chat.body],
  ["/v1beta/models/a%2Fb%3AgenerateContent", contents],
  ["/session/a-run//v1/chat/completions", chat.body],
])(
  "slashes that are doubled or trail, and escapes, are no hole in the guard, and forwarded as they came: %s",
  async (path, body) => {
    const { guard, arrived } = await ways((_, outgoing) => outgoing.end("{}"));
    const { fields } = await ask(guard, { path, body });
    expect(fields["x-unloop-verdict"]).toBe("ok");
    expect(arrived.map(({ target }) => target)).toEqual([path.replace("/session/a-run", "")]);
  },
);

it.each(["/v1/chat/completions", "/v1/embeddings"])(
  "a redirect of the upstream leads its client back to the guard from %s",
  async (path) => {
    const { guard, arrived } = await ways(({ url = "", headers }, outgoing) => {
      if (url.endsWith("/")) outgoing.end("{}");
      else outgoing.writeHead(307, { location: `http://${headers.host}${url}/` }).end();
    });
    const response = await fetch(`${guard}/session/a-run${path}`, { method: "POST", body: loopOf(1) });
    expect([response.status, new URL(response.url).origin]).toEqual([200, guard]);
    expect(arrived.map(({ target }) => target)).toEqual([path, `${path}/`]);
  },
);

const { path } = chat;

const zstdCompressSync: typeof zlib.gzipSync | undefined = Reflect.get(zlib, "zstdCompressSync");
const codings: readonly { coding: string; pack: (text: string) => Uint8Array }[] = [
  { coding: "gzip", pack: zlib.gzipSync },
  { coding: "deflate", pack: zlib.deflateSync },
  { coding: "deflate", pack: zlib.deflateRawSync },
  { coding: "br", pack: zlib.brotliCompressSync },
  { coding: "X-GZIP", pack: zlib.gzipSync },
  { coding: "gzip, br", pack: (text) => zlib.brotliCompressSync(zlib.gzipSync(text)) },
  { coding: "identity", pack: (text) => Buffer.from(text) },
  ...(zstdCompressSync === undefined ? [] : [{ coding: "zstd", pack: zstdCompressSync }]),
];

it.each(codings)(
  "a request in a content coding is guarded as a plain one is, and forwarded as it came ($coding)",
  async ({ coding, pack }) => {
    const { guard, arrived } = await ways((_, outgoing) => outgoing.end("{}"));
    const verdicts: unknown[] = [];
    for (let laps = 0; laps <= 8; laps++) {
      const fields = { "content-encoding": coding };
      const heard = await ask(guard, { path, fields, body: pack(loopOf(laps)) });
      verdicts.push(heard.fields["x-unloop-verdict"]);
    }
    expect(verdicts.slice(0, 4)).toEqual(["ok", "ok", "ok", "nudge"]);
    expect(verdicts.at(-1)).toBe("short-circuit");
    arrived.slice(0, 3).forEach(({ fields, bytes }, laps) => {
      expect(fields["content-encoding"]).toBe(coding);
      expect(bytes.equals(Buffer.from(pack(loopOf(laps))))).toBe(true);
    });
    if (coding !== "identity") expect(arrived[3]?.fields["content-encoding"]).toBeUndefined();
    expect(JSON.parse(String(arrived[3]?.bytes))).toBeDefined();
  },
);

const bomb = zlib.gzipSync(Buffer.alloc(64 * 1024 * 1024, " "));
const fourfold = [1, 2, 3, 4].reduce((bytes) => zlib.gzipSync(bytes), Buffer.from(loopOf(2)));
const marked = Buffer.from(`\ufeff${loopOf(2)}`);

describe("what cannot be read is forwarded as it came, and said to be unguarded", () => {
  it.each([
    { name: "a coding that nobody knows", coding: "snappy", body: Buffer.from(loopOf(2)), reason: "coding" },
    { name: "bytes that are not of their coding", coding: "gzip", body: Buffer.from(loopOf(2)), reason: "coding" },
    { name: "a bomb", coding: "gzip", body: bomb, reason: "coding" },
    { name: "UTF-16", body: Buffer.from(loopOf(2), "utf16le"), reason: "encoding" },
    { name: "UTF-16 behind its mark", body: Buffer.from(`\ufeff${loopOf(2)}`, "utf16le"), reason: "encoding" },
    { name: "Latin-1", body: Buffer.from(loopOf(2).replace("What", "Wh\xe4t"), "latin1"), reason: "encoding" },
    { name: "four codings", coding: "gzip, gzip, gzip, gzip", body: fourfold, reason: "coding" },
    { name: "one half of two codings", coding: "gzip, br", body: zlib.gzipSync(loopOf(2)), reason: "coding" },
    { name: "NaN", body: Buffer.from('{"temperature":NaN,"messages":[]}'), reason: "json" },
    { name: "another shape", body: Buffer.from('{"messages":"hi"}'), reason: "shape" },
    { name: "more than 32 MB", body: Buffer.alloc(33 * 1024 * 1024, "x"), reason: "size" },
  ] as readonly { name: string; coding?: string; body: Buffer; reason: string }[])(
    "$name",
    async ({ coding, body, reason }) => {
      const { guard, arrived } = await ways((_, outgoing) => outgoing.end("{}"));
      const fields: Record<string, string> = coding === undefined ? {} : { "content-encoding": coding };
      const heard = await ask(guard, { path, body, fields: { ...fields, "content-length": String(body.length) } });
      expect([heard.status, heard.fields["x-unloop-verdict"], heard.fields["x-unloop-unread"]]).toEqual([
        200,
        "unguarded",
        reason,
      ]);
      expect(arrived[0]?.bytes.equals(body)).toBe(true);
      expect(arrived[0]?.fields["content-encoding"]).toBe(coding);
      expect(arrived[0]?.fields["content-type"]).toBe("application/json");
      const metrics = await ask(guard, { method: "GET", path: "/unloop/metrics" });
      expect(String(metrics.bytes)).toContain(`unloop_unguarded_requests_total{endpoint="unread-${reason}"} 1`);
    },
  );

  it("a byte order mark is nothing to stumble over", async () => {
    const { guard, arrived } = await ways((_, outgoing) => outgoing.end("{}"));
    const { fields } = await ask(guard, { path, body: marked });
    expect(fields["x-unloop-verdict"]).toBe("ok");
    expect(arrived[0]?.bytes.equals(marked)).toBe(true);
  });
});

it.each(["none", "utf-8", ""])(
  "an answer whose coding is %j is read: the call that would go on with a loop is kept",
  async (coding) => {
    const call = { index: 0, id: "c9", function: { name: "read", arguments: '{"path":"a"}' } };
    const event = `data: ${JSON.stringify({ id: "a", choices: [{ index: 0, delta: { tool_calls: [call] } }] })}\n\n`;
    const { guard, arrived } = await ways((_, outgoing) => {
      outgoing.writeHead(200, { "content-type": "text/event-stream", "content-encoding": coding });
      outgoing.end(`${event}data: [DONE]\n\n`);
    });
    const { fields } = await ask(guard, { path, body: loopOf(2, { stream: true }) });
    expect([fields["content-encoding"], arrived.length]).toEqual([coding, 2]);
  },
);
