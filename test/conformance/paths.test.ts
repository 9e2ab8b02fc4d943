import { describe, expect, it } from "vitest";
import { joinUpstream, redirectBehind } from "../../src/proxy/relay/forward.ts";
import { ask, loopOf, streamedRequests, ways } from "./rig.ts";

describe("slashes", () => {
  const spellings: readonly ((path: string) => string)[] = [
    (path) => `${path}/`,
    (path) => path.replace(/\/(?=[^/]*$)/, "//"),
    (path) => `//${path.slice(1)}`,
    (path) => `${path}//`,
  ];
  const rows = streamedRequests.map(({ path, body }, at) => {
    const [plain = "", ...query] = path.split("?");
    return { path: [spellings[at % 4]?.(plain), ...query].join("?"), body };
  });
  it.each(rows)("that are doubled or trail are matched, and forwarded as they came: $path", async ({ path, body }) => {
    const { guard, arrived } = await ways((_, outgoing) => outgoing.end("{}"));
    const { fields } = await ask(guard, { path, body });
    expect(fields["x-unloop-verdict"]).toBe("ok");
    expect(arrived.map(({ target }) => target)).toEqual([path]);
  });

  it.each(["/v1/chat/completions/", "//v1//chat/completions", "/session/a-run//v1/chat/completions"])(
    "are no hole in the guard: a loop at %s is ended",
    async (path) => {
      const { guard, arrived } = await ways((_, outgoing) => outgoing.end("{}"));
      const { fields } = await ask(guard, { path, body: loopOf(9) });
      expect([fields["x-unloop-verdict"], arrived.length]).toEqual(["short-circuit", 0]);
    },
  );
});

describe("a base with a version of its own takes the place of the agent's", () => {
  it.each([
    ["/api/coding/paas/v4", "/v1/chat/completions", "/api/coding/paas/v4/chat/completions"],
    ["/api/v3", "/v1/chat/completions?x=1", "/api/v3/chat/completions?x=1"],
    ["/v2/", "//v1/chat/completions", "/v2/chat/completions"],
    ["/v1/openai", "/v1/chat/completions", "/v1/openai/chat/completions"],
    ["/v1beta", "/v1beta/models/m:generateContent", "/v1beta/models/m:generateContent"],
    // Nothing of the agent's is in the way of it.
    ["/v4", "/chat/completions", "/v4/chat/completions"],
    ["/v1", "/v1beta/models/m:generateContent", "/v1/v1beta/models/m:generateContent"],
    ["/v1/account/gateway/anthropic", "/v1/messages", "/v1/account/gateway/anthropic/v1/messages"],
  ])("%s, asked for %s", (base, target, path) => {
    expect(joinUpstream(new URL(`http://api.example${base}`), target).path).toBe(path);
  });
});

describe("a redirect", () => {
  const base = new URL("https://api.example/api/v3");
  const asked = { target: "/v1/chat/completions", mount: "/session/a/groq" };
  it.each([
    [
      "to the upstream stays behind the guard",
      "https://api.example/api/v3/chat/completions/",
      "/session/a/groq/v1/chat/completions/",
    ],
    ["by a path does", "/api/v3/other?x=1#y", "/session/a/groq/v1/other?x=1#y"],
    ["relative to the request is as it came", "completions/", "completions/"],
    ["to another host is as it came", "https://files.example/1", "https://files.example/1"],
    [
      "to the same by another scheme is as it came",
      "http://api.example/api/v3/chat/completions",
      "http://api.example/api/v3/chat/completions",
    ],
    ["that leaves the base names the upstream", "/login", "https://api.example/login"],
    ["that is no URL is as it came", "http://[", "http://["],
  ])("%s", (_, location, told) => {
    expect(redirectBehind(location, base, asked)).toBe(told);
  });

  it.each(["/v1/chat/completions", "/v1/embeddings"])(
    "of the upstream leads its client back to the guard from %s",
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
});
