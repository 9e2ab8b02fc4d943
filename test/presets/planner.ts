import { expect, vi } from "vitest";
import { memoryStores, type Meter, type Stores, type UnloopOptions } from "../../src/index.ts";
import { planIn } from "../../src/judge/plan-view.ts";
import { readLedger, withPendingCounted } from "../../src/session/session.ts";
import { policyFrom } from "../../src/policy/policy.ts";
import type { ThreadKey } from "../../src/store/store.ts";
import { agent, type Turn } from "../proxy/agent.ts";
import { guardRig, post } from "../proxy/guard-rig.ts";
import { judgeWith } from "../support/builders/detection.ts";
import type { Script } from "../support/servers/upstream.ts";
import type { ScriptedAnswer } from "../support/wires/scripted-answer.ts";
import { presetRig } from "./rig.ts";

/** What a scripted judge says to a question. */
export type JudgeScript = (question: string, index: number) => object;

export interface PlanOptions {
  /** Without one there is no judge. */
  readonly judge?: JudgeScript | undefined;
  /** A judge that is a server of its own, which has been asked so often; then the guard is on sockets, too. */
  readonly at?: { readonly url: string; asked(): number };
  /** Changes of the preset. */
  readonly policy?: object;
  readonly options?: Partial<Omit<UnloopOptions, "judge">> & { readonly judge?: { readonly timeoutMs?: number } };
}

/** A guard with the preset, a scripted model behind it and a judge beside it. */
export async function planRig(model: Script, { judge: says, at, policy = {}, options }: PlanOptions) {
  const judged: { outcome: string; tokens: number }[] = [];
  const { stores, plans, saved } = watchedStores(options?.stores);
  const preset = { extends: "local-planning", ...policy };
  const { judge: more, ...others } = options ?? {};
  const terms = { ...others, stores, meter: meterInto(judged) };
  const judge = says && ((request: { json: unknown }, index: number) => spoken(says(questionIn(request.json), index)));
  const rig =
    at === undefined
      ? presetRig(model, preset, { judge, ...terms })
      : await guardRig(model, {
          ...{ policy: policyFrom(preset), judge: { upstream: at.url, model: "small", key: "sk-judge", ...more } },
          ...terms,
        });
  /** What the judge was asked, where it is no server of its own. */
  const asked = "judged" in rig ? rig.judged : [];
  /** The plan that the kept thread shows; undefined while none is judged. */
  const plan = async () => {
    const key = [...plans].at(-1);
    const stored = key === undefined ? undefined : await stores.sessions.read(key);
    const ledger = stored && readLedger(stored.json);
    if (ledger === undefined) return undefined;
    const tip = withPendingCounted(ledger, judgeWith({ policy: policyFrom(preset) }));
    const terms = { actions: [], maxSteps: 50, isTold: options?.mode !== "observe" };
    return planIn(tip, { opening: [], steps: [], system: "" }, terms);
  };
  /** Resolves when all questions so far are answered and what they said is kept. */
  const settled = async () => {
    await vi.waitFor(
      () => {
        expect(judged.length).toBeGreaterThanOrEqual(at?.asked() ?? asked.length);
        expect(saved()).toBeGreaterThanOrEqual(judged.filter(({ outcome }) => outcome === "scored").length);
      },
      { interval: 2 },
    );
    // Stores of the caller's own tell nobody when they have kept what was said.
    if (options?.stores !== undefined) for (let i = 0; i < 20; i++) await new Promise((done) => setImmediate(done));
  };
  return { ...rig, ask: "ask" in rig ? rig.ask : post, stores, asked, judged, plan, settled };
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

/** Stores that tell which keys have plans, and how many judgements were kept. */
function watchedStores(stores: Stores = memoryStores()) {
  const plans = new Set<ThreadKey>();
  const kept = new Set<string>();
  const write: Stores["sessions"]["write"] = async (key, json, version, ttlMs) => {
    const written = await stores.sessions.write(key, json, version, ttlMs);
    const advice = written ? readLedger(json)?.advice : undefined;
    if (advice !== undefined) plans.add(key);
    for (const one of advice ?? []) kept.add(`${key} ${one.at}`);
    return written;
  };
  return { stores: { ...stores, sessions: { ...stores.sessions, write } }, plans, saved: () => kept.size };
}

export interface Run {
  readonly task?: string;
  readonly turns: number;
  /** What comes back for a call. */
  readonly result: (tool: string, args: Readonly<Record<string, unknown>>) => string;
}

/** An agent that asks, acts, tells what came of it, until its model calls `done`, says something, or the turns are over. */
export async function pursue(
  rig: Awaited<ReturnType<typeof planRig>>,
  { turns, result, ...run }: Run,
): Promise<readonly Turn[]> {
  const { task = "Reach the goal." } = run;
  const going = agent({
    ...rig,
    ...{ task, tools: ["click", "type", "snapshot", "done"].map(toolNamed) },
    result: ({ function: called }) => result(called.name, JSON.parse(called.arguments)),
  });
  const taken: Turn[] = [];
  for (let count = 0; count < turns; count += 1) {
    const turn = await going.turn();
    taken.push(turn);
    await rig.settled();
    const calls = turn.message.tool_calls ?? [];
    if (calls.length === 0 || calls.some((call) => call.function.name === "done")) break;
  }
  return taken;
}

/** The call of a turn, as `tool(args)`. */
export function callOf(turn: Turn | undefined): string {
  const call = turn?.message.tool_calls?.[0];
  return call === undefined ? "" : `${call.function.name}(${call.function.arguments})`;
}

function toolNamed(name: string): object {
  const properties =
    name === "done" ? { success: { type: "boolean" }, text: { type: "string" } } : { element: { type: "string" } };
  return { type: "function", function: { name, parameters: { type: "object", properties } } };
}

/** A model that makes these calls in turn, `tool element`, the last one for ever. */
export function doing(...calls: readonly string[]): Script {
  return (_, index) => callNamed(calls[Math.min(index, calls.length - 1)] ?? "", index);
}

function callNamed(written: string, index: number): ScriptedAnswer {
  const [tool = "", ...element] = written.split(" ");
  const args = tool === "done" ? { success: true, text: "All done." } : { element: element.join(" ") };
  return { kind: "calls", calls: [{ tool, args: JSON.stringify(args), id: `call_${index}` }] };
}

/** What the model was told last. */
export function noteIn(turn: Pick<Turn, "received"> | undefined): string {
  const { messages }: { messages: { content: unknown }[] } = JSON.parse(
    turn?.received.at(-1)?.bytes.toString() ?? '{"messages":[]}',
  );
  const content = String(messages.at(-1)?.content ?? "");
  return content.slice(Math.max(0, content.indexOf("[unloop]")));
}

/** No nearer than before. */
export const stalled = (unexplored: readonly string[] = []) => ({
  ...{ distance: 3, distance_before: 3, goal_met: false },
  unexplored,
});

/** A screen that shows what the last action on it has led to; each look brings another text beside it, as news do. */
export function screen(pages: Readonly<Record<string, string>> = {}) {
  let shown = "The desktop, with a few icons on it.";
  let looks = 0;
  return (tool: string, { element }: { readonly element?: unknown }) => {
    if (tool !== "snapshot") shown = pages[String(element)] ?? `The page behind ${String(element)}, number one.`;
    return tool === "snapshot" ? `${shown} ${"News of the hour. ".repeat(++looks)}` : shown;
  };
}

/** Nearer with each step. */
export const fine: JudgeScript = (_, index) => ({ distance: 1 + index, distance_before: 0, unexplored: [] });

/** A page of its own for each action. */
export const pageOf = (_: string, { element }: { readonly element?: unknown }) =>
  `The page behind ${String(element)}, in full.`;

/** An agent that takes five steps that lead somewhere. */
export async function play(given: PlanOptions) {
  const rig = await planRig(doing("click a", "click b", "click c", "click d", "click e", "done"), given);
  return { rig, taken: await pursue(rig, { turns: 9, result: pageOf }) };
}
