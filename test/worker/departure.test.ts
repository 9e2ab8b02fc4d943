import { once } from "node:events";
import { createServer, request, type Server, type ServerResponse } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { answerTo, deferred } from "../contracts/transport-rig.ts";
import { bodyOf, closing, listening } from "../support/servers/http.ts";
import { startWorkerd, type Workerd } from "../support/servers/workerd.ts";

const body = Buffer.from('{"stream":true,"messages":[{"role":"user","content":"hi"}]}');

let arrive: (response: ServerResponse) => void;
let upstream: Server;
let workerd: Workerd;

beforeAll(async () => {
  upstream = createServer((incoming, response) => incoming.resume().on("end", () => arrive(response)));
  workerd = await startWorkerd({ UNLOOP_UPSTREAM: await listening(upstream) });
}, 120_000);

afterAll(async () => {
  await workerd?.stop();
  await closing(upstream);
});

/** The next request upstream. */
function arrival(): Promise<ServerResponse> {
  const { promise, resolve } = deferred<ServerResponse>();
  arrive = resolve;
  return promise;
}

// With resets: on plain TCP workerd takes a mere end for a client that still listens, until it writes the next time.
describe("workerd leaves the upstream at once when the client goes", () => {
  it.each(["chat/completions", "files"])(
    "a client that goes before the head of an answer to %s ends it upstream",
    async (path) => {
      const arriving = arrival();
      const outgoing = request(`${workerd.url}/v1/${path}`, { method: "POST", agent: false }).on(
        "error",
        () => undefined,
      );
      outgoing.end(body);
      const response = await arriving;
      outgoing.socket?.resetAndDestroy();
      await once(response, "close");
    },
  );

  it.each(["chat/completions", "files"])("within an answer to %s that says nothing more", async (path) => {
    const arriving = arrival();
    const answering = answerTo(`${workerd.url}/v1/${path}`, { method: "POST", pieces: [body] });
    const response = await arriving;
    response.writeHead(200, { "content-type": "text/event-stream" }).write("data: {}\n\n");
    const answer = await answering;
    expect(String(await once(answer, "data"))).toBe("data: {}\n\n");
    answer.on("error", () => undefined).socket.resetAndDestroy();
    await once(response, "close");
  });
});

// It ends an answer whose stream errors as if it were complete.
it("a stream whose upstream dies within it ends with an error in workerd", async () => {
  const arriving = arrival();
  const answering = answerTo(`${workerd.url}/v1/chat/completions`, { method: "POST", pieces: [body] });
  const response = await arriving;
  response.writeHead(200, { "content-type": "text/event-stream" }).write("data: {}\n\n");
  const answer = await answering;
  await once(answer, "data");
  response.destroy();
  expect(String(await bodyOf(answer))).toMatch(/event: error\ndata: \{.*"upstream_broke_off".*\n\n$/);
});
