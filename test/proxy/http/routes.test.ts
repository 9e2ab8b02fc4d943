import { describe, expect, it, onTestFinished } from "vitest";
import { joinUpstream } from "../../../src/proxy/relay/forward.ts";
import { routeOf, routesFor, type Upstreams } from "../../../src/proxy/http/endpoint.ts";
import { answerTo } from "../../contracts/transport-rig.ts";
import { healthy } from "../../support/agents/scripts.ts";
import { scriptedUpstream } from "../../support/servers/upstream.ts";
import { guardBefore, post } from "../guard-rig.ts";

interface Asked {
  readonly target: string;
  readonly wire?: string;
  readonly fields?: Readonly<Record<string, string>>;
}

function sent(upstreams: Upstreams, { target, wire, fields = {} }: Asked): string {
  const route = routeOf(routesFor(upstreams), { target, wire, header: (name) => fields[name] });
  const { origin, path } = joinUpstream(route.upstream, route.target);
  return origin + path;
}

const vertex = (region: string) => `projects/p/locations/${region}/publishers/anthropic/models/claude`;
const claude = { "anthropic-version": "2023-06-01" };

describe("without a word from the operator each wire format goes to its maker", () => {
  it.each<Asked & { to: string }>([
    { target: "/v1/chat/completions", wire: "chat-completions", to: "https://api.openai.com/v1/chat/completions" },
    { target: "/v1/responses?a=b", wire: "responses", to: "https://api.openai.com/v1/responses?a=b" },
    { target: "/v1/messages", wire: "messages", to: "https://api.anthropic.com/v1/messages" },
    { target: "/api/chat", wire: "ollama", to: "http://127.0.0.1:11434/api/chat" },
    {
      target: "/v1beta1/publishers/google/models/gemini-2.5-flash:generateContent",
      wire: "gemini",
      to: "https://aiplatform.googleapis.com/v1beta1/publishers/google/models/gemini-2.5-flash:generateContent",
    },
    { target: "/api/tags", to: "http://127.0.0.1:11434/api/tags" },
    { target: "/api/show?a", to: "http://127.0.0.1:11434/api/show?a" },
    { target: "/api/delete", to: "https://api.openai.com/api/delete" },
    { target: "/api/generated", to: "https://api.openai.com/api/generated" },
    {
      target: `/v1/${vertex("us-east5")}:rawPredict`,
      wire: "messages",
      to: `https://us-east5-aiplatform.googleapis.com/v1/${vertex("us-east5")}:rawPredict`,
    },
    { target: `/v1/${vertex("global")}`, to: `https://aiplatform.googleapis.com/v1/${vertex("global")}` },
    { target: `/v1/${vertex("eu")}`, to: `https://aiplatform.eu.rep.googleapis.com/v1/${vertex("eu")}` },
    { target: `/v1/${vertex("evil.example")}`, to: `https://api.openai.com/v1/${vertex("evil.example")}` },
    { target: `/v1/${vertex("a%2f")}`, to: `https://api.openai.com/v1/${vertex("a%2f")}` },
    { target: "/v1/models", to: "https://api.openai.com/v1/models" },
    { target: "/v1/models", fields: claude, to: "https://api.anthropic.com/v1/models" },
    {
      target: "/v1beta/models/g:generateContent",
      wire: "gemini",
      to: "https://generativelanguage.googleapis.com/v1beta/models/g:generateContent",
    },
    {
      target: "/v1beta/models/g:countTokens",
      fields: { "x-goog-api-key": "k" },
      to: "https://generativelanguage.googleapis.com/v1beta/models/g:countTokens",
    },
    {
      target: "/gemini/v1beta/files",
      to: "https://generativelanguage.googleapis.com/v1beta/files",
    },
    { target: "/openai/v1/responses", wire: "responses", to: "https://api.openai.com/v1/responses" },
    { target: "/anthropic/v1/messages", wire: "messages", to: "https://api.anthropic.com/v1/messages" },
    {
      target: "/anthropic/v1/chat/completions",
      wire: "chat-completions",
      to: "https://api.anthropic.com/v1/chat/completions",
    },
    { target: "/anthropic?a", to: "https://api.anthropic.com/?a" },
    { target: "/openaiish/v1/models", to: "https://api.openai.com/openaiish/v1/models" },
  ])("$target ($wire) goes to $to", ({ to, ...asked }) => {
    expect(sent({}, asked)).toBe(to);
  });
});

describe("one upstream is for all wire formats, and for every path", () => {
  const upstream = new URL("https://gateway.example/team/v1");

  it.each<Asked & { to: string }>([
    { target: "/v1/messages", wire: "messages", fields: claude, to: "https://gateway.example/team/v1/messages" },
    { target: "/openai/v1/responses", wire: "responses", to: "https://gateway.example/team/v1/openai/v1/responses" },
  ])("$target", ({ to, ...asked }) => {
    expect(sent({ upstream }, asked)).toBe(to);
  });
});

describe("upstreams by the beginning of the path", () => {
  const upstreams = {
    "/groq": new URL("https://api.groq.com/openai"),
    "/groq/eu/": new URL("https://eu.groq.example/openai/v1"),
    "/local": new URL("http://127.0.0.1:11434"),
  };

  it.each<Asked & { to: string; others?: Upstreams }>([
    { target: "/groq/v1/chat/completions", to: "https://api.groq.com/openai/v1/chat/completions" },
    { target: "/groq/eu/v1/chat/completions", to: "https://eu.groq.example/openai/v1/chat/completions" },
    { target: "/local/v1/models?x", to: "http://127.0.0.1:11434/v1/models?x" },
    { target: "/v1/messages", wire: "messages", to: "https://api.anthropic.com/v1/messages" },
    { target: "/anthropic/v1/messages", wire: "messages", to: "https://api.anthropic.com/v1/messages" },
  ])("$target goes to $to", ({ to, ...asked }) => {
    expect(sent({ upstreams }, asked)).toBe(to);
  });

  it("have one for all other paths", () => {
    const all = { ...upstreams, "/": new URL("https://gateway.example") };
    expect(sent({ upstreams: all }, { target: "/v1/messages", wire: "messages" })).toBe(
      "https://gateway.example/v1/messages",
    );
    expect(sent({ upstreams: all }, { target: "/openai/v1/models" })).toBe("https://gateway.example/openai/v1/models");
  });

  it("lead one guard to several servers, with the prefix taken off, and guard them all", async () => {
    const [one, other] = await Promise.all([scriptedUpstream(healthy(0)), scriptedUpstream(healthy(0))]);
    onTestFinished(async () => void (await Promise.all([one.close(), other.close()])));
    const { url } = await guardBefore(one.url, { upstreams: { "/other": `${other.url}/base` } });
    const body = JSON.stringify({ messages: [{ role: "user", content: "Hello." }] });
    for (const base of [url, `${url}/other`, `${url}/session/a-run-1/other`]) {
      const { status, headers } = await post(base, body);
      expect([status, headers.get("x-unloop-verdict")]).toEqual([200, "ok"]);
    }
    expect(one.requests.map(({ target }) => target)).toEqual(["/v1/chat/completions"]);
    expect(other.requests.map(({ target }) => target)).toEqual([
      "/base/v1/chat/completions",
      "/base/v1/chat/completions",
    ]);
  });
});

describe("a WebSocket", () => {
  it.each([
    { path: "/v1/chat/completions", status: 426, code: "upgrade_required" },
    { path: "/v1/realtime", status: 501, code: "upgrade_unsupported" },
  ])(
    "at $path is refused with $status, so that agents know at once what to do instead",
    async ({ path, status, code }) => {
      const upstream = await scriptedUpstream(healthy(0));
      onTestFinished(() => upstream.close());
      const { url } = await guardBefore(upstream.url);
      const answer = await answerTo(url + path, {
        method: "GET",
        headers: { connection: "Upgrade", upgrade: "websocket" },
      });
      expect(answer.statusCode).toBe(status);
      answer.setEncoding("utf8");
      let text = "";
      for await (const piece of answer) text += piece;
      expect(JSON.parse(text).error.code).toBe(code);
      expect(upstream.requests).toEqual([]);
    },
  );
});
