import { type DoctorCheck, type Diagnosis, ok, skipped, warning } from "./check.ts";
import { askGuard } from "../guard-health.ts";

/** Whether any agent's requests come through a guard, and whether they could be read. @param token for its metrics */
export function arrivals(guard: string, token: string | undefined): DoctorCheck {
  return {
    name: "traffic",
    async run() {
      const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
      const answer = await askGuard(guard, "/unloop/metrics", { headers });
      if (answer?.status === 401 || answer?.status === 403)
        return [skipped("The guard's metrics need its token. Set UNLOOP_ADMIN_TOKEN to check its traffic.")];
      if (answer?.status !== 200) return [skipped("The guard has no metrics.")];
      return [...judgedTraffic(exchangesIn(answer.text)), ...judgedPassing(passedIn(answer.text))];
    },
  };
}

/** Guarded exchanges so far, by verdict. @param metrics in the Prometheus text format */
export function exchangesIn(metrics: string): ReadonlyMap<string, number> {
  return countsIn(metrics, /^unloop_exchanges_total\{(?:[^}]*,)?verdict="([^"]*)"[^}]*\} ([\d.e+]+)$/);
}

/** Requests to models so far at endpoints that are not guarded, by endpoint. */
function passedIn(metrics: string): ReadonlyMap<string, number> {
  return countsIn(metrics, /^unloop_unguarded_requests_total\{endpoint="((?!other")[^"]*)"\} ([\d.e+]+)$/);
}

/** Sums by the pattern's first group, of the numbers in its second. */
function countsIn(metrics: string, pattern: RegExp): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const line of metrics.split("\n")) {
    const [, name, count] = pattern.exec(line) ?? [];
    if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + Number(count));
  }
  return counts;
}

function judgedPassing(counts: ReadonlyMap<string, number>): readonly Diagnosis[] {
  if (counts.size === 0) return [];
  const told = [...counts].map(([endpoint, count]) => `${endpoint} (${count})`).join(", ");
  return [
    warning(
      `Requests to models come at endpoints that are not guarded: ${told}. Loops of these agents are not noticed.`,
      "Let these agents use a guarded API, if their server has one: see docs/wires.md.",
    ),
  ];
}

function judgedTraffic(counts: ReadonlyMap<string, number>): readonly Diagnosis[] {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  if (total === 0) {
    return [
      warning(
        "No agent's request has come through the guard since it started.",
        "Point the agent's base URL at it, or run the agent with `unloop wrap AGENT`.",
      ),
    ];
  }
  const unread = counts.get("unguarded") ?? 0;
  const diagnosis = ok(`${total} guarded ${total === 1 ? "request has" : "requests have"} come through.`);
  if (unread === 0) return [diagnosis];
  return [
    diagnosis,
    warning(
      `${unread} of them could not be read and passed unchanged.`,
      "See `unguarded` in docs/headers.md. Compressed bodies and unknown formats pass unread.",
    ),
  ];
}
