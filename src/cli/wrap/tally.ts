import type { Log } from "../../proxy/proxy.ts";

interface Tally {
  steps: number;
  unread: number;
  /** Status of each exchange that brought an error in place of an answer; 0 where nothing came. */
  readonly failures: number[];
  /** As far as upstream tells them; 0 where it does not. */
  tokens: number;
  /** Number of times that each rung was carried out, by detector. */
  readonly loops: Map<string, Map<string, number>>;
}

/** Counts what the guard logs in place of writing it: the terminal belongs to the agent. */
export function tallying(): { readonly log: Log; readonly tally: Tally } {
  const tally: Tally = { steps: 0, unread: 0, failures: [], tokens: 0, loops: new Map() };
  const ignore = () => undefined;
  return {
    tally,
    log: {
      debug: ignore,
      warn: ignore,
      error: ignore,
      info: (facts, event) => (event === "exchange" ? count(tally, facts) : undefined),
    },
  };
}

interface ExchangeFacts {
  readonly verdict?: string;
  readonly status?: number;
  readonly detector?: string;
  readonly rung?: string;
  readonly runaway?: unknown;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
}

function count(tally: Tally, facts: ExchangeFacts): void {
  const { verdict, status = 200, detector, rung, runaway, inputTokens = 0, outputTokens = 0 } = facts;
  tally.tokens += inputTokens + outputTokens;
  // What the guard itself refuses is no failure.
  if (rung !== "short-circuit" && (status === 0 || status >= 400)) tally.failures.push(status);
  else if (verdict === "unguarded") tally.unread += 1;
  else tally.steps += 1;
  for (const [loop, act] of [[detector, rung], runaway === undefined ? [] : ["runaway-output", "cut"]]) {
    if (loop === undefined || act === undefined) continue;
    const acts = tally.loops.get(loop) ?? new Map<string, number>();
    tally.loops.set(loop, acts.set(act, (acts.get(act) ?? 0) + 1));
  }
}

export function summaryOf({ steps, unread, failures, tokens, loops }: Tally): string {
  if (steps + unread === 0) return `unloop: ${nothingOf(failures)}. Run \`unloop doctor\` to find out why.`;
  const acts = [...loops].map(([detector, rungs]) => `${detector}: ${[...rungs].map(times).join(", ")}`);
  return [
    `unloop: ${amount(steps, "step")}`,
    acts.length === 0 ? "no loop" : `${amount(loops.size, "loop")} (${acts.join("; ")})`,
    ...(tokens === 0 ? [] : [amount(tokens, "token")]),
    ...(unread === 0 ? [] : [`${amount(unread, "request")} passed unread`]),
    ...(failures.length === 0 ? [] : [`${amount(failures.length, "request")} failed (${statusesOf(failures)})`]),
  ].join(", ");
}

function nothingOf(failures: readonly number[]): string {
  const count = failures.length;
  if (count === 0) return "no guarded request came through";
  const which = count === 1 ? "which" : count === 2 ? "both" : "all";
  return `${amount(count, "request")}, ${which} failed (${statusesOf(failures)})`;
}

function statusesOf(failures: readonly number[]): string {
  return [...new Set(failures)].map((status) => (status === 0 ? "no answer" : status)).join(", ");
}

function times([rung, count]: readonly [string, number]): string {
  return count === 1 ? rung : `${rung} ×${count}`;
}

function amount(count: number, unit: string): string {
  return `${count.toLocaleString("en")} ${unit}${count === 1 ? "" : "s"}`;
}
