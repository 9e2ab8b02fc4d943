import { request } from "node:http";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { jsonBody } from "../../src/admin/api/api.ts";
import { startGuard } from "../support/servers/guarded.ts";

const PIECE = 1024 * 1024;
const MOST = 12 * PIECE;
const token = "t".repeat(20);
const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };

/** A request of blanks without end and without a length, and how much of it was asked for. */
function endless() {
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent += PIECE;
      controller.enqueue(new Uint8Array(PIECE).fill(0x20));
    },
  });
  const init = { method: "POST", headers, body, duplex: "half" };
  return { request: new Request("http://x", init), sent: () => sent };
}

describe("a body of the admin API", () => {
  it("is counted while it is read, and not read beyond what one may have", async () => {
    const { request: asked, sent } = endless();
    let held = 0;
    const reading = jsonBody(asked, (bytes) => {
      held += bytes;
    });
    await expect(reading).rejects.toMatchObject({ status: 413, code: "body_too_large" });
    expect(held).toBe(MOST);
    expect(sent()).toBeLessThanOrEqual(MOST + 3 * PIECE);
  });
});

/** Sends a body in chunks until it is answered. */
function chunked(url: string, pieces: number): Promise<{ readonly status: number | undefined; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { method: "POST", headers: { ...headers, "transfer-encoding": "chunked" } });
    let isAnswered = false;
    asked.on("response", async (answer) => {
      isAnswered = true;
      resolve({ status: answer.statusCode, text: (await answer.toArray()).join("") });
    });
    asked.on("error", (error) => !isAnswered && reject(error));
    let left = pieces;
    const piece = Buffer.alloc(PIECE, 0x20);
    const write = () => {
      while (left-- > 0 && !isAnswered) if (!asked.write(piece)) return void asked.once("drain", write);
      asked.end();
    };
    write();
  });
}

it("it is counted among the bodies of all, and says 503 where they take all there is", async () => {
  const guard = await startGuard({
    upstream: "http://127.0.0.1:9",
    env: { UNLOOP_MAX_BODY_BYTES: "700000" },
  });
  onTestFinished(guard.close);
  const { hostname, port } = new URL(guard.url);
  const first = request({
    hostname,
    port,
    method: "POST",
    path: "/unloop/api/decide",
    headers: { ...headers, "transfer-encoding": "chunked" },
  });
  first.on("error", () => undefined);
  onTestFinished(() => void first.destroy());
  first.write(Buffer.alloc(2 * PIECE, 0x20));
  await vi.waitFor(async () => {
    const metrics = await (await fetch(`${guard.url}/unloop/metrics`)).text();
    expect(Number(/^unloop_held_bytes\{of="bodies"\} (\d+)/m.exec(metrics)?.[1])).toBe(2 * PIECE);
  }, 10_000);
  expect((await chunked(`${guard.url}/unloop/api/decide`, 2)).status).toBe(503);
});
