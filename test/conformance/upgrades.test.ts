import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { describe, expect, it, onTestFinished } from "vitest";
import { rawConnection } from "../contracts/transport-rig.ts";
import { ways } from "./rig.ts";

const body = '{"messages":[{"role":"user","content":"hi"}]}';

const asking = (target: string) =>
  `GET ${target} HTTP/1.1\r\nhost: x\r\nconnection: keep-alive, Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nsec-websocket-protocol: realtime\r\nauthorization: Bearer sk-1\r\n\r\n`;

function echoing(seen: IncomingMessage[] = []) {
  return (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
    seen.push(incoming);
    socket.on("error", () => undefined);
    socket.write(
      "HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\nsec-websocket-protocol: realtime\r\n\r\n",
    );
    socket.write(head);
    socket.pipe(socket);
  };
}

const never = () => undefined;

/** A WebSocket that has been asked for, through a guard with these settings. */
async function asked(
  env: Record<string, string> = {},
  onUpgrade: ReturnType<typeof echoing> = echoing(),
  target = "/v1/realtime",
) {
  const rig = await ways(never, env, onUpgrade);
  const { socket, until } = rawConnection(rig.guard);
  socket.write(asking(target));
  return { ...rig, socket, until };
}

const noise = Buffer.from(Array.from({ length: 200_000 }, (_, i) => (i * 31) % 256));

describe("a WebSocket", () => {
  it.each([
    "/v1/realtime?model=gpt-realtime",
    "/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent?key=k",
    "/session/a-run/v1/realtime",
  ])("at %s is tunnelled byte for byte", async (target) => {
    const seen: IncomingMessage[] = [];
    const { guard } = await ways(never, {}, echoing(seen));
    const { socket, until } = rawConnection(guard);
    socket.write(Buffer.concat([Buffer.from(asking(target)), Buffer.from("early")]));
    const head = await until("early");
    expect(head).toMatch(/^HTTP\/1\.1 101 /);
    expect(head.toLowerCase()).toContain("sec-websocket-accept: s3ppl");
    expect(head.toLowerCase()).toMatch(/upgrade: websocket/);
    socket.write(noise);
    socket.write("the last");
    const heard = await until("the last");
    expect(heard.includes(noise.toString("latin1"))).toBe(true);
    expect(seen[0]?.url).toBe(target.replace("/session/a-run", ""));
    expect(seen[0]?.headers).toMatchObject({ authorization: "Bearer sk-1", "sec-websocket-protocol": "realtime" });
    expect(seen[0]?.headers["sec-websocket-key"]).toBe("dGhlIHNhbXBsZSBub25jZQ==");
  });

  it.each<{ name: string; end: (client: Socket, upstream: Socket) => void; by: "client" | "upstream"; error: boolean }>(
    [
      { name: "ends with its client", end: (client) => client.destroy(), by: "client", error: false },
      { name: "ends with its upstream", end: (_, upstream) => upstream.destroy(), by: "upstream", error: false },
      { name: "is reset as it is", end: (_, upstream) => upstream.resetAndDestroy(), by: "upstream", error: true },
    ],
  )("$name", async ({ end, by, error }) => {
    const sides: Duplex[] = [];
    const { socket, until } = await asked({}, (incoming, socket, head) => {
      sides.push(socket);
      echoing()(incoming, socket, head);
    });
    await until("101");
    const upstream = sides[0] as Socket;
    const closed = new Promise((resolve) => (by === "client" ? upstream : socket).once("close", resolve));
    end(socket, upstream);
    expect(await closed).toBe(error);
  });

  it.each(["WebSocket", "websocket, h2c"])(
    "asked for as %s is one, and what comes with its answer is not lost",
    async (name) => {
      const { guard } = await ways(never, {}, (_, socket) => {
        socket.on("error", never).pipe(socket);
        socket.write(
          "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\nset-cookie: a\r\nset-cookie: b\r\n\r\nfirst",
        );
      });
      const { socket, until } = rawConnection(guard);
      socket.write(asking("/v1/realtime").replace("upgrade: websocket", `upgrade: ${name}`));
      expect(await until("first")).toMatch(/set-cookie: a\r\nset-cookie: b\r\n\r\nfirst$/i);
    },
  );

  it("that the upstream refuses gets its answer", async () => {
    const { until } = await asked({}, (_, socket) => {
      socket.end("HTTP/1.1 401 Unauthorized\r\ncontent-length: 2\r\nx-request-id: r1\r\n\r\nno");
    });
    expect((await until("\r\n\r\nno")).toLowerCase()).toMatch(/^http\/1\.1 401 [\s\S]*x-request-id: r1/);
  });

  it("at a guarded endpoint is refused, so that agents fall back to HTTP", async () => {
    const { until } = await asked({}, echoing(), "/v1/responses");
    expect(await until("upgrade_required")).toMatch(/^HTTP\/1\.1 426 /);
  });

  it.each(["/unloop/api/nothing", "/%75nl%6Fop/api/%zz", "http://x/unloop/api/nothing"])(
    "at an operators' path is none, however that is written: nothing there is the upstream's (%s)",
    async (target) => {
      const seen: IncomingMessage[] = [];
      const { until } = await asked({}, echoing(seen), target);
      expect(await until("There is nothing here")).toMatch(/^HTTP\/1\.1 404 /);
      expect(seen).toEqual([]);
    },
  );

  it("ends when nothing has come from either side for too long", async () => {
    const { socket, until } = await asked({ UNLOOP_IDLE_TIMEOUT_MS: "100" });
    await until("101");
    await once(socket, "close");
  });

  it("beyond the limit is told so, until another one has ended", async () => {
    const { guard } = await ways(never, { UNLOOP_UPSTREAM_CONNECTIONS: "2" }, echoing());
    const begin = async () => {
      const { socket, until } = rawConnection(guard);
      socket.write(asking("/v1/realtime"));
      return { socket, status: /^HTTP\/1.1 (\d+)/.exec(await until("\r\n\r\n"))?.[1] };
    };
    const some = await Promise.all([begin(), begin(), begin()]);
    expect(some.map(({ status }) => status).sort()).toEqual(["101", "101", "501"]);
    for (const { socket } of some) socket.destroy();
    while ((await begin()).status !== "101");
  });

  it("is closed when the server ends", async () => {
    const { socket, until, drain } = await asked();
    await until("101");
    await Promise.all([drain(), once(socket, "close")]);
  });
});

it.each([
  ["of a POST", `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\n`],
  ["that the connection does not name", "POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\n"],
  ["that the connection does not name", "GET /v1/models HTTP/1.1\r\nhost: x\r\n"],
])("an upgrade %s is none", async (_, head) => {
  const { guard, arrived } = await ways((_, outgoing) => outgoing.end("{}"), {}, echoing());
  const { socket, until } = rawConnection(guard);
  socket.write(`${head}upgrade: websocket\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
  expect(await until("{}")).toMatch(/^HTTP\/1\.1 200 /);
  expect(arrived.map(({ bytes }) => String(bytes))).toEqual([body]);
});

it("an offer of another protocol is passed over, and the connection is kept", async () => {
  const { guard, arrived } = await ways((_, outgoing) => outgoing.end("{}"));
  const { socket, until } = rawConnection(guard);
  const offer = "connection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABkAAQCAAAAAAIAAAAA\r\n";
  const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\n${offer}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
  socket.write(head + body.slice(0, 10));
  await new Promise((resolve) => setImmediate(resolve));
  socket.write(body.slice(10));
  expect(await until("{}")).toMatch(/^HTTP\/1\.1 200 [\s\S]*x-unloop-verdict: ok/);
  expect(String(arrived[0]?.bytes)).toBe(body);
  socket.write(head.replace(offer, "") + body);
  while (arrived.length < 2) await once(socket, "data");
});

it("offers without end on one connection leave nothing behind on it", async () => {
  const warnings: string[] = [];
  const warned = ({ name }: Error) => warnings.push(name);
  process.on("warning", warned);
  onTestFinished(() => void process.off("warning", warned));
  const { guard, arrived } = await ways((_, outgoing) => outgoing.end("{}"));
  const { socket } = rawConnection(guard);
  for (let sent = 1; sent <= 12; sent += 1) {
    socket.write("GET /v1/models HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n");
    while (arrived.length < sent) await once(socket, "data");
  }
  expect(warnings).toEqual([]);
});
