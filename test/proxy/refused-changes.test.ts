import { describe, expect, it } from "vitest";
import { doneTool, searchTool, wireAgent, type WireTurn } from "../support/agents/wire-agent.ts";
import { called, chatBody, repeated, user } from "../support/builders/chat-history.ts";
import type { Script } from "../support/servers/upstream.ts";
import { chatCompletionsWire as wire } from "../support/wires/chat-completions.ts";
import type { Asking, ModelView } from "../support/wires/wire.ts";
import { verdictsOf, type GuardRig, guardRig, post, requestsOnly, standard } from "./guard-rig.ts";

const isForced = ({ forced }: ModelView) => forced !== undefined;
const hasNote = ({ texts }: ModelView) => texts.some((text) => text.includes("[unloop]"));
const isLast = ({ texts }: ModelView) => texts.some((text) => text.includes("final answer"));

const refusing = (isRefused: (view: ModelView) => boolean, status = 400) => {
  const script: Script = ({ view }) =>
    isRefused(view)
      ? { kind: "error", status, message: "Not with this model." }
      : { kind: "calls", calls: [{ tool: "search", args: '{"q":"rain"}' }] };
  return guardRig(script, { policy: requestsOnly() }, wire);
};

async function played(rig: GuardRig, asking: Partial<Asking> = {}) {
  const agent = wireAgent(wire, { ...rig, tools: [searchTool], ...asking });
  const turns: WireTurn[] = [];
  while (turns.length < 8 && (turns.at(-1)?.heard.calls.some(({ tool }) => tool === "search") ?? true))
    turns.push(await agent.turn());
  return turns;
}

const statusesOf = (turns: readonly WireTurn[]) => [...new Set(turns.map(({ status }) => status))];
const endOf = (turns: readonly WireTurn[]) => `${turns.at(-1)?.heard.text}${turns.at(-1)?.heard.calls[0]?.args ?? ""}`;

describe("a change that the API refuses", () => {
  it.each([
    { what: "none", status: 400, tools: [searchTool], stream: true },
    { what: "a named tool", status: 500, tools: [searchTool, doneTool], stream: false },
  ])("is made without the choice of tools: $what, $status, stream $stream", async ({ status, tools, stream }) => {
    const rig = await refusing(isForced, status);
    const turns = await played(rig, { tools, stream });
    expect(statusesOf(turns)).toEqual([200]);
    expect(verdictsOf(turns)).toContain("force-done");
    expect(endOf(turns)).toContain("going in circles");
    expect(rig.upstream.requests.filter(({ view }) => isForced(view))).toHaveLength(1);
    expect(rig.logged).toContainEqual({ level: "warn", event: "change-refused", status, instead: "notes" });
  });

  it("is left out of a nudge, and ends a run that was made to finish", async () => {
    const rig = await refusing(hasNote);
    const turns = await played(rig, { stream: true });
    expect(statusesOf(turns)).toEqual([200]);
    expect(verdictsOf(turns)).toEqual(["ok", "ok", "ok", "ok", "ok", "short-circuit"]);
    expect(endOf(turns)).toContain("going in circles");
    const plain = rig.upstream.requests.filter(({ view }) => !hasNote(view));
    expect(plain.map(({ bytes }) => bytes.toString())).toEqual(turns.map(({ sent }) => sent));
  });

  it.each([400, 502])("may be what the status %i is about", async (status) =>
    expect(statusesOf(await played(await refusing(isLast, status)))).toEqual([200]),
  );

  it.each([401, 429, 503])("is not what the status %i is about, which passes at once", async (status) => {
    const turns = await played(await refusing(isLast, status));
    expect(turns.at(-1)).toMatchObject({ status, received: { length: 1 } });
  });

  it("is not tried again with the same model, and with another one it is", async () => {
    const rig = await refusing(isForced);
    const forced = async (model: string) => {
      const before = rig.upstream.requests.length;
      await played(rig, { model, said: [{ who: "user", text: `For ${before}.` }] });
      return rig.upstream.requests.slice(before).filter(({ view }) => isForced(view)).length;
    };
    expect([await forced("one"), await forced("one"), await forced("other")]).toEqual([1, 0, 1]);
  });
});

it.each([
  { refused: "an object", isRefused: (choice: unknown) => typeof choice === "object" },
  { refused: "a named or required tool", isRefused: (choice: unknown) => choice !== undefined && choice !== "auto" },
])("a tool that ends the run by itself is left to the model where its API refuses $refused", async ({ isRefused }) => {
  const tool = (name: string, description: string, key: string) => ({
    type: "function",
    function: { name, description, parameters: { type: "object", properties: { [key]: { type: "string" } } } },
  });
  const ending = tool("attempt_completion", "Present the result. Ends the task.", "result");
  const tools = [tool("bash", "bash", "command"), ending];
  const laps = repeated(5, (lap) => called(`c${lap}`, "bash", { command: "ls build" }, "app.js  app.css"));
  const rig = await guardRig(
    ({ json }) =>
      isRefused(Object(json).tool_choice)
        ? { kind: "error", status: 400, message: "No such choice." }
        : { kind: "text", text: "It is built." },
    { policy: standard() },
  );
  const { status, text, headers } = await post(rig.url, chatBody([user("Build it."), ...laps], { tools }));
  expect([status, headers.get("x-unloop-verdict")]).toEqual([200, "force-done"]);
  expect(text).toContain("It is built.");
  const [first, second] = rig.upstream.requests.map(({ json }) => Object(json));
  expect([first.tool_choice, second.tool_choice, second.tools]).toEqual([expect.anything(), undefined, tools]);
});
