import type { Policy } from "../../policy/policy.ts";
import {
  type Intervention,
  type Ledger,
  readLedger,
  type ReplayedInterventions,
  replayConversation,
  stepsOfRun,
  unjudged,
} from "../../session/session.ts";
import type { SessionKey } from "../../store/store.ts";
import { inTurns, turn } from "../../turns.ts";
import type { BodyOf } from "./inputs.ts";
import type { ApiCall } from "./context.ts";
import { policyIn } from "./decide.ts";
import { ABOUT, RUNGS, threadsOf } from "./session-view.ts";
import { scanDirectory } from "./sessions.ts";
import { asList, asOneOf, orNull, asIs, asText, asTexts, view, whole } from "./view.ts";

const intervention = view<Intervention>()({
  step: whole("Index of the step.", ({ at }) => at),
  detector: asText(ABOUT.detector),
  rung: asOneOf<Intervention>(RUNGS, ABOUT.rung),
  count: whole("How often."),
  note: asText(ABOUT.note),
});
const side = (description: string) =>
  view()({ findings: whole("Interventions."), last: orNull(asIs(intervention)) }, description);
const difference = view()({
  step: whole("Index of the step."),
  before: orNull(asIs(intervention)),
  after: orNull(asIs(intervention)),
});

const comparison = view()({
  id: asText("Index or id of the conversation, or the id of the session."),
  thread: orNull(asText("The thread; null for a posted conversation.")),
  steps: whole("Steps that were judged."),
  skipped: whole("Older steps, which were only counted."),
  before: asIs(side("By the policy it was compared with.")),
  after: asIs(side("By the policy that was tried.")),
  earliestDifference: orNull(asIs(difference)),
});

export const dryRunView = view()({
  policy: asText("The policy that was tried."),
  against: asText("The policy it was compared with."),
  total: whole("Conversations or threads that were judged."),
  changed: whole("Conversations or threads with a different result."),
  results: asList(comparison, "One result for each, in the given order."),
  unreadable: asTexts("Indexes of the posted conversations that could not be read."),
});

const RECENT = 200;

/** Steps after which others have their turn. */
const SLICE = 32;

interface Compared {
  readonly id: string;
  readonly thread: string | null;
  readonly steps: number;
  /** Older ones, which are counted and not judged. */
  readonly skipped: number;
  readonly before: ReplayedInterventions;
  readonly after: ReplayedInterventions;
}

/** Dry run: the actions that another policy would have taken. */
export async function dryRun(call: ApiCall<BodyOf<"DryRunRequest">>) {
  const { policy, against, conversations, sessions } = call.body;
  const candidate = policyIn(call, policy);
  const base = against === undefined ? call.control.terms().policy : policyIn(call, against);
  const judge = { ...call, tried: candidate, base };
  const { compared, unreadable } =
    conversations === undefined
      ? { compared: await ofSessions(judge, sessions ?? []), unreadable: [] }
      : await ofConversations(judge, conversations);
  const results = compared.map(resultOf);
  return {
    policy: candidate.name,
    against: base.name,
    total: results.length,
    changed: results.filter(({ earliestDifference }) => earliestDifference !== null).length,
    results,
    unreadable,
  };
}

type Judge = ApiCall & { readonly tried: Policy; readonly base: Policy };

async function ofConversations({ control, tried: policy, base }: Judge, conversations: readonly unknown[]) {
  const compared: Compared[] = [];
  const unreadable: string[] = [];
  for (const [i, one] of conversations.entries()) {
    // Others have their turn between two of them: a long list must not hold up the traffic.
    await turn();
    const run = stepsOfRun.decode(one, { sign: control.sign, policy: base });
    const request = run ?? (await readable(one, control));
    if (request === undefined) unreadable.push(String(i));
    else if ("window" in request)
      compared.push(ofWindow(request, { id: String(i), thread: null }, { base, policy }, control));
    else {
      const { conversation } = request;
      const judged = (policy: Policy) =>
        inTurns(replayConversation(conversation, { sign: control.sign, policy }), SLICE);
      const skipped = unjudged(conversation);
      const steps = conversation.steps.length - skipped;
      const before = await judged(base);
      const after = policy === base ? before : await judged(policy);
      compared.push({ id: String(i), thread: null, steps, skipped, before, after });
    }
  }
  return { compared, unreadable };
}

/** Undefined, too, for what is nested more deeply than can be written down again. */
async function readable(record: unknown, control: ApiCall["control"]) {
  try {
    return await control.readRecorded(record);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

type ReplayArguments = NonNullable<BodyOf<"DryRunRequest">["sessions"]>;

async function ofSessions(call: Judge, body: ReplayArguments): Promise<readonly Compared[]> {
  const { stores, actor, control, tried: policy, base } = call;
  const entries =
    body === "recent" ? (await scanDirectory(call, (entry) => entry, RECENT)).views : await entriesOf(call, body);
  const compared: Compared[] = [];
  for (const { key, fields } of entries) {
    if (actor.tenant !== undefined && fields.tenant !== actor.tenant) continue;
    for (const thread of threadsOf({ key, fields })) {
      await turn();
      const stored = await stores.sessions.read(thread);
      const ledger = stored === undefined ? undefined : readLedger(stored.json);
      if (ledger === undefined) continue;
      const shown = { id: key, thread: thread.split(".")[1] ?? "" };
      compared.push(ofWindow(ledger, shown, { base, policy }, control));
    }
  }
  return compared;
}

function ofWindow(
  ledger: Ledger,
  shown: Pick<Compared, "id" | "thread">,
  { base, policy }: { readonly base: Policy; readonly policy: Policy },
  { sign }: ApiCall["control"],
): Compared {
  const steps = ledger.window.length + (ledger.pending === undefined ? 0 : 1);
  const before = stepsOfRun.replay(ledger, { sign, policy: base });
  const after = policy === base ? before : stepsOfRun.replay(ledger, { sign, policy });
  return { ...shown, steps, skipped: ledger.total - ledger.window.length, before, after };
}

async function entriesOf({ stores }: ApiCall, ids: readonly string[]) {
  const entries = await Promise.all(ids.map((id) => stores.directory.find(id as SessionKey)));
  return entries.filter((entry) => entry !== undefined);
}

function resultOf({ id, thread, steps, skipped, before, after }: Compared) {
  const sides = (acts: ReplayedInterventions) => ({ findings: acts.length, last: verdictOf(acts.at(-1)) });
  return {
    id,
    thread,
    steps,
    skipped,
    before: sides(before),
    after: sides(after),
    earliestDifference: earliestDifference(before, after),
  };
}

function earliestDifference(before: ReplayedInterventions, after: ReplayedInterventions) {
  for (let i = 0; i < Math.max(before.length, after.length); i++) {
    const [a, b] = [before[i], after[i]];
    if (a?.at === b?.at && a?.rung === b?.rung && a?.detector === b?.detector) continue;
    const step = Math.min(a?.at ?? Number.POSITIVE_INFINITY, b?.at ?? Number.POSITIVE_INFINITY);
    const at = (act: Intervention | undefined) => (act?.at === step ? verdictOf(act) : null);
    return { step, before: at(a), after: at(b) };
  }
  return null;
}

const verdictOf = (act: Intervention | undefined) => (act === undefined ? null : intervention.of(act));
