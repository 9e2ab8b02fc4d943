import type { Sample } from "./load.ts";

export interface Outcome {
  readonly name: string;
  readonly samples: readonly Sample[];
  /** The share of the machine's processors that was in use. */
  readonly busy: number;
  /** `store-lost` and `store-back`, as the guard logged them, with the seconds since the failure began. */
  readonly changes: readonly string[];
  /** From the end of the failure until the store was used again; undefined if it was not. */
  readonly backAfterMs: number | undefined;
  /** A loop that only the store can know of was caught afterwards. */
  readonly remembers: boolean;
}

const HEAD = [
  "Redis",
  "requests",
  "failed",
  "added wait p50 / p99 / max (ms)",
  "total p50 / p99 / max (ms)",
  "degraded",
  "visible loops caught",
  "healthy wronged",
  "state changes logged",
  "back after",
  "remembers",
  "CPU busy",
];

export function table(outcomes: readonly Outcome[]): string {
  const rows = outcomes.map(({ name, samples, busy, changes, backAfterMs, remembers }) => {
    const count = (holds: (sample: Sample) => boolean) => samples.filter(holds).length;
    const caught = count(({ loop }) => loop === "caught");
    const missed = count(({ loop }) => loop === "missed");
    const degraded = count(({ verdict }) => verdict === "degraded");
    return [
      name,
      String(samples.length),
      String(count(({ fine }) => !fine)),
      spread(samples.map(({ ownMs }) => ownMs)),
      spread(samples.map(({ totalMs }) => totalMs)),
      `${((100 * degraded) / samples.length).toFixed(1)} %`,
      missed === 0 && caught > 0 ? `yes (${caught}/${caught})` : `no (${caught}/${caught + missed})`,
      String(count(({ wronged }) => wronged)),
      changes.length === 0 ? "none" : changes.join(", "),
      backAfterMs === undefined ? "never" : `${Math.round(backAfterMs)} ms`,
      remembers ? "yes" : "no",
      `${Math.round(100 * busy)} %`,
    ];
  });
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(HEAD), line(HEAD.map(() => "---")), ...rows.map(line)].join("\n");
}

/** Whether what is promised held: nobody fails, nobody is wronged, every visible loop is caught, and the state comes back. */
export function holds({ samples, backAfterMs, remembers }: Outcome): boolean {
  const flawless = samples.every(({ fine, loop, wronged }) => fine && loop !== "missed" && !wronged);
  return samples.length > 0 && flawless && backAfterMs !== undefined && remembers;
}

function spread(values: readonly number[]): string {
  const sorted = values.filter((value) => !Number.isNaN(value)).sort((a, b) => a - b);
  const at = (share: number) =>
    (sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0).toFixed(1);
  return `${at(0.5)} / ${at(0.99)} / ${at(1)}`;
}
