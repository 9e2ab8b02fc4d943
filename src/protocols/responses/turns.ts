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

const MADE: ReadonlySet<ItemKind> = new Set(["said", "thought", "call", "reference"]);
/** Kinds that may be nothing but a thought. */
const UNCERTAIN: ReadonlySet<ItemKind> = new Set(["thought", "reference"]);

/**
 * A turn begins where the model makes something after a result or a user's message. What was only thought is no turn; what is
 * only referred to is one if a result comes back for it.
 */
export function turnsIn(items: readonly unknown[]): Turns {
  const before: number[] = [];
  const turns: { ownItems: number[]; behind: number[] }[] = [];
  let latest: { ownItems: number[]; behind: number[]; acts: boolean } | undefined;
  const act = (turn: typeof latest) => {
    if (turn === undefined || turn.acts) return;
    turn.acts = true;
    turns.push(turn);
  };
  for (const [index, item] of items.entries()) {
    const kind = kindOf(item);
    if (MADE.has(kind)) {
      if (latest === undefined || latest.behind.length > 0) latest = { ownItems: [], behind: [], acts: false };
      latest.ownItems.push(index);
      if (!UNCERTAIN.has(kind)) act(latest);
    } else if (kind === "result" || kind === "user") {
      const isOfReference = kind === "result" && latest?.ownItems.some((own) => kindOf(items[own]) === "reference");
      if (isOfReference === true) act(latest);
      (turns.at(-1)?.behind ?? before).push(index);
    }
  }
  return { before, turns };
}
