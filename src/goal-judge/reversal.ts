import type { Reversal } from "../policy/policy.ts";
import type { Call, Step } from "../step.ts";

/** The call by which a policy has an action undone; undefined where a call cannot say it. */
export function reversalCall(action: Step, reversal: Reversal): Pick<Call, "tool" | "args"> | undefined {
  const call = action.calls[0];
  if (call === undefined || action.calls.length > 1) return undefined;
  if (reversal === "same") return { tool: call.tool, args: call.args };
  const given = argumentsOf(call);
  const args = Object.entries(reversal.args).map(([name, value]) => [name, filled(value, given)] as const);
  if (args.some(([, value]) => value === undefined)) return undefined;
  return { tool: reversal.tool, args: JSON.stringify(Object.fromEntries(args)) };
}

/** `$name` stands for the action's own argument of that name. */
function filled(value: unknown, given: Readonly<Record<string, unknown>>): unknown {
  if (typeof value !== "string" || !value.startsWith("$")) return value;
  const name = value.slice(1);
  return Object.hasOwn(given, name) ? given[name] : undefined;
}

function argumentsOf({ args }: Call): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(args);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    // Free text has no arguments to name.
    return {};
  }
}
