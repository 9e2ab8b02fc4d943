import type { Fingerprint } from "../engine/engine.ts";
import type { DrawnStep } from "./assets/drawing.js";

export {
  actMarks,
  type Cell,
  cellMark,
  type DrawnFinding,
  type DrawnStep,
  type Drawing,
  drawLane,
  type Group,
  lanePieces,
} from "./assets/drawing.js";
export { type ExportedLine, exportedRuns, isExported } from "./assets/runs.js";
export { type ReportedConversation, type ReportedText, reportParts } from "./report.ts";

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

/** What the page consists of beside its shell, by name, with each file's type. */
export const pageFiles: Readonly<Record<string, string>> = {
  "icon.svg": "image/svg+xml",
  "page.css": "text/css",
  ...Object.fromEntries(
    [
      ...["acts", "api", "app", "drawing", "htm", "lane", "live", "parts", "report", "report-file"],
      ...["runs", "session", "sums", "what-if"],
    ].map((name) => [`${name}.js`, "text/javascript"]),
  ),
};
