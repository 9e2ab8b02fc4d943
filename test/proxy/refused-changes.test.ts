import { describe, expect, it } from "vitest";
import { doneTool, searchTool, wireAgent, type WireTurn } from "../support/agents/wire-agent.ts";
import type { Script } from "../support/servers/upstream.ts";
import { chatCompletionsWire } from "../support/wires/chat-completions.ts";
import type { Asking, ModelView } from "../support/wires/wire.ts";
import { guardRig, post, requestsOnly, standard } from "./guard-rig.ts";

const wire = chatCompletionsWire;
const search = { kind: "calls", calls: [{ tool: "search", args: '{"q":"rain"}' }] } as const;
const refusal = (status: number, message: string) => ({ kind: "error", status, message }) as const;
const isForced = ({ forced }: ModelView) => forced !== undefined;
const hasNote = ({ texts }: ModelView) => texts.some((text) => text.includes("[unloop]"));
const isLast = ({ texts }: ModelView) => texts.some((text) => text.includes("final answer"));

/** A model that goes on with one call, behind an API that refuses some requests. */
const refusing =
  (isRefused: (view: ModelView) => boolean, status: number): Script =>
  ({ view }) =>
    isRefused(view) ? refusal(status, "Not with this model.") : search;

/** The turns of an agent up to the first one that calls nothing, eight at most. */
async function run(script: Script, asking: Partial<Asking> = {}, policy = requestsOnly()) {
  const rig = await guardRig(script, { policy }, wire);
  return { ...rig, turns: await played(rig, asking) };
}

async function played(rig: Awaited<ReturnType<typeof guardRig>>, asking: Partial<Asking> = {}) {
  const agent = wireAgent(wire, { ...rig, tools: [searchTool], ...asking });
  const turns: WireTurn[] = [];
  while (turns.length < 8 && (turns.at(-1)?.heard.calls.some(({ tool }) => tool === "search") ?? true))
    turns.push(await agent.turn());
  return turns;
}

const statusesOf = (turns: readonly WireTurn[]) => [...new Set(turns.map(({ status }) => status))];
const verdictsOf = (turns: readonly WireTurn[]) => turns.map(({ headers }) => headers.get("x-unloop-verdict"));
const endOf = (turns: readonly WireTurn[]) => `${turns.at(-1)?.heard.text}${turns.at(-1)?.heard.calls[0]?.args ?? ""}`;

const refusals = [
  { what: "none", status: 400, tools: [searchTool], stream: true },
  { what: "a named tool", status: 500, tools: [searchTool, doneTool], stream: false },
];

describe("a change that the API refuses", () => {
  it.each(refusals)(
    "is made without the choice of tools: $what, $status, stream $stream",
    async ({ status, tools, stream }) => {
      const { turns, upstream, logged } = await run(refusing(isForced, status), { tools, stream });
      expect(statusesOf(turns)).toEqual([200]);
      expect(verdictsOf(turns)).toContain("force-done");
      expect(endOf(turns)).toContain("going in circles");
      expect(upstream.requests.filter(({ view }) => isForced(view))).toHaveLength(1);
      expect(logged).toContainEqual({ level: "warn", event: "change-refused", status, instead: "notes" });
    },
  );

  it("is left out of a nudge, and ends a run that was made to finish", async () => {
    const { turns, upstream } = await run(refusing(hasNote, 400), { stream: true });
    expect(statusesOf(turns)).toEqual([200]);
    expect(verdictsOf(turns)).toEqual(["ok", "ok", "ok", "ok", "ok", "short-circuit"]);
    expect(endOf(turns)).toContain("going in circles");
    const plain = upstream.requests.filter(({ view }) => !hasNote(view));
    expect(plain.map(({ bytes }) => bytes.toString())).toEqual(turns.map(({ sent }) => sent));
  });
});

describe("the status tells whether it may be the change that is refused", () => {
  const statusOnLast = (status: number) => run(refusing(isLast, status));

  it.each([400, 502])("%i: it may", async (status) =>
    expect(statusesOf((await statusOnLast(status)).turns)).toEqual([200]),
  );

  it.each([401, 429, 503])("%i: it is not, and passes at once", async (status) => {
    const { turns } = await statusOnLast(status);
    expect(turns.at(-1)).toMatchObject({ status, received: { length: 1 } });
  });
});

describe("a choice of tools that an API has refused", () => {
  it("is not tried again with the same model, and with another one it is", async () => {
    const rig = await guardRig(refusing(isForced, 400), { policy: requestsOnly() });
    const forced = async (model: string) => {
      const before = rig.upstream.requests.length;
      await played(rig, { model, said: [{ who: "user", text: `For ${before}.` }] });
      return rig.upstream.requests.slice(before).filter(({ view }) => isForced(view)).length;
    };
    expect([await forced("one"), await forced("one"), await forced("other")]).toEqual([1, 0, 1]);
  });
});

describe("a tool that says itself that it ends the run", () => {
  const tool = (name: string, description: string, key: string) => ({
    type: "function",
    function: { name, description, parameters: { type: "object", properties: { [key]: { type: "string" } } } },
  });
  const tools = [
    tool("bash", "bash", "command"),
    tool("attempt_completion", "Present the result. Ends the task.", "result"),
  ];
  const laps = Array.from({ length: 5 }, (_, lap) => [
    {
      role: "assistant",
      content: null,
      tool_calls: [
        { id: `c${lap}`, type: "function", function: { name: "bash", arguments: '{"command":"ls build"}' } },
      ],
    },
    { role: "tool", tool_call_id: `c${lap}`, content: "app.js  app.css" },
  ]).flat();
  const body = JSON.stringify({ model: "m", tools, messages: [{ role: "user", content: "Build it." }, ...laps] });

  it.each([
    { refused: "an object", isRefused: (choice: unknown) => typeof choice === "object" },
    { refused: "a named or required tool", isRefused: (choice: unknown) => choice !== undefined && choice !== "auto" },
  ])("is left to the model where its API refuses $refused as choice", async ({ isRefused }) => {
    const rig = await guardRig(
      ({ json }) =>
        isRefused(Object(json).tool_choice) ? refusal(400, "No such choice.") : { kind: "text", text: "It is built." },
      { policy: standard() },
    );
    const { status, text, headers } = await post(rig.url, body);
    expect([status, headers.get("x-unloop-verdict")]).toEqual([200, "force-done"]);
    expect(text).toContain("It is built.");
    const [first, second] = rig.upstream.requests.map(({ json }) => Object(json));
    expect([first.tool_choice, second.tool_choice, second.tools]).toEqual([expect.anything(), undefined, tools]);
  });
});
