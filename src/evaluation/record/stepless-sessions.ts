import { stepsRead } from "../act/action.ts";
import type { RequestContext } from "../context.ts";
import type { Evaluation } from "../decide.ts";

/** Names that are remembered at most: clients choose them. */
const MAX_NAMES = 1000;
/** Exchanges without a step that rule out chance: normally the second request of a run carries its first step. */
const ENOUGH = 5;

/** Looks out for clients whose requests never tell a step: there no loop can be seen, whatever the verdict says. */
export interface SteplessSessions {
  /**
   * @param name of the session, or of the client and its instructions where prompts tell no history
   * @returns `noticed` the first time that it is certain, `stepless` from then on; undefined for all others
   */
  note(name: string, steps: number): "noticed" | "stepless" | undefined;
}

export function steplessSessions(): SteplessSessions {
  /** Exchanges without a step, by name; undefined once a step was seen. */
  const names = new Map<string, number | undefined>();
  return {
    note(name, steps) {
      const before = names.has(name) ? names.get(name) : 0;
      if (before === undefined) return undefined;
      names.delete(name);
      const count = steps > 0 ? undefined : before + 1;
      names.set(name, count);
      if (names.size > MAX_NAMES) names.delete(names.keys().next().value ?? name);
      if (count === undefined || count < ENOUGH) return undefined;
      return count === ENOUGH ? "noticed" : "stepless";
    },
  };
}

/** Whether nothing can be seen of this client's runs. Told in the log once, with what to do about it. */
export function noteStepless(
  { request, run: { identity }, merged }: Pick<Evaluation, "request" | "run" | "merged">,
  { memory, sign, log }: Pick<RequestContext, "memory" | "sign" | "log">,
): boolean {
  if (request.base !== undefined) return false;
  const { unread, conversation } = request.whole();
  // A history that is not understood is a run's own; of prompts that are written anew only client and instructions are alike.
  const isOwn = identity.isGiven || unread !== undefined;
  const name = isOwn ? identity.key : sign(`stepless\u0000${identity.tenant}\u0000${conversation.system}`);
  const noted = memory.stepless.note(name, stepsRead(request, merged.tip));
  if (noted === "noticed") log.warn({ session: identity.label, unread, cure: CURE }, "no-steps-told");
  return noted !== undefined;
}

const CURE =
  "This client's requests contain no steps that are understood, so their loops cannot be seen. If it is an agent, see docs/dialects.md for the supported histories, and for the policy field that describes others. `unread` is the first part of its history that is not understood.";
