import { once } from "node:events";
import { expect, it } from "vitest";
import { rawConnection } from "../contracts/transport-rig.ts";
import { guardRig } from "../proxy/guard-rig.ts";
import { chatBody, user } from "../support/builders/chat-history.ts";

/* Requests in which a proxy and the server behind it could see two different things. */

const body = chatBody([user("hi")]);

async function answered(text: string): Promise<{ readonly answer: string; readonly asked: number }> {
  const { url, upstream } = await guardRig(() => ({ kind: "text", text: "Done." }));
  const { socket, received } = rawConnection(url);
  socket.write(text);
  await once(socket, "close");
  return { answer: received(), asked: upstream.requests.length };
}

const post = (fields: readonly string[], rest = body, version = "1.1", method = "POST") =>
  [`${method} /v1/chat/completions HTTP/${version}`, "connection: close", ...fields, "", rest].join("\r\n");
const length = `content-length: ${body.length}`;

it.each([
  { name: "with two hosts", text: post(["host: x", "Host: y", length]), says: "one Host" },
  {
    name: "with a transfer coding beside chunked",
    text: post(["host: x", "transfer-encoding: gzip, chunked"], "2\r\nhi\r\n0\r\n\r\n"),
    says: "transfer coding",
  },
  { name: "of a version that is not spoken", text: post(["host: x", length], body, "2.0"), says: "HTTP/2.0" },
  {
    name: "with more header fields than are read",
    text: post(["host: x", length, ...Array.from({ length: 1_000 }, (_, i) => `h${i}:1`)]),
    says: "more than 1000 header fields",
  },
  {
    name: "to a forward proxy",
    text: "CONNECT api.example:443 HTTP/1.1\r\nhost: api.example:443\r\n\r\n",
    says: "is no HTTP_PROXY",
  },
  {
    name: "whose target names another host",
    text: post(["host: x", length]).replace(" /v1", " http://y/v1"),
    says: "names another host",
  },
  { name: "under another site's name, on loopback", text: post(["host: evil.example:80", length]), says: "own names" },
  { name: "to have its own fields sent back", text: post(["host: x"], "", "1.1", "TRACE"), says: "TRACE" },
])("a request $name is refused, and its connection closed", async ({ text, says }) => {
  const { answer, asked } = await answered(text);
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(JSON.parse(answer.split("\r\n\r\n")[1] ?? "")).toMatchObject({
    error: { code: "request_refused", message: expect.stringContaining(says) },
  });
  expect(asked).toBe(0);
});

it.each([
  { name: "as a container asks its machine", text: post(["host: host.docker.internal:8787", length]) },
  {
    name: "with nine hundred header fields",
    text: post(["host: x", length, ...Array.from({ length: 900 }, (_, i) => `h${i}:1`)]),
  },
])("an ordinary request $name passes", async ({ text }) => {
  const { answer, asked } = await answered(text);
  expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  expect(asked).toBe(1);
});
