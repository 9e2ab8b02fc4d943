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
import { asList, asOneOf, asText, asTexts, orNull, part, partOrNull, view, whole } from "./view.ts";

const intervention = view<Intervention>()({
  step: whole("Index of the step.", ({ at }) => at),
  detector: asText(ABOUT.detector),
  rung: asOneOf<Intervention>(RUNGS, ABOUT.rung),
  count: whole("How often."),
  note: asText(ABOUT.note),
});
const side = (description: string) =>
  view<ReplayedInterventions>()(
    {
      findings: whole("Interventions.", ({ length }) => length),
      last: partOrNull(intervention, (acts) => acts.at(-1)),
    },
    description,
  );

interface Difference {
  readonly step: number;
  readonly before: Intervention | undefined;
  readonly after: Intervention | undefined;
}
const difference = view<Difference>()({
  step: whole("Index of the step."),
  before: partOrNull(intervention, ({ before }) => before),
  after: partOrNull(intervention, ({ after }) => after),
});

interface Compared {
  readonly id: string;
  readonly thread: string | null;
  readonly steps: number;
  readonly skipped: number;
  readonly before: ReplayedInterventions;
  readonly after: ReplayedInterventions;
}

const comparison = view<Compared>()({
  id: asText("Index or id of the conversation, or the id of the session."),
  thread: orNull(asText("The thread; null for a posted conversation.")),
  steps: whole("Steps that were judged."),
  skipped: whole("Older steps, which were only counted."),
  before: part(side("By the policy it was compared with."), ({ before }) => before),
  after: part(side("By the policy that was tried."), ({ after }) => after),
  earliestDifference: partOrNull(difference, earliestDifference),
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

/** Dry run: the actions that another policy would have taken. */
export async function dryRun(call: ApiCall<BodyOf<"DryRunRequest">>) {
  const { policy, against, conversations, sessions = [] } = call.body;
  const tried = policyIn(call, policy);
  const base = against === undefined ? call.control.terms().policy : policyIn(call, against);
  const unreadable: string[] = [];
  const judge = { ...call, tried, base };
  const compared =
    conversations === undefined
      ? await ofSessions(judge, sessions)
      : await ofConversations(judge, conversations, unreadable);
  const results = compared.map(comparison.of);
  return {
    policy: tried.name,
    against: base.name,
    total: results.length,
    changed: results.filter((result) => result.earliestDifference !== null).length,
    results,
    unreadable,
  };
}

type Judge = ApiCall & { readonly tried: Policy; readonly base: Policy };

async function ofConversations(judge: Judge, conversations: readonly unknown[], unreadable: string[]) {
  const { control, tried, base } = judge;
  const compared: Compared[] = [];
  for (const [i, one] of conversations.entries()) {
    // Others have their turn between two of them: a long list must not hold up the traffic.
    await turn();
    const shown = { id: String(i), thread: null };
    const run = stepsOfRun.decode(one, { sign: control.sign, policy: base });
    const request = run ?? (await readable(one, control));
    if (request === undefined) unreadable.push(String(i));
    else if ("window" in request) compared.push(ofWindow(judge, request, shown));
    else {
      const { conversation } = request;
      const judged = (policy: Policy) =>
        inTurns(replayConversation(conversation, { sign: control.sign, policy }), SLICE);
      const skipped = unjudged(conversation);
      const before = await judged(base);
      const after = tried === base ? before : await judged(tried);
      compared.push({ ...shown, steps: conversation.steps.length - skipped, skipped, before, after });
    }
  }
  return compared;
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

async function ofSessions(call: Judge, asked: "recent" | readonly string[]): Promise<readonly Compared[]> {
  const { stores, actor } = call;
  const { views: entries } =
    asked === "recent" ? await scanDirectory(call, (entry) => entry, RECENT) : { views: await entriesOf(call, asked) };
  const compared: Compared[] = [];
  for (const { key, fields } of entries) {
    if (actor.tenant !== undefined && fields.tenant !== actor.tenant) continue;
    for (const thread of threadsOf({ key, fields })) {
      await turn();
      const stored = await stores.sessions.read(thread);
      const ledger = stored === undefined ? undefined : readLedger(stored.json);
      if (ledger !== undefined) compared.push(ofWindow(call, ledger, { id: key, thread: thread.split(".")[1] ?? "" }));
    }
  }
  return compared;
}

function ofWindow(
  { control: { sign }, tried, base }: Judge,
  ledger: Ledger,
  shown: Pick<Compared, "id" | "thread">,
): Compared {
  const steps = ledger.window.length + (ledger.pending === undefined ? 0 : 1);
  const before = stepsOfRun.replay(ledger, { sign, policy: base });
  const after = tried === base ? before : stepsOfRun.replay(ledger, { sign, policy: tried });
  return { ...shown, steps, skipped: ledger.total - ledger.window.length, before, after };
}

async function entriesOf({ stores }: ApiCall, ids: readonly string[]) {
  const entries = await Promise.all(ids.map((id) => stores.directory.find(id as SessionKey)));
  return entries.filter((entry) => entry !== undefined);
}

function earliestDifference({ before, after }: Compared): Difference | undefined {
  for (let i = 0; i < Math.max(before.length, after.length); i++) {
    const [a, b] = [before[i], after[i]];
    if (a?.at === b?.at && a?.rung === b?.rung && a?.detector === b?.detector) continue;
    const step = Math.min(a?.at ?? Number.POSITIVE_INFINITY, b?.at ?? Number.POSITIVE_INFINITY);
    return { step, before: a?.at === step ? a : undefined, after: b?.at === step ? b : undefined };
  }
  return undefined;
}
