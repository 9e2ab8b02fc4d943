/** Count: the subject of one sum over a period; of a tenant, where the configuration names one. */
export type Count = { readonly tenant?: string | undefined } & (
  | SpentCount
  | (LadderCount & { readonly kind: "acts"; readonly rung: string })
  | (LadderCount & { readonly kind: "repeated" | "recovered" | "warnings" | "nearMisses" })
  | { readonly kind: "tools" | "toolWarnings" | "toolNearMisses"; readonly tool: string; readonly detector: string }
);

/** Usage of a group of sessions, and the number of sessions in it. */
export interface SpentCount {
  /** `tokens` are input and output together, and those of the provider's cache among them. */
  readonly kind: "exchanges" | "sessions" | "tokens" | "outputTokens" | "cachedTokens" | "loopTokens" | "avoidedTokens";
  readonly policy: string;
  readonly arm: string;
  /** Rollout group of the session, within its arm. */
  readonly group?: number | undefined;
}

interface LadderCount {
  readonly policy: string;
  readonly arm: string;
  readonly detector: string;
  readonly grade: string;
}

/** The name of a sum. */
export function countName(count: Count): string {
  return JSON.stringify(count);
}

const TOOLS = JSON.stringify({ kind: "tools" }).slice(0, -1);

/** Whether a sum is named after a tool. */
export function isToolCount(name: string): boolean {
  return name.startsWith(TOOLS);
}

/** Count that a name stands for; undefined for a name that is not one of ours. */
export function readCountName(name: string): Count | undefined {
  return name.startsWith('{"kind":') ? JSON.parse(name) : undefined;
}
