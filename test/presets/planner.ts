import OpenAI from "openai";
import { onTestFinished, vi } from "vitest";
import { memoryStores, type Meter, type Policy, policyFrom, type Stores, type UnloopOptions } from "../../src/index.ts";
import { type Plan, planIn } from "../../src/judge/plan-view.ts";
import { readLedger, withPendingCounted } from "../../src/session/session.ts";
import { judgeWith } from "../support/builders/detection.ts";
import type { ThreadKey } from "../../src/store/store.ts";
import { type GuardRig, guardRig } from "../proxy/guard-rig.ts";
import type { ScriptedAnswer } from "../support/wires/scripted-answer.ts";
import { type Script, scriptedUpstream, type Upstream } from "../support/servers/upstream.ts";

/** What a scripted judge says to a question. */
export type JudgeScript = (question: string, index: number) => object | ScriptedAnswer;

export interface PlanRig extends GuardRig {
  readonly judge: Upstream;
  readonly stores: Stores;
  readonly judged: readonly { readonly outcome: string; readonly tokens: number }[];
  /** The plan that the kept thread shows; undefined while none is judged. */
  plan(): Promise<Plan | undefined>;
  /** Resolves when all questions so far are answered and what they said is kept. */
  settled(): Promise<void>;
}

export interface PlanOptions {
  readonly judge?: JudgeScript;
  /** Changes of the preset. */
  readonly policy?: object;
  readonly options?: Partial<UnloopOptions>;
}

/** A guard with the preset, a scripted model behind it and a scripted judge beside it. */
export async function planRig(model: Script, { judge: says, policy, options }: PlanOptions): Promise<PlanRig> {
  const judge = await scriptedUpstream((request, index) => spoken(says?.(questionIn(request.json), index) ?? {}));
  onTestFinished(() => judge.close());
  const judged: { outcome: string; tokens: number }[] = [];
  const { stores, plans, saved } = watchedStores();
  const rig = await guardRig(model, {
    ...{ policy: planningWith(policy), stores, meter: meterInto(judged) },
    judge: { upstream: judge.url, model: "small", key: "sk-judge" },
    ...options,
  });
  const plan = async () => {
    const key = [...plans].at(-1);
    const stored = key === undefined ? undefined : await stores.sessions.read(key);
    const ledger = stored && readLedger(stored.json);
    if (ledger === undefined) return undefined;
    const tip = withPendingCounted(ledger, judgeWith({ policy: planningWith(policy) }));
    return planIn(
      tip,
      { opening: [], steps: [], system: "" },
      { actions: [], maxSteps: 50, isTold: options?.mode !== "observe" },
    );
  };
  const settled = () =>
    eventually(() => {
      if (judged.length < judge.requests.length || saved() < judged.filter(isScored).length) throw new Error("not yet");
    });
  return { ...rig, judge, stores, judged, plan, settled };
}

/** On a busy machine it takes its time; nothing here waits for a clock. */
export async function eventually(check: () => unknown): Promise<void> {
  await vi.waitFor(check, { timeout: 20_000, interval: 2 });
}

const isScored = ({ outcome }: { outcome: string }) => outcome === "scored";

export function planningWith(policy: object = {}): Policy {
  return policyFrom({ extends: "local-planning", ...policy });
}

function questionIn(json: unknown): string {
  const body = json as { readonly messages: readonly { readonly content: string }[] };
  return body.messages.at(-1)?.content ?? "";
}

function spoken(said: object): ScriptedAnswer {
  return "kind" in said ? (said as ScriptedAnswer) : { kind: "text", text: JSON.stringify(said) };
}

function meterInto(judged: { outcome: string; tokens: number }[]): Meter {
  const nothing = () => undefined;
  return {
    ...{ exchange: nothing, intervention: nothing, spent: nothing, failed: nothing, storeFailed: nothing },
    judged: (outcome, _, tokens) => void (outcome !== "skipped" && judged.push({ outcome, tokens })),
  };
}

/** Stores in memory that tell which keys have plans, and how many judgements were kept. */
function watchedStores() {
  const stores = memoryStores();
  const plans = new Set<ThreadKey>();
  const kept = new Set<string>();
  const write: Stores["sessions"]["write"] = async (key, json, version, ttlMs) => {
    const written = await stores.sessions.write(key, json, version, ttlMs);
    const advice = written ? readLedger(json)?.advice : undefined;
    if (advice === undefined) return written;
    plans.add(key);
    for (const one of advice) kept.add(`${key} ${one.at}`);
    return written;
  };
  return { stores: { ...stores, sessions: { ...stores.sessions, write } }, plans, saved: () => kept.size };
}

export interface Taken {
  readonly verdict: string | null;
  readonly detector: string | null;
  readonly message: OpenAI.ChatCompletionMessage;
  /** What the model was sent for this turn; none if the guard answered. */
  readonly received: readonly string[];
}

export interface Run {
  readonly task?: string;
  readonly tools: readonly string[];
  readonly turns: number;
  /** What comes back for a call. */
  readonly result: (tool: string, args: Readonly<Record<string, unknown>>) => string;
  /** What the user says after this turn, if anything. */
  readonly says?: (turn: number) => string | undefined;
}

/** An agent on the official SDK: asks, acts, tells what came of it, until its model calls `done`, says something, or the turns are over. */
export async function pursue(rig: PlanRig, run: Run): Promise<readonly Taken[]> {
  const client = new OpenAI({ baseURL: `${rig.url}/v1`, apiKey: "sk-client", maxRetries: 0 });
  const messages: OpenAI.ChatCompletionMessageParam[] = [
    { role: "system", content: "You are an agent." },
    { role: "user", content: run.task ?? "Reach the goal." },
  ];
  const taken: Taken[] = [];
  for (let turn = 0; turn < run.turns; turn += 1) {
    const before = rig.upstream.requests.length;
    const asked = { model: "gpt-4o", messages, tools: run.tools.map(toolNamed) };
    const { data, response } = await client.chat.completions.create(asked).withResponse();
    await rig.settled();
    const message = data.choices[0]?.message;
    if (message === undefined) throw new Error("The answer has no message.");
    taken.push({
      message,
      verdict: response.headers.get("x-unloop-verdict"),
      detector: response.headers.get("x-unloop-detector"),
      received: rig.upstream.requests.slice(before).map(({ bytes }) => bytes.toString()),
    });
    messages.push(message);
    const calls = (message.tool_calls ?? []).flatMap((call) => (call.type === "function" ? [call] : []));
    if (calls.length === 0 || calls.some((call) => call.function.name === "done")) break;
    for (const { id, function: called } of calls)
      messages.push({ role: "tool", tool_call_id: id, content: run.result(called.name, JSON.parse(called.arguments)) });
  }
  return taken;
}

export const verdicts = (taken: readonly Taken[]) => taken.map(({ verdict }) => verdict);

/** The call of a turn, as `tool(args)`. */
export function callOf(turn: Taken | undefined): string {
  const call = turn?.message.tool_calls?.[0];
  return call?.type === "function" ? `${call.function.name}(${call.function.arguments})` : "";
}

function toolNamed(name: string): OpenAI.ChatCompletionTool {
  const properties =
    name === "done" ? { success: { type: "boolean" }, text: { type: "string" } } : { element: { type: "string" } };
  return { type: "function", function: { name, parameters: { type: "object", properties } } };
}

/** A model that makes these calls in turn, `tool element`, the last one for ever. */
export function doing(...calls: readonly string[]): Script {
  return (_, index) => callNamed(calls[Math.min(index, calls.length - 1)] ?? "", index);
}

export function callNamed(written: string, index: number): ScriptedAnswer {
  const [tool = "", ...element] = written.split(" ");
  const args = tool === "done" ? { success: true, text: "All done." } : { element: element.join(" ") };
  return { kind: "calls", calls: [{ tool, args: JSON.stringify(args), id: `call_${index}` }] };
}

/** What the model was told last. */
export function noteIn(turn: Taken | undefined): string {
  const body: { messages: { content: unknown }[] } = JSON.parse(turn?.received.at(-1) ?? '{"messages":[]}');
  const content = String(body.messages.at(-1)?.content ?? "");
  return content.slice(Math.max(0, content.indexOf("[unloop]")));
}

export const tools = ["click", "type", "open_app", "snapshot", "done"];
/** No nearer than before. */
export const stalled = (unexplored: readonly string[] = []) => ({
  distance: 3,
  distance_before: 3,
  goal_met: false,
  unexplored,
});
export const always =
  (said: object): JudgeScript =>
  () =>
    said;

/**
 * A screen that shows what the last action on it has led to; looking changes nothing. @param aside what each look brings besides
 */
export function screen(pages: Readonly<Record<string, string>>, aside: (look: number) => string = () => "") {
  let shown = "The desktop, with a few icons on it.";
  let looks = 0;
  return (tool: string, { element }: { readonly element?: unknown }) => {
    if (tool !== "snapshot") shown = pages[String(element)] ?? `The page behind ${String(element)}, number one.`;
    return tool === "snapshot" ? shown + aside(++looks) : shown;
  };
}

/** Looks that bring the same text each time, or another one: what else is on a screen goes on by itself. */
export const kindsOfLooks = [
  { looks: "the same looks", aside: () => "" },
  { looks: "looks that bring other text each time", aside: (look: number) => ` ${"News of the hour. ".repeat(look)}` },
];

/** Five steps that lead somewhere, and the end. */
export const steps = ["click a", "click b", "click c", "click d", "click e", "done"];

/** A page of its own for each of them. */
export const pageOf = (_: string, { element }: { readonly element?: unknown }) =>
  `The page behind ${String(element)}, in full.`;

/** Nearer with each step. */
export const fine: JudgeScript = (_, index) => ({ distance: 1 + index, distance_before: 0, unexplored: [] });

/** An agent that takes those steps. */
export async function play(given: PlanOptions): Promise<{ readonly rig: PlanRig; readonly taken: readonly Taken[] }> {
  const rig = await planRig(doing(...steps), given);
  return { rig, taken: await pursue(rig, { tools, turns: 9, result: pageOf }) };
}
