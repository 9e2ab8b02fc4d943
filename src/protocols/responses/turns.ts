import { kindOf, type ItemKind } from "./items.ts";

/** One assistant turn in a list of items: the items that the model made, then what came back and was said to it. By index. */
export interface Turn {
  readonly ownItems: readonly number[];
  /** Results and user messages, until the model speaks again. */
  readonly behind: readonly number[];
}

/** A list of items, cut into turns. */
export interface Turns {
  /** What stands before the first turn. Where a request goes on from an earlier answer, it belongs to that. */
  readonly before: readonly number[];
  readonly turns: readonly Turn[];
}

const MADE: ReadonlySet<ItemKind> = new Set(["said", "thought", "call"]);

/** A turn begins where the model makes something after a result or a user's message. What was only thought is no turn. */
export function turnsIn(items: readonly unknown[]): Turns {
  const before: number[] = [];
  const turns: { ownItems: number[]; behind: number[] }[] = [];
  let latest: { ownItems: number[]; behind: number[]; acts: boolean } | undefined;
  for (const [index, item] of items.entries()) {
    const kind = kindOf(item);
    if (MADE.has(kind)) {
      if (latest === undefined || latest.behind.length > 0) latest = { ownItems: [], behind: [], acts: false };
      latest.ownItems.push(index);
      if (kind !== "thought" && !latest.acts) {
        latest.acts = true;
        turns.push(latest);
      }
    } else if (kind === "result" || kind === "user") (turns.at(-1)?.behind ?? before).push(index);
  }
  return { before, turns };
}
