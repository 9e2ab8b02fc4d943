import { defineDetector } from "../detector.ts";
import { wholeNumberSetting } from "../setting.ts";
import type { Fingerprint } from "../fingerprint.ts";
import { trailing } from "../view.ts";

const settings = {
  /** Only messages shorter than this close, in characters. */
  chars: wholeNumberSetting(50),
};

/** Polite closure: rounds in a row in which both sides only close the conversation. Any other round starts afresh. */
export const politeClosure = defineDetector({
  name: "polite-closure",
  grades: {},
  settings,
  detect(view, { chars }) {
    const rounds = trailing(view, (fingerprint) => isClosing(fingerprint, chars));
    if (rounds.length === 0) return [];
    return [
      {
        loop: "polite-closure",
        count: rounds.length,
        evidence: rounds.map(({ at }) => at),
        tools: [],
        whoeverSpoke: true,
        note: `both sides have only said goodbye, ${rounds.length} rounds in a row`,
      },
    ];
  },
});

function isClosing({ closes, heardCloses }: Fingerprint, chars: number): boolean {
  return closes !== undefined && heardCloses !== undefined && closes < chars && heardCloses < chars;
}
