import { describe, expect, it } from "vitest";
import { ask, chat, loopOf, ways } from "./rig.ts";

describe("slashes", () => {
  const messages = chat.body;
  const rows = [
    { path: "/v1/chat/completions/", body: messages },
    { path: "/v1//responses", body: '{"model":"m","stream":true,"input":"hi"}' },
    { path: "//v1/messages", body: messages },
    {
      path: "/v1beta/models/m:streamGenerateContent//?alt=sse",
      body: '{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}',
    },
    { path: "/api/chat/", body: messages },
    { path: "/v1/chat/%63ompletions?a=%2F", body: messages },
    {
      path: "/v1beta/models/a%2Fb%3AgenerateContent",
      body: '{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}',
    },
  ];
  it.each(rows)(
    "that are doubled or trail, and escapes, are matched, and forwarded as they came: $path",
    async ({ path, body }) => {
      const { guard, arrived } = await ways((_, outgoing) => outgoing.end("{}"));
      const { fields } = await ask(guard, { path, body });
      expect(fields["x-unloop-verdict"]).toBe("ok");
      expect(arrived.map(({ target }) => target)).toEqual([path]);
    },
  );

  it.each(["/v1/chat/completions/", "//v1//chat/completions", "/session/a-run//v1/chat/completions"])(
    "are no hole in the guard: a loop at %s is ended",
    async (path) => {
      const { guard, arrived } = await ways((_, outgoing) => outgoing.end("{}"));
      const { fields } = await ask(guard, { path, body: loopOf(9) });
      expect([fields["x-unloop-verdict"], arrived.length]).toEqual(["short-circuit", 0]);
    },
  );
});

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
