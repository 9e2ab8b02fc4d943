import type { Figure } from "./figures.ts";
import { spread, table } from "./markdown.ts";
import { type TargetName, targets } from "./targets.ts";

/** What an exchange costs at each length of the history. */
export interface Grown {
  readonly title: string;
  /** How much steeper than the bare pass-through's the cost may rise with the history. */
  readonly steepest: number;
  readonly rows: readonly {
    readonly name: TargetName;
    /** CPU in milliseconds. */
    readonly points: readonly { readonly messages: number; readonly ms: Figure }[];
    /** Milliseconds of CPU for each message more. */
    readonly slope: number;
  }[];
}

export function growthText({ title, steepest, rows }: Grown): string {
  const bare = rows.find(({ name }) => name === "bare")?.slope ?? Number.NaN;
  const lengths = rows[0]?.points.map(({ messages }) => `${messages} messages, ms`) ?? [];
  const cells = rows.map((row) => [
    targets.find(({ name }) => name === row.name)?.title ?? row.name,
    ...row.points.map(({ ms }) => spread(ms, 3)),
    (row.slope * 1_000).toFixed(2),
    (row.slope / bare).toFixed(2),
  ]);
  const head = ["target", ...lengths, "slope, µs a message", `slope / bare (target: at most ${steepest})`];
  return `### ${title}\n\n${table(head, cells)}`;
}
