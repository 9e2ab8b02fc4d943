import { describe, expect, it } from "vitest";
import { joinUpstream, routeOf, routesFor, type Upstreams } from "../../../src/proxy/relay/forward.ts";
import { healthy } from "../../support/agents/scripts.ts";
import { upstreamOf } from "../../support/servers/of-test.ts";
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

const openai = "https://api.openai.com";
const google = "https://generativelanguage.googleapis.com";

it.each<readonly [to: string, target: string, more: Omit<Asked, "target">]>([
  [`${openai}/v1/chat/completions`, "/v1/chat/completions", { wire: "chat-completions" }],
  ["https://api.anthropic.com/v1/messages", "/v1/messages", { wire: "messages" }],
  ["http://127.0.0.1:11434/api/tags", "/api/tags", {}],
  [`${openai}/api/delete`, "/api/delete", {}],
  [
    "https://aiplatform.googleapis.com/v1beta1/publishers/google/models/gemini-2.5-flash:generateContent",
    "/v1beta1/publishers/google/models/gemini-2.5-flash:generateContent",
    { wire: "gemini" },
  ],
  [
    `https://us-east5-aiplatform.googleapis.com/v1/${vertex("us-east5")}:rawPredict`,
    `/v1/${vertex("us-east5")}:rawPredict`,
    { wire: "messages" },
  ],
  [`https://aiplatform.eu.rep.googleapis.com/v1/${vertex("eu")}`, `/v1/${vertex("eu")}`, {}],
  [`${openai}/v1/${vertex("evil.example")}`, `/v1/${vertex("evil.example")}`, {}],
  [`${openai}/v1/${vertex("a%2f")}`, `/v1/${vertex("a%2f")}`, {}],
  ["https://api.anthropic.com/v1/models", "/v1/models", { fields: claude }],
  [`${google}/v1beta/models/g:countTokens`, "/v1beta/models/g:countTokens", { fields: { "x-goog-api-key": "k" } }],
  ["https://api.anthropic.com/v1/messages", "/anthropic/v1/messages", { wire: "messages" }],
  [`${openai}/openaiish/v1/models`, "/openaiish/v1/models", {}],
])(
  "without a word from the operator each wire format goes to its maker: %s is where %s goes (%j)",
  (to, target, more) => expect(sent({}, { target, ...more })).toBe(to),
);

describe("upstreams by the beginning of the path", () => {
  const upstreams = {
    "/groq": new URL("https://api.groq.com/openai"),
    "/groq/eu/": new URL("https://eu.groq.example/openai/v1"),
  };

  it.each<Asked & { to: string; others?: Upstreams }>([
    { target: "/groq/v1/chat/completions", to: "https://api.groq.com/openai/v1/chat/completions" },
    { target: "/groq/eu/v1/chat/completions", to: "https://eu.groq.example/openai/v1/chat/completions" },
    { target: "/v1/messages", wire: "messages", to: "https://api.anthropic.com/v1/messages" },
    {
      target: "/v1/messages",
      wire: "messages",
      others: { upstream: new URL("https://one.example/v1") },
      to: "https://one.example/v1/messages",
    },
    { target: "/anthropic/v1/messages", wire: "messages", to: "https://api.anthropic.com/v1/messages" },
  ])("$target goes to $to", ({ to, others, ...asked }) => {
    expect(sent({ upstreams, ...others }, asked)).toBe(to);
  });

  it("lead one guard to several servers, with the prefix taken off, and guard them all", async () => {
    const [one, other] = await Promise.all([upstreamOf(healthy(0)), upstreamOf(healthy(0))]);
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
