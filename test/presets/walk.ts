import type { Plan } from "../../src/judge/plan-view.ts";
import { post } from "../proxy/guard-rig.ts";
import { type JudgeScript, type PlanRig, planRig } from "./planner.ts";

/** What is clicked, or done with another tool, and what it shows. */
export type Act = readonly [element: string, shows: string, tool?: string];

export interface Told {
  readonly verdict: string | null;
  /** What the model was told of its plan; empty where it was told nothing. */
  readonly note: string;
}

/** The requests of an agent that acts like this, whatever its model says, under a policy that waits for the judge. */
export async function walk(
  acts: readonly Act[],
  judge: JudgeScript,
  terms: object = {},
): Promise<{ readonly rig: PlanRig; readonly told: readonly Told[]; readonly plan: Plan | undefined }> {
  const rig = await planRig(() => ({ kind: "text", text: "Hm." }), {
    judge,
    policy: { judge: { wait: 5_000, ...terms } },
  });
  const messages: object[] = [
    { role: "system", content: "You are an agent." },
    { role: "user", content: "Make a new entry." },
  ];
  const told: Told[] = [];
  for (const [i, [element, shows, name = "click"]] of acts.entries()) {
    const call = { name, arguments: JSON.stringify({ element }) };
    const calls = [{ id: `call_${i}`, type: "function", function: call }];
    messages.push({ role: "assistant", content: null, tool_calls: calls });
    messages.push({ role: "tool", tool_call_id: `call_${i}`, content: shows });
    const body = { model: "gpt-4o", messages };
    const { headers } = await post(rig.url, JSON.stringify(body), { "x-unloop-session": "plan" });
    const verdict = headers.get("x-unloop-verdict");
    const sent = rig.upstream.requests.at(-1)?.bytes.toString() ?? "";
    const isTold = verdict === "nudge" || verdict === "force-done";
    told.push({ verdict, note: isTold ? (sent.split("[unloop]").at(-1) ?? "").replaceAll("\\", "") : "" });
  }
  return { rig, told, plan: await rig.plan() };
}
