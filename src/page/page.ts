import type { Fingerprint } from "../engine/engine.ts";

export { reportParts } from "./assets/report-file.js";

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
  };
}

function classOf({ failed, weight, pending }: NonNullable<Fingerprint["calls"][number]["outcome"]>) {
  if (failed) return "failed";
  if (pending) return "pending";
  return weight === "nothing" ? "empty" : "ok";
}

/** What the page consists of beside its shell: names and types. */
export function pageFiles(): readonly (readonly [name: string, type: string])[] {
  const modules = ["acts", "api", "app", "drawing", "htm", "lane", "live", "parts", "report", "report-file"];
  return [
    ["icon.svg", "image/svg+xml"],
    ["page.css", "text/css"],
    ...[...modules, "session", "what-if", "words"].map((name) => [`${name}.js`, "text/javascript"] as const),
  ];
}
