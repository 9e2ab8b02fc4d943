import { hashUnit } from "../text/hash.ts";

/** Looks out for a flood: an answer that makes the same call, or the same few calls, over and over. Bounded memory. */
export interface CallFlood {
  /** The parts of a call: its number within the answer, and its tool or more of its arguments. True: with it as it stands the flood is there. */
  begin(call: number, tool: string): boolean;
  grow(call: number, args: string): boolean;
  /** Calls that stand there by now. */
  calls(): number;
}

/** So often the same call stands in one answer by mistake alone. */
export const FLOOD_LAPS = 5;
/** Different calls that are told apart; an answer with more of them is a batch. */
const MOST_CALLS = 4_096;

export function callFlood(): CallFlood {
  const counts = new Map<string, number>();
  let most = 0;
  let before = 0;
  let current: number | undefined;
  let tool = "";
  let [length, hash, other] = [0, 0, 0];

  const signature = (): string => `${tool} ${length} ${hash} ${other}`;

  function complete(): void {
    const count = (counts.get(signature()) ?? 0) + 1;
    before++;
    if (counts.size < MOST_CALLS || count > 1) counts.set(signature(), count);
    most = Math.max(most, count);
  }

  /** A wait between different calls stands there often, too: of all calls as many must be repeats as are not. */
  function isFlood(): boolean {
    if (most < FLOOD_LAPS - 1 || 2 * counts.size > before + 1) return false;
    return (counts.get(signature()) ?? 0) >= FLOOD_LAPS - 1;
  }

  return {
    begin(call, name) {
      if (call !== current) {
        if (current !== undefined) complete();
        current = call;
        [tool, length, hash, other] = [name, 0, 0, 0];
      } else if (name !== "") tool = name;
      return isFlood();
    },
    grow(call, args) {
      if (call !== current) return false;
      for (let i = 0; i < args.length; i++) {
        const code = args.charCodeAt(i);
        hash = hashUnit(hash, code);
        other = (Math.imul(other, 31) + code) | 0;
      }
      length += args.length;
      return isFlood();
    },
    calls: () => before + (current === undefined ? 0 : 1),
  };
}
