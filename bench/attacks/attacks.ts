import { asking } from "./asking.ts";
import { computing } from "./computing.ts";
import { swelling } from "./swelling.ts";
import { telling } from "./telling.ts";

/** One finding: what is sent, and what comes of it, in rows. */
export interface Attack {
  readonly name: string;
  readonly run: (dist: string) => Promise<readonly (readonly [what: string, came: string])[]>;
}

export const attacks: readonly Attack[] = [...computing, ...asking, ...swelling, ...telling];
