import { setTimeout as pause } from "node:timers/promises";
import type { Cast } from "./cast.ts";
import type { Span } from "./judge.ts";
import { killed, type Outage, restarted } from "./outage.ts";

/** A stretch of the soak, from its beginning to the next one's. */
export interface Phase extends Span {
  readonly name: string;
}

export interface Played {
  readonly phases: readonly Phase[];
  readonly outages: readonly Span[];
}

interface Deed {
  readonly name: string;
  readonly after: string;
  /** When it begins, and how long Redis is away, as shares of the whole. */
  readonly at: number;
  readonly away: number;
  readonly outage: Outage;
}

const deeds: readonly Deed[] = [
  { name: "Redis killed", after: "back, empty", at: 0.27, away: 1 / 30, outage: killed },
  { name: "Redis restarted", after: "back, as it was", at: 0.6, away: 1 / 90, outage: restarted },
];

/** Long enough for what is under way to go through it. */
const LEAST_AWAY_MS = 4_000;

/** Goes through the phases, from now on. */
export async function playPhases({ redis, server }: Cast, totalMs: number): Promise<Played> {
  const start = Date.now();
  const until = (share: number) => pause(Math.max(0, start + share * totalMs - Date.now()));
  const begun: { name: string; from: number }[] = [{ name: "before", from: start }];
  const outages: Span[] = [];
  for (const { name, after, at, away, outage } of deeds) {
    await until(at);
    process.stderr.write(`${name} …\n`);
    begun.push({ name, from: Date.now() });
    const span = await outage(redis, server, Math.max(LEAST_AWAY_MS, away * totalMs));
    outages.push(span);
    begun.push({ name: after, from: span.until });
  }
  await until(1);
  const ends = [...begun.slice(1).map(({ from }) => from), Date.now()];
  return { outages, phases: begun.map((phase, index) => ({ ...phase, until: ends[index] ?? 0 })) };
}
