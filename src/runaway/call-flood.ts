import { hashText } from "../text/hash.ts";

/** So often the same call stands in one answer by mistake alone. */
export const FLOOD_LAPS = 5;
/** Different calls that are told apart; an answer with more of them is a batch. */
const MOST_CALLS = 4_096;
const SEED = 7;

/** Flood: an answer that makes the same call, or the same few calls, over and over. `true`: with the call as it stands it is there. */
export function callFlood() {
  const counts = new Map<string, number>();
  let [most, before, current, tool] = [0, 0, -1, ""];
  let [length, hash, other] = [0, 0, SEED];

  const signature = (): string => `${tool} ${length} ${hash} ${other}`;

  function complete(): void {
    const count = (counts.get(signature()) ?? 0) + 1;
    before++;
    if (counts.size < MOST_CALLS || count > 1) counts.set(signature(), count);
    most = Math.max(most, count);
  }

  /** A wait between different calls stands there often, too: of all calls as many must be repeats as are not. */
  const isFlood = (): boolean =>
    most >= FLOOD_LAPS - 1 && 2 * counts.size <= before + 1 && (counts.get(signature()) ?? 0) >= FLOOD_LAPS - 1;

  return {
    begin(call: number, name: string): boolean {
      if (call !== current) {
        if (current !== -1) complete();
        [current, tool, length, hash, other] = [call, name, 0, 0, SEED];
      } else if (name !== "") tool = name;
      return isFlood();
    },
    grow(call: number, args: string): boolean {
      if (call !== current) return false;
      [hash, other] = [hashText(args, hash), hashText(args, other)];
      length += args.length;
      return isFlood();
    },
    calls: () => before + (current === -1 ? 0 : 1),
  };
}
