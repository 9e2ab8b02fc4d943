/**
 * Work that one request may cost, counted by whoever looks at what a client or an upstream has written, in units of some 30 ns. Once it
 * is spent, what is left is not looked at: a request passes unguarded, since half a reading is none; of an answer a text is words, a
 * value is compared as it is written, an end is plain.
 */
export interface Work {
  /** Whether there was enough for it. */
  spend(units: number): boolean;
  isSpent(): boolean;
  /** So much was spent since it last said so that others have their turn first. @param passed gone through for nothing, beside that */
  isDue(passed?: number): boolean;
  /** At most so much of it, for something that a request can do without. */
  part(units: number): Work;
}

function workOf(units: number, whole?: Work): Work {
  let [left, due] = [units, units - PAUSE];
  const work: Work = {
    spend(cost) {
      // What is spent takes nothing more from the whole, but others still wait.
      if (left < 0) due += cost;
      if (left < 0) return false;
      left -= cost;
      const isThere = whole === undefined || whole.spend(cost);
      return left >= 0 && isThere;
    },
    isSpent: () => left < 0 || whole?.isSpent() === true,
    isDue(passed = 0) {
      due += passed;
      if (left >= due) return false;
      due = left - PAUSE;
      return true;
    },
    part: (most) => workOf(most, work),
  };
  return work;
}

/** A quarter of a second where others share the processor, else half of that; and a sixtieth of a second. */
const [REQUEST, PAUSE] = [7_000_000, 500_000];

/** Made where a request's body, or its answer, is accepted. */
export const requestWork = (): Work => workOf(REQUEST);

const ABROAD = /[^\0-\x7f]/;
/** To compare a character of a text; one beyond ASCII is put into one form and one case first. */
const [CHARACTER, CHARACTER_ABROAD] = [1.5, 5];
/** To compare a member of a JSON value. */
const MEMBER = 40;

/** What it takes to read a text, and the value in it. */
export function textWork(text: string): number {
  const characters = text.length * (ABROAD.test(text) ? CHARACTER_ABROAD : CHARACTER);
  return /^\s{0,64}[[{]/.test(text) ? characters + MEMBER * membersIn(text) : characters;
}

function membersIn(json: string): number {
  let count = 1;
  for (let at = json.indexOf(","); at !== -1; at = json.indexOf(",", at + 1)) count += 1;
  return count;
}
