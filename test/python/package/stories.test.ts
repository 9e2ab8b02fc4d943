import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Guard, startGuard } from "../../support/servers/guarded.ts";
import { type Front, played, stories } from "./stories.ts";
import { chatCompletionsWire } from "../../support/wires/chat-completions.ts";
import { messagesWire } from "../../support/wires/messages.ts";
import { responsesWire } from "../../support/wires/responses.ts";
import type { Said } from "../../support/wires/wire.ts";
import { searchTool } from "../../support/agents/wire-agent.ts";
import { requestsOnly } from "../../proxy/guard-rig.ts";
import { frameworks, litellmProxy, type Program } from "./programs.ts";
import { stage } from "./stage.ts";

let guard: Guard;
let on: Awaited<ReturnType<typeof stage>>;
let python: Program;
let litellm: Program;

/** The stage is set when the story begins. */
const through =
  (program: () => string): Front =>
  (...story) =>
    on.through(program)(...story);

const ways: readonly { readonly name: string; readonly way: Front; readonly stream?: boolean }[] = [
  ...["langchain", "langchain-async", "agents", "agents-streamed"].map((name) => ({
    name,
    way: through(() => `${python.url}/${name}`),
  })),
  { name: "LiteLLM's proxy, answers whole", way: through(() => litellm.url) },
  { name: "LiteLLM's proxy, answers streamed", way: through(() => litellm.url), stream: true },
];

beforeAll(async () => {
  guard = await startGuard({ upstream: "http://127.0.0.1:9" });
  on = await stage(guard.url);
  [python, litellm] = await Promise.all([frameworks(on.url), litellmProxy(on.url)]);
}, 180_000);
afterAll(async () => {
  await python?.end();
  await litellm?.end();
  await on?.close();
  await guard?.close();
});

describe.each(ways)("through $name", ({ way, stream = false }) => {
  it.each(stories)("$name has the same rungs at the same turns as through the proxy", async (story) => {
    expect(await played(story, chatCompletionsWire, way, { stream })).toEqual(story.verdicts);
  });
});

function circling(calls: number): readonly Said[] {
  return Array.from({ length: calls }, (_, index) => `call_${index}`).flatMap((id): readonly Said[] => [
    { who: "assistant", calls: [{ id, tool: "search", args: '{"q":"Paris"}' }] },
    { who: "tool", id, text: "Rain in the morning, sun after noon." },
  ]);
}

describe.each([
  { wire: messagesWire, model: "claude-scripted" },
  { wire: responsesWire, model: "gpt-4o" },
])("LiteLLM's proxy in $wire.name", ({ wire, model }) => {
  it.each([{ stream: false }, { stream: true }])("notes and ends (stream: $stream)", async ({ stream }) => {
    const way = through(() => litellm.url);
    const terms = { policy: requestsOnly(), mode: "enforce" } as const;
    const { url, upstream } = await way(() => ({ kind: "text", text: "It rains." }), wire, terms);
    const answered = async (calls: number) => {
      const said: readonly Said[] = [{ who: "user", text: "What is the weather?" }, ...circling(calls)];
      const body = JSON.stringify(wire.body({ model, tools: [searchTool], said, stream }));
      return (await fetch(url + wire.path, { method: "POST", body })).text();
    };
    expect(await answered(3)).toContain("It rains.");
    expect(String(upstream.requests.at(-1)?.bytes)).toContain("[unloop]");
    expect(await answered(7)).toContain("going in circles");
    expect(upstream.requests).toHaveLength(1);
  });
});
