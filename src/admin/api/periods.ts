import { type Count, periodKey, readCountName } from "../../activity/activity.ts";
import { type ApiCall, badRequest, isoTime } from "./context.ts";

const HOUR_S = 3_600;

interface Periods {
  readonly length: "hour" | "day";
  readonly seconds: number;
  readonly count: number;
}

const WINDOWS: Readonly<Record<string, Periods>> = {
  "1h": { length: "hour", seconds: HOUR_S, count: 1 },
  "6h": { length: "hour", seconds: HOUR_S, count: 6 },
  "24h": { length: "hour", seconds: HOUR_S, count: 24 },
  "7d": { length: "day", seconds: 24 * HOUR_S, count: 7 },
};

/** A sum of a period. */
export interface Counted {
  readonly what: Count;
  readonly amount: number;
}

export interface CountedPeriods {
  readonly window: string;
  readonly from: string;
  readonly to: string;
  /** Periods, oldest first; the last one is still running. */
  readonly periods: readonly { readonly at: string; readonly counted: readonly Counted[] }[];
}

/** The sums of the window that is asked for, of all tenants or of one. */
export async function countedIn(call: ApiCall): Promise<CountedPeriods> {
  const tenant = call.actor.tenant ?? call.query("tenant");
  const window = call.query("window") ?? "24h";
  const match = Object.hasOwn(WINDOWS, window) ? WINDOWS[window] : undefined;
  if (match === undefined) throw badRequest("window must be 1h, 6h, 24h or 7d.");
  const { length, seconds, count } = match;
  const newest = Math.floor(call.now() / 1_000 / seconds);
  const starts = Array.from({ length: count + 1 }, (_, i) => (newest - count + i) * seconds);
  const totals = await Promise.all(starts.map((start) => call.stores.counters.read(periodKey(length, start))));
  const periods = totals.map((sums, i) => ({
    at: isoTime((starts[i] ?? 0) * 1_000),
    counted: countedFrom(sums, tenant),
  }));
  return { window, from: isoTime((starts[0] ?? 0) * 1_000), to: isoTime(call.now()), periods };
}

function countedFrom(sums: Readonly<Record<string, number>>, tenant: string | undefined): readonly Counted[] {
  return Object.entries(sums).flatMap(([name, amount]) => {
    const what = readCountName(name);
    return what === undefined || (tenant !== undefined && what.tenant !== tenant) ? [] : [{ what, amount }];
  });
}
