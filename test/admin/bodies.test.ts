import { request } from "node:http";
import { expect, it, onTestFinished, vi } from "vitest";
import { jsonBody } from "../../src/admin/api/api.ts";
import { refuseWrong } from "../../src/admin/api/operation.ts";
import { operations } from "../../src/admin/api/operations.ts";
import { object } from "../../src/shapes/shapes.ts";
import { apiRig } from "./api-rig.ts";

const PIECE = 1024 * 1024;
const MOST = 12 * PIECE;
const headers = { "content-type": "application/json" };

it("a body of the admin API is counted while it is read, and not read beyond what one may have", async () => {
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent += PIECE;
      controller.enqueue(new Uint8Array(PIECE).fill(0x20));
    },
  });
  let held = 0;
  const init = { method: "POST", headers, body, duplex: "half" };
  const reading = jsonBody(new Request("http://x", init), (bytes) => {
    held += bytes;
  });
  await expect(reading).rejects.toMatchObject({ status: 413, code: "body_too_large" });
  expect(held).toBe(MOST);
  expect(sent).toBeLessThanOrEqual(MOST + 3 * PIECE);
});

it("it is counted among the bodies of all, and says 503 where they take all there is", async () => {
  const { url, metrics } = await apiRig({ UNLOOP_MAX_BODY_BYTES: "700000" });
  const { hostname, port } = new URL(url);
  const fields = { ...headers, "transfer-encoding": "chunked" };
  const first = request({ hostname, port, method: "POST", path: "/unloop/api/decide", headers: fields });
  first.on("error", () => undefined);
  onTestFinished(() => void first.destroy());
  first.write(Buffer.alloc(2 * PIECE, 0x20));
  const held = `unloop_held_bytes{of="bodies"} ${2 * PIECE}`;
  await vi.waitFor(async () => expect(await metrics()).toContain(held), 10_000);
  const body = " ".repeat(2 * PIECE);
  expect((await fetch(`${url}/unloop/api/decide`, { method: "POST", headers, body })).status).toBe(503);
});

it.each([
  [operations.containSession, { reason: " " }, "reason must be a text of 1 to 500 characters."],
  [operations.containSession, { reason: "costly", minuets: 5 }, '"minuets" is not a field of this body; it takes'],
  [operations.containSession, null, "The body must be an object."],
  [operations.dryRun, { policy: "a", sessions: Array(501).fill("s") }, "sessions must be a list of at most 500."],
] as const)("a body that an operation's schema does not allow is refused: %#", ({ body: shape }, body, message) => {
  expect(() => refuseWrong(shape, body, "body")).toThrow(message);
});

it("a query is refused by name, and by what it may be", () => {
  const { query = {} } = operations.listSessions;
  const refusing = (given: object) => expect(() => refuseWrong(object(query), given, "query"));
  refusing({ limti: "5" }).toThrow('"limti" is not a field of this query');
  for (const limit of ["x", "", "1.5", "0", "201"]) refusing({ limit }).toThrow("limit must be a whole number");
  for (const limit of ["1", "10", "99", "100", "101", "200"]) refusing({ limit }).not.toThrow();
  for (const name of ["state", "rung", "window"]) refusing({ [name]: "nudgee" }).toThrow(name);
});
