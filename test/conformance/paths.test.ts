import { describe, expect, it, onTestFinished } from "vitest";
import { startGuard } from "../support/servers/guarded.ts";
import { ask, chat, loopOf, ways } from "./rig.ts";

async function behind(base: string, listener: Parameters<typeof ways>[0] = (_, outgoing) => outgoing.end("{}")) {
  const { upstream, arrived } = await ways(listener);
  const { url: guard, close } = await startGuard({ upstream: upstream + base });
  onTestFinished(close);
  return { guard, arrived };
}

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

it.each([
  ["/v1", "/v1/chat/completions", "/v1/chat/completions"],
  ["/v1/", "/v1/models?a=1", "/v1/models?a=1"],
  ["/api/coding/paas/v4", "/v1/chat/completions", "/api/coding/paas/v4/chat/completions"],
  ["/api/v3", "//v1/chat/completions/", "/api/v3/chat/completions/"],
  ["/v2.1", "/v1/embeddings", "/v2.1/embeddings"],
  ["/v2", "/chat/completions", "/v2/chat/completions"],
  ["/v1beta/openai", "/v1/chat/completions", "/v1beta/openai/chat/completions"],
  ["/proxy", "/v1/responses", "/proxy/v1/responses"],
])("a base of %s takes %s as %s", async (base, path, target) => {
  const { guard, arrived } = await behind(base);
  const { status } = await ask(guard, { path, body: path.includes("responses") ? '{"input":"hi"}' : chat.body });
  expect([status, arrived.map((one) => one.target)]).toEqual([200, [target]]);
});

it.each([
  { base: "", says: "http://HOST/v1/x/", location: "/session/a-run/v1/x/" },
  { base: "/api/v3", says: "http://HOST/api/v3/x/?a=%20", location: "/session/a-run/v1/x/?a=%20" },
  { base: "", says: "/v1/x/", location: "/session/a-run/v1/x/" },
  { base: "", says: "../y?a#b", location: "../y?a#b" },
  { base: "", says: "https://other.example/v1/x", location: "https://other.example/v1/x" },
  { base: "/api/v3", says: "/elsewhere", location: "http://HOST/elsewhere" },
  { base: "", says: "not a URL :", location: "not a URL :" },
])("a redirect to $says, of a base of $base, is told as $location", async ({ base, says, location }) => {
  let host = "";
  const { guard } = await behind(base, ({ headers }, outgoing) => {
    host = headers.host ?? "";
    outgoing.writeHead(308, { location: says.replace("HOST", host) }).end();
  });
  const { status, fields } = await ask(guard, { path: "/session/a-run/v1/x", body: "{}" });
  expect([status, fields.location]).toEqual([308, location.replace("HOST", host)]);
});
