import { describe, expect, it } from "vitest";
import { postTo } from "../support/agents/wire-agent.ts";
import { chatCompletionsWire } from "../support/wires/chat-completions.ts";
import { geminiWire } from "../support/wires/gemini.ts";
import { messagesWire } from "../support/wires/messages.ts";
import { ollamaWire } from "../support/wires/ollama.ts";
import { responsesWire } from "../support/wires/responses.ts";
import type { Said, SaidCall, SaidTool, Wire } from "../support/wires/wire.ts";
import { rowsFor } from "../contracts/protocol-requests.ts";
import { guardRig, standard } from "./guard-rig.ts";

const lead = { system: "You lead.", tools: [{ name: "ask_researcher", properties: { task: { type: "string" } } }] };
const research = { system: "You research.", tools: [{ name: "lookup", properties: { id: { type: "string" } } }] };
const record = "Record x9 belongs to the north office, opened in March.";

/** An agent whose only tool is another agent, which asks for one record until it is ended. The verdicts of the first one. */
async function verdictsOf(wire: Wire, taskOf: (turn: number) => string, handedOn: (end: string) => string) {
  let asked = 0;
  const rig = await guardRig(
    ({ view: { texts, forced } }) => {
      if (!texts.some((text) => text.includes(lead.system))) return calling("lookup", { id: "x9" });
      return forced === undefined
        ? calling("ask_researcher", { task: taskOf(asked++) })
        : { kind: "text", text: "Not found." };
    },
    { policy: standard() },
    wire,
  );
  const delegated = async ({ args }: SaidCall) => {
    const run = await played(wire, rig.url, { ...research, task: JSON.parse(args).task, result: async () => record });
    return handedOn(run.end);
  };
  const { verdicts } = await played(wire, rig.url, { ...lead, task: "Find x9.", result: delegated });
  return verdicts.join(" ");
}

function calling(tool: string, args: object) {
  return { kind: "calls", calls: [{ tool, args: JSON.stringify(args) }] } as const;
}

interface Agent {
  readonly system: string;
  readonly tools: readonly SaidTool[];
  readonly task: string;
  readonly result: (call: SaidCall) => Promise<string>;
}

async function played(wire: Wire, url: string, { system, tools, task, result }: Agent) {
  const said: Said[] = [{ who: "user", text: task }];
  const verdicts: (string | null)[] = [];
  for (let turn = 0; turn < 8; turn++) {
    const { headers, heard } = await postTo(wire, url, JSON.stringify(wire.body({ system, tools, said })));
    verdicts.push(headers.get("x-unloop-verdict"));
    if (heard.calls.length === 0) return { verdicts, end: heard.text };
    said.push({ who: "heard", entries: heard.entries });
    for (const call of heard.calls) said.push({ who: "tool", id: call.id, text: await result(call) });
  }
  return { verdicts, end: "" };
}

const same = () => "Look up x9 and report.";
const reworded = (turn: number) => `Look up x9 and report (try ${turn + 1}, and be thorough this time).`;
const asItIs = (end: string) => end;
const inJson = (output: string) => JSON.stringify({ status: "completed", output });
const inTags = (end: string) =>
  `<task_result>\nThe researcher made five calls. Its answer was:\n${end}\n</task_result>`;

describe.each([chatCompletionsWire, messagesWire, responsesWire, ollamaWire, geminiWire])("over $name", (wire) => {
  it.each(
    rowsFor(wire, [
      ["is asked again in the same words", same, asItIs, "ok ok nudge force-done"],
      ["is asked again, and a framework wraps what it said", same, inJson, "ok ok nudge force-done"],
      ["is asked again, and a framework tells of its run", same, inTags, "ok ok nudge force-done"],
      ["is asked again in other words", reworded, asItIs, "ok ok ok ok nudge ok ok nudge"],
    ] as const),
  )("a delegate whose run was ended has failed, and %s", async (_, taskOf, handedOn, verdicts) =>
    expect(await verdictsOf(wire, taskOf, handedOn)).toBe(verdicts),
  );
});
