import { expect, vi } from "vitest";
import type { Meter, Stores, UnloopOptions } from "../../src/index.ts";
import { noMeter } from "../../src/evaluation/evaluation.ts";
import { planIn } from "../../src/judge/plan-view.ts";
import { readLedger, withPendingCounted } from "../../src/session/session.ts";
import { policyFrom } from "../../src/policy/policy.ts";
import type { ThreadKey } from "../../src/store/store.ts";
import { type Given, guardRig, post } from "../proxy/guard-rig.ts";
import { judgeWith } from "../support/builders/detection.ts";
import { called } from "../support/builders/chat-history.ts";
import { storesVia, type Via } from "../support/builders/stores.ts";
import { upstreamOf } from "../support/servers/of-test.ts";
import type { Script } from "../support/servers/upstream.ts";
import type { ScriptedAnswer } from "../support/wires/scripted-answer.ts";

export type JudgeScript = (question: string, index: number) => object;

export interface PlanOptions {
  readonly judge?: JudgeScript;
  readonly policy?: object;
  readonly options?: Partial<UnloopOptions>;
}

export async function planRig(model: Script, { judge, policy = {}, options = {} }: PlanOptions) {
  const judged: string[] = [];
  const { stores, plans, saved } = watchedStores(options.stores);
  const preset = policyFrom({ extends: "local-planning", ...policy });
  const meter: Meter = { ...noMeter, judged: (outcome) => void (outcome !== "skipped" && judged.push(outcome)) };
  let due = 0;
  const asked = await upstreamOf((request, index) => {
    const answer = spoken(judge?.(questionIn(request.json), index) ?? {});
    if (answer.kind !== "raw" || answer.ending !== "hang") due += 1;
    return answer;
  });
  const rig = await guardRig(model, {
    ...{ policy: preset, ...options, stores, meter },
    ...(judge && { judge: { upstream: asked.url, model: "small", key: "sk-judge" } }),
  });
  const plan = async () => {
    const stored = await stores.sessions.read([...plans].at(-1) ?? expect.fail("no plan"));
    const ledger = readLedger(stored?.json ?? "") ?? expect.fail("no ledger");
    const tip = withPendingCounted(ledger, judgeWith({ policy: preset }));
    return planIn(tip, { opening: [], steps: [], system: "" }, { actions: [], maxSteps: 50, isTold: true });
  };
  const settled = async () => {
    await vi.waitFor(
      () => {
        expect(judged.length).toBeGreaterThanOrEqual(due);
        expect(saved()).toBeGreaterThanOrEqual(judged.filter((outcome) => outcome === "scored").length);
      },
      { interval: 2 },
    );
    // Stores of the caller's own tell nobody when they have kept what was said.
    if (options.stores !== undefined) for (let i = 0; i < 20; i++) await new Promise((done) => setImmediate(done));
  };
  return { ...rig, asked: asked.requests, judged, plan, settled };
}

function questionIn(json: unknown): string {
  const body = json as { readonly messages: readonly { readonly content: string }[] };
  return body.messages.at(-1)?.content ?? "";
}

function spoken(said: object): ScriptedAnswer {
  return "kind" in said ? (said as ScriptedAnswer) : { kind: "text", text: JSON.stringify(said) };
}

function watchedStores(own?: Stores) {
  const plans = new Set<ThreadKey>();
  const kept = new Set<string>();
  const via: Via = async (run, command, [key, json]) => {
    const written = await run();
    const advice = command === "sessions.write" && written ? readLedger(String(json))?.advice : undefined;
    if (advice !== undefined) plans.add(key as ThreadKey);
    for (const one of advice ?? []) kept.add(`${key} ${one.at}`);
    return written;
  };
  return { stores: storesVia(via, own), plans, saved: () => kept.size };
}

export type Act = readonly [element: string, shows: string, tool?: string];

export const page = (name: string): Act => [name, `The page ${name}, with things of its own to see.`];
export const pages = (...names: readonly string[]) => names.map(page);

export const waiting = { judge: { wait: 5_000 } };

const tools = ["click", "type", "launch_app", "done"].map((name) => {
  const properties =
    name === "done" ? { success: { type: "boolean" }, text: { type: "string" } } : { element: { type: "string" } };
  return { type: "function", function: { name, parameters: { type: "object", properties } } };
});

export async function walk(rig: Awaited<ReturnType<typeof planRig>>, acts: readonly Act[], task = "Make a new entry.") {
  const messages: object[] = [{ role: "user", content: task }];
  const turns = [];
  for (const [i, [element, shows, name = "click"]] of acts.entries()) {
    messages.push(...called(`call_${i}`, name, { element }, shows));
    const before = rig.upstream.requests.length;
    const body = JSON.stringify({ model: "gpt-4o", tools, messages });
    const { headers, text } = await post(rig.url, body, { "x-unloop-session": "plan" });
    await rig.settled();
    const received = rig.upstream.requests.slice(before);
    const sent = String(received.at(-1)?.bytes ?? "");
    const isTold = ["nudge", "force-done"].includes(headers.get("x-unloop-verdict") ?? "");
    const note = isTold ? (sent.split("[unloop]").at(-1) ?? "").replaceAll("\\", "") : "";
    turns.push({ headers, received, note, sent, call: callIn(text) });
  }
  return turns;
}

function callIn(text: string): string {
  const call = JSON.parse(text).choices[0].message.tool_calls?.[0];
  return call === undefined ? "" : `${call.function.name}(${call.function.arguments})`;
}

export function told(turns: readonly { readonly headers: Given["headers"] }[]): string {
  return turns
    .map(({ headers }) => (headers.get("x-unloop-verdict") ?? "none").replace("short-circuit", "end"))
    .join(" ");
}

export const silent: Script = () => ({ kind: "text", text: "Hm." });

export const fine: JudgeScript = (_, index) => ({ distance: 1 + index, distance_before: 0, unexplored: [] });

export async function play(given: PlanOptions) {
  const rig = await planRig(silent, given);
  return { rig, taken: await walk(rig, pages("a", "b", "c", "d", "e")) };
}
