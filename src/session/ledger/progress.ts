import type { Succession } from "../../store/store.ts";
import type { Ledger } from "./ledger.ts";
import { readEncoded } from "./ledger-text.ts";

/** Progress of a ledger, without its steps. */
export interface LedgerProgress extends Pick<Ledger, "total" | "carried" | "since"> {
  /** Keys of the last steps, oldest first, and behind them that of the step that is not counted yet. */
  readonly keys: readonly string[];
}

/**
 * The progress of a saved ledger that holds nothing but what its requests' histories tell, so that any replica comes to the
 * same by reading them; undefined for every other record. A third of what reading the ledger takes.
 */
export function readProgress(json: string): LedgerProgress | undefined {
  const ledger = readEncoded(json);
  if (ledger?.pending === undefined || !isPlain(ledger)) return undefined;
  const { total, carried, since, window, pending } = ledger;
  return { total, carried, since, keys: [...window, pending.fingerprint].map(({ k }) => k) };
}

/**
 * How one ledger of a thread stands to another: `behind` where the other one goes on from all of its steps, `ahead` where it
 * goes on from the other's; undefined where their steps differ.
 */
export function standingOf(progress: LedgerProgress | undefined, ledger: Ledger): "behind" | "ahead" | undefined {
  const { window, pending } = ledger;
  if (progress === undefined || pending === undefined || progress.since !== ledger.since) return undefined;
  if (progress.total - progress.carried !== ledger.total - ledger.carried) return undefined;
  const lead = progress.total - ledger.total;
  if (lead === 0) return undefined;
  if (lead > 0) return progress.keys.at(-1 - lead) === pending.fingerprint.key ? "ahead" : undefined;
  return window.at(lead)?.key === progress.keys.at(-1) ? "behind" : undefined;
}

/** Steps by which a record may be behind and be known by its mark: replicas that take turns are as many as they are. */
const MOST_BEHIND = 8;

/**
 * What says of a ledger that it holds nothing but what histories tell, and which ledgers it goes on from: the same as
 * `readProgress` and `standingOf`, for a store that compares texts. Undefined for every other ledger.
 */
export function successionOf(ledger: Ledger): Succession | undefined {
  const { schema, since, total, carried, window, pending } = ledger;
  if (pending === undefined || !isPlain(ledger)) return undefined;
  const markOf = (steps: number, key: string) => [schema, since, total - carried, steps, key].join(" ");
  const over = window.slice(-MOST_BEHIND).map(({ key }, i, { length }) => markOf(total - length + i, key));
  return { mark: markOf(total, pending.fingerprint.key), over };
}

/** A ledger, or the same as it stands in a store. */
type Plain = Pick<Ledger, "interventions" | "budgetKey" | "grown" | "memory"> & {
  readonly relayed?: unknown;
  readonly pending?: Pick<NonNullable<Ledger["pending"]>, "intercepted" | "goalChange" | "opinion">;
};

/** Whether there is nothing in it that cannot be rebuilt from a history. */
function isPlain({ interventions, budgetKey, relayed, grown = [], memory, pending }: Plain): boolean {
  if (interventions.length > 0) return false;
  // Which calls of a message came together is known by those who saw it grow.
  if (grown.some(({ ends }) => ends.length !== 1)) return false;
  const { intercepted, goalChange, opinion } = pending ?? {};
  return [budgetKey, relayed, memory.doubt, intercepted, goalChange, opinion].every((one) => one === undefined);
}
