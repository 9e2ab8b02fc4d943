import {
  mergeHistory,
  identify,
  type EvaluationContext,
  saveAliases,
  stepAliases,
  ledgerReach,
  loadLedger,
  resolveRun,
  saveLedger,
} from "../../../src/session/session.ts";
import type { Conversation, Step } from "../../../src/step.ts";
import type { Stores } from "../../../src/store/store.ts";
import { judgeWith, line, sign } from "./detection.ts";
import { evidence, type Said } from "./evidence.ts";

export interface Exchanged {
  readonly said?: Said;
  readonly about: Conversation;
  readonly answer?: { readonly id: string | undefined; readonly step: Step };
}

const ttlMs = 60_000;

/** What the guard does around an exchange: identify, load, follow; then save and leave a trail. */
export async function exchange(
  { sessions, counters }: Stores,
  { said = {}, about, answer }: Exchanged,
  evaluation: EvaluationContext = judgeWith(),
) {
  const asked = evidence(said);
  const named = identify(asked, about, sign);
  const previous = asked.field(["previous_response_id"]);
  const previousId = typeof previous === "string" ? previous : undefined;
  const { identity } = await resolveRun(
    sessions,
    named,
    { previousAnswerId: previousId, unknownCallId: undefined, conversation: about },
    sign,
  );
  const kept = await loadLedger(sessions, identity, about, sign);
  const elsewhere = Math.max(0, ((await counters.read(identity.key)).steps ?? 0) - ledgerReach(kept.ledger));
  const judging = { ...evaluation, elsewhere };
  const followed = mergeHistory(kept.ledger, about, judging);
  const again = { conversation: () => about, evaluation: judging, ttlMs };
  const added = await saveLedger(sessions, identity, kept, followed, again);
  if (answer !== undefined) {
    const aliases = stepAliases(answer.step, about.steps, identity, undefined, sign);
    const references = answer.id === undefined ? [] : [{ id: answer.id, isReplaced: false }];
    const named = { calls: [], at: followed.tip.total };
    const answered = { step: answer.step, aliases, references, named };
    await saveAliases(sessions, identity, answered, sign, ttlMs);
  }
  if (added !== undefined && added > 0) await counters.add(identity.key, { steps: added }, ttlMs);
  return { identity, followed, added };
}

export type Recorded = Awaited<ReturnType<typeof exchange>>;

/** `nudge repeated-call x3 at 2`, or nothing. */
export function nowOf({ followed: { now } }: Pick<Recorded, "followed">): string | undefined {
  return now === undefined ? undefined : line(now.intervention);
}

export function asAnswered(step: Step): Step {
  return { ...step, calls: step.calls.map(({ outcome: _, ...call }) => call), heard: [] };
}
