import { once } from "node:events";
import { createServer, request, type ServerResponse } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { answerTo, deferred } from "../contracts/transport-rig.ts";
import { bodyOf, closing, listening } from "../support/servers/http.ts";
import { startWorkerd, type Workerd } from "../support/servers/workerd.ts";

const body = Buffer.from('{"stream":true,"messages":[{"role":"user","content":"hi"}]}');

let arriving = deferred<ServerResponse>();
const upstream = createServer((incoming, response) => incoming.resume().on("end", () => arriving.resolve(response)));
let workerd: Workerd;
beforeAll(async () => {
  workerd = await startWorkerd({ UNLOOP_UPSTREAM: await listening(upstream) });
}, 120_000);
afterAll(async () => {
  await workerd?.stop();
  await closing(upstream);
});

async function begun(path: string) {
  arriving = deferred();
  const answering = answerTo(`${workerd.url}/v1/${path}`, { method: "POST", pieces: [body] });
  const response = await arriving.promise;
  response.writeHead(200, { "content-type": "text/event-stream" }).write("data: {}\n\n");
  const answer = await answering;
  expect(String(await once(answer, "data"))).toBe("data: {}\n\n");
  return { response, answer };
}

// With resets: on plain TCP workerd takes a mere end for a client that still listens, until it writes the next time.
describe.each(["chat/completions", "files"])(
  "workerd leaves the upstream of %s at once when the client goes",
  (path) => {
    it("before the head of an answer", async () => {
      arriving = deferred();
      const outgoing = request(`${workerd.url}/v1/${path}`, { method: "POST", agent: false });
      outgoing.on("error", () => undefined).end(body);
      const response = await arriving.promise;
      outgoing.socket?.resetAndDestroy();
      await once(response, "close");
    });

    it("within an answer that says nothing more", async () => {
      const { response, answer } = await begun(path);
      answer.on("error", () => undefined).socket.resetAndDestroy();
      await once(response, "close");
    });
  },
);

// It ends an answer whose stream errors as if it were complete.
it("a stream whose upstream dies within it ends with an error in workerd", async () => {
  const { response, answer } = await begun("chat/completions");
  response.destroy();
  expect(String(await bodyOf(answer))).toMatch(/event: error\ndata: \{.*"upstream_broke_off".*\n\n$/);
});
