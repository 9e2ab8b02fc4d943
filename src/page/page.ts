import type { Fingerprint } from "../engine/engine.ts";
import type { DrawnFinding, DrawnStep } from "./assets/drawing.js";
import { reportParts as partsOfReport } from "./assets/report-file.js";

export { type Cell, type DrawnStep, type DrawnFinding, type Drawing, drawLane } from "./assets/drawing.js";

/** A step as it is drawn and told: names, signatures and flags. */
export function drawnStep({ calls, callsHash, saidHash, heard }: Fingerprint, index: number) {
  return {
    index,
    signature: callsHash,
    calls: calls.map(({ tool, kind, hash, outcome }) => ({
      tool,
      kind,
      signature: hash,
      outcome:
        outcome === undefined
          ? null
          : { signature: outcome.hash, class: classOf(outcome), cause: outcome.cause ?? null },
    })),
    said: saidHash,
    heard,
  } satisfies DrawnStep;
}

function classOf({ failed, weight, pending }: NonNullable<Fingerprint["calls"][number]["outcome"]>) {
  if (failed) return "failed";
  if (pending) return "pending";
  return weight === "nothing" ? "empty" : "ok";
}

/** A line of a decision export that tells of steps. */
export interface ExportedLine {
  readonly thread: string;
  readonly session?: string;
  readonly total: number;
  readonly steps: readonly object[];
}

export const isExported = (value: unknown): value is ExportedLine => {
  const { thread, steps, total } = Object(value);
  return typeof thread === "string" && Array.isArray(steps) && Number.isSafeInteger(total);
};

/**
 * Runs by thread, in the order of their first lines. A later line tells a step again once its outcome is known; where
 * lines are missing, a run begins behind the gap.
 */
export function exportedRuns(lines: Iterable<ExportedLine>): readonly ExportedLine[] {
  const runs = new Map<string, ExportedLine & { readonly steps: object[] }>();
  for (const line of lines) {
    const { total = 0, steps = [] } = runs.get(line.thread) ?? {};
    const kept = line.total - line.steps.length - total + steps.length;
    steps.length = kept <= steps.length ? Math.max(kept, 0) : 0;
    for (const step of line.steps) steps.push(step);
    runs.set(line.thread, { ...line, steps });
  }
  return [...runs.values()];
}

/** What the page consists of beside its shell, by name, with each file's type. */
export const pageFiles: Readonly<Record<string, string>> = {
  "icon.svg": "image/svg+xml",
  "page.css": "text/css",
  ...Object.fromEntries(
    [
      ...["acts", "api", "app", "drawing", "htm", "lane", "live", "parts", "report", "report-file"],
      ...["session", "what-if", "words"],
    ].map((name) => [`${name}.js`, "text/javascript"]),
  ),
};

/** A step's texts; the report alone has them, since the file that it is made of is the user's own. */
export interface ReportedText {
  readonly calls: readonly { readonly tool: string; readonly args: string; readonly outcome: string | null }[];
  readonly said: string;
  readonly heard: readonly string[];
}

export interface ReportedConversation {
  readonly id: string;
  /** `observe` where the acts are those that a policy would have led to. */
  readonly mode?: string;
  readonly task: string;
  readonly steps: readonly (DrawnStep & { readonly text: ReportedText })[];
  readonly findings: readonly DrawnFinding[];
}

interface ReportParts {
  readonly begin: string;
  readonly piece: (conversation: ReportedConversation) => string;
  readonly end: string;
}

/** Begin and end of a report as one self-contained file, and what stands between them. @param asset gives a file of the page by its name */
export const reportParts: (asset: (name: string) => string, title: string) => Promise<ReportParts> = partsOfReport;
