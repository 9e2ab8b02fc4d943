/** What a sum of a period counts. */
export type Count =
  | SpentCount
  | (LadderCount & { readonly kind: "acts"; readonly rung: string })
  | (LadderCount & { readonly kind: "repeated" | "recovered" | "warnings" | "nearMisses" })
  | { readonly kind: "tools" | "toolWarnings" | "toolNearMisses"; readonly tool: string; readonly detector: string };

/** What sessions have used up, and how many they are. */
export interface SpentCount {
  /** `tokens` are input and output together, and those of the provider's cache among them. */
  readonly kind: "exchanges" | "sessions" | "tokens" | "outputTokens" | "cachedTokens" | "loopTokens" | "avoidedTokens";
  readonly policy: string;
  readonly arm: string;
  /** Of the session, within its side of a rollout. */
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

/** What a name stands for; undefined for what is no name of ours. */
export function readCountName(name: string): Count | undefined {
  return name.startsWith('{"kind":') ? JSON.parse(name) : undefined;
}
