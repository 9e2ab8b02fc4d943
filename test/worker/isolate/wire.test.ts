import { describe, expect, it, onTestFinished } from "vitest";
import { unloop } from "../../../src/index.ts";
import { webTransport } from "../../../src/transport/web.ts";
import { openHost } from "../seams/network.ts";

interface WorkerSocket extends WebSocket {
  accept(): void;
}
type Upgraded = Response & { readonly webSocket: WorkerSocket | null };
declare const WebSocketPair: new () => Readonly<Record<0 | 1, WorkerSocket>>;

const text = JSON.stringify({ model: "m", messages: [{ role: "user", content: "hi ".repeat(1_000) }] });
const plain = new TextEncoder().encode(text);
const { decode = async () => undefined } = webTransport();

async function packed(format: CompressionFormat, bytes = plain): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream(format));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

describe("a coded request on Workers", () => {
  it.each(["gzip", "deflate", "deflate-raw"] as const)(
    "is decoded, but no further than is read (%s)",
    async (coding) => {
      const bytes = await packed(coding);
      expect(new TextDecoder().decode(await decode(coding, bytes, plain.length))).toBe(text);
      expect(await decode(coding, bytes, plain.length - 1)).toBeUndefined();
      expect(await decode(coding, bytes.subarray(0, -9), plain.length)).toBeUndefined();
      expect(await decode(coding, plain, plain.length)).toBeUndefined();
    },
  );

  it("that expands a thousandfold is given up early", async () => {
    const bomb = await packed("gzip", new Uint8Array(8 * 1024 * 1024));
    expect(bomb.length).toBeLessThan(100_000);
    expect(await decode("gzip", bomb, 1_000_000)).toBeUndefined();
  });

  it.each(["br", "constructor"])("in a coding that the platform has not is left as it is (%s)", async (coding) => {
    expect(await decode(coding, plain, plain.length)).toBeUndefined();
  });

  it.each([
    { coding: "gzip", verdict: "ok", unread: null },
    { coding: "br", verdict: "unguarded", unread: "coding" },
  ])("reaches the upstream as it came ($coding)", async ({ coding, verdict, unread }) => {
    const body = await packed("gzip");
    let arrived: readonly unknown[] = [];
    const host = openHost(async (request) => {
      arrived = [request.headers.get("content-encoding"), new Uint8Array(await request.arrayBuffer())];
      return Response.json({});
    });
    onTestFinished(host.close);
    const app = unloop({ upstream: host.url, transport: webTransport() });
    const headers = { "content-type": "application/json", "content-encoding": coding };
    const answer = await app.request("/v1/chat/completions", { method: "POST", headers, body });
    expect([answer.headers.get("x-unloop-verdict"), answer.headers.get("x-unloop-unread")]).toEqual([verdict, unread]);
    expect(arrived).toEqual([coding, body]);
  });
});

const upgrading = { headers: { upgrade: "websocket", connection: "Upgrade" } };

function rig(answer: (request: Request) => Response) {
  const host = openHost(async (request) => answer(request));
  onTestFinished(host.close);
  return unloop({ upstream: host.url, transport: webTransport({ joinsWebSockets: true }) });
}

it("a WebSocket on Workers is joined with the upstream's, texts and bytes both ways, until one side closes it", async () => {
  const asked: string[] = [];
  const app = rig((request) => {
    const { 0: webSocket, 1: server } = new WebSocketPair();
    asked.push(`${new URL(request.url).pathname} ${request.headers.get("upgrade")}`);
    server.accept();
    server.binaryType = "arraybuffer";
    server.addEventListener("message", ({ data }) => server.send(data));
    server.addEventListener("close", ({ code }) => asked.push(`closed ${code}`));
    const upgraded = { status: 101, webSocket };
    return new Response(null, upgraded);
  });
  const answer = await app.request("/v1/realtime?model=m", upgrading);
  const { status, webSocket } = answer as Upgraded;
  expect([status, asked]).toEqual([101, ["/v1/realtime websocket"]]);
  if (webSocket === null) throw new Error("no WebSocket");
  webSocket.accept();
  webSocket.binaryType = "arraybuffer";
  const heard: unknown[] = [];
  const both = new Promise<void>((resolve) => {
    webSocket.addEventListener("message", ({ data }) => heard.push(data) === 2 && resolve());
  });
  webSocket.send("hello");
  webSocket.send(new Uint8Array([0, 255]));
  await both;
  expect(heard).toEqual(["hello", new Uint8Array([0, 255]).buffer]);
  webSocket.close(4_000, "enough");
  await expect.poll(() => asked.at(-1)).toBe("closed 4000");
});
