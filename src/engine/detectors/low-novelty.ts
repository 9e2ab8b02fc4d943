import { defineDetector, findingIn } from "../detector.ts";

/** Number of the latest calls that are compared. */
const SPAN = 24;
/** Fewer known ones than this are no finding at all. */
const LEAST = 12;
/** One wide turn made twice is no history of knowing everything. In turns. */
const LEAST_TURNS = 4;

/** Low novelty: of the latest calls and outcomes hardly any is new, and nothing was changed in between. */
export const lowNovelty = defineDetector({
  name: "low-novelty",
  grades: {},
  tells: "novelty",
  settings: {},
  detect({ action, actions, repeats }) {
    if (action === undefined || !repeats) return [];
    const pairs: { readonly pair: string; readonly at: number }[] = [];
    for (const earlier of [...actions].reverse()) {
      if (earlier.landed) break;
      if (!earlier.polls) {
        for (const call of earlier.fingerprint.calls)
          pairs.unshift({ pair: `${call.hash} ${call.outcome?.hash ?? "?"}`, at: earlier.at });
      }
      if (earlier.userBefore) break;
    }
    const seen = new Set<string>();
    const isRepeat = pairs.map(({ pair }) => seen.size === seen.add(pair).size);
    const recent = pairs.slice(-SPAN).filter((_, i) => isRepeat[Math.max(0, pairs.length - SPAN) + i]);
    const count = recent.length;
    const turns = [...new Set(recent.map(({ at }) => at))];
    // A turn that brings something new is not the one to stop at.
    if (count < LEAST || turns.length < LEAST_TURNS || turns.at(-1) !== action.at) return [];
    const note = `${recent.length} of the last ${SPAN} calls brought back what was known already`;
    return [
      findingIn(
        actions.filter(({ at }) => turns.includes(at)),
        { loop: "low-novelty", count, note },
      ),
    ];
  },
});
