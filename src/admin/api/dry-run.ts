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
import { anyText, described, optional, orElse, where } from "../../shapes/shapes.ts";
import type { DirectoryEntry, SessionKey } from "../../store/store.ts";
import { inTurns, turn } from "../../turns.ts";
import { policyIn } from "./decide.ts";
import { anything, atMost, body, policyOrName } from "./inputs.ts";
import { type ApiCall, post } from "./operation.ts";
import { ABOUT, RUNGS, threadsOf } from "./session-view.ts";
import { scanDirectory } from "./sessions.ts";
import { show } from "./view.ts";

const GIVEN = ["conversations", "sessions"];
const fields = body({
  policy: described(policyOrName, "The policy to try: a name, or a policy as JSON."),
  against: optional(
    policyOrName,
    "The policy to compare with: a name, or a policy as JSON; by default the operator's.",
  ),
  conversations: optional(
    atMost(200, anything),
    "Each is a request body, a list of messages, or a run of the decision export. The newest 1,024 steps of each are judged. Earlier user messages are taken into account.",
  ),
  sessions: optional(
    orElse("recent", atMost(500, anyText)),
    "Ids of sessions, or `recent` for the newest 200. Their stored steps are judged.",
  ),
});
const question = {
  ...where(
    fields,
    (value) => GIVEN.filter((name) => Object.hasOwn(value, name)).length === 1,
    'must have either "conversations" or "sessions".',
  ),
  schema: { ...fields.schema, oneOf: GIVEN.map((name) => ({ required: [name] })) },
};

const intervention = show.view<Intervention>()({
  step: show.whole("Index of the step.", ({ at }) => at),
  detector: show.text(ABOUT.detector),
  rung: show.oneOf<Intervention>(RUNGS, ABOUT.rung),
  count: show.whole("How often."),
  note: show.text(ABOUT.note),
});
const difference = show.view<NonNullable<ReturnType<typeof earliestDifference>>>()({
  step: show.whole("Index of the step."),
  before: show.orNull(show.part(intervention)),
  after: show.orNull(show.part(intervention)),
});

export interface Compared {
  readonly id: string;
  readonly thread: string | null;
  readonly steps: number;
  readonly skipped: number;
  readonly before: ReplayedInterventions;
  readonly after: ReplayedInterventions;
}

const comparison = show.view<Compared>()({
  id: show.text("Index or id of the conversation, or the id of the session."),
  thread: show.orNull(show.text("The thread; null for a posted conversation.")),
  steps: show.whole("Steps that were judged."),
  skipped: show.whole("Older steps, which were only counted."),
  before: show.whole("Interventions by the policy it was compared with.", ({ before }) => before.length),
  after: show.whole("Interventions by the policy that was tried.", ({ after }) => after.length),
  earliestDifference: show.orNull(show.part(difference), earliestDifference),
});

const answer = show.view<Judge & { readonly compared: readonly Compared[]; readonly unreadable: readonly string[] }>()({
  policy: show.text("The policy that was tried.", ({ tried }) => tried.name),
  against: show.text("The policy it was compared with.", ({ base }) => base.name),
  total: show.whole("Conversations or threads that were judged.", ({ compared }) => compared.length),
  changed: show.whole(
    "Conversations or threads with a different result.",
    ({ compared }) => compared.filter((one) => earliestDifference(one) !== undefined).length,
  ),
  results: show.each(comparison, "One result for each, in the given order.", ({ compared }) => compared),
  unreadable: show.texts("Indexes of the posted conversations that could not be read."),
});

const RECENT = 200;

/** Steps after which others have their turn. */
const SLICE = 32;

type Judge = ApiCall & { readonly tried: Policy; readonly base: Policy };

/** The actions that another policy would have taken. */
export const dryRun = post(
  "/dry-run",
  "What another policy would have done with posted conversations or with stored steps.",
  question,
  answer,
  async (call) => {
    const { policy, against, conversations, sessions = [] } = call.body;
    const tried = policyIn(call, policy);
    const judge = {
      ...call,
      tried,
      base: against === undefined ? call.control.configuration().policy : policyIn(call, against),
    };
    const unreadable: string[] = [];
    const compared =
      conversations === undefined
        ? await ofSessions(judge, sessions)
        : await ofConversations(judge, conversations, unreadable);
    return { ...judge, compared, unreadable };
  },
);

async function ofConversations(judge: Judge, conversations: readonly unknown[], unreadable: string[]) {
  const { control, base } = judge;
  const compared: Compared[] = [];
  for (const [i, one] of conversations.entries()) {
    // Others have their turn between two of them: a long list must not hold up the traffic.
    await turn();
    const shown = { id: String(i), thread: null };
    const run = stepsOfRun.decode(one, { sign: control.services().sign, policy: base });
    const request = run ?? (await readable(one, control));
    if (request === undefined) unreadable.push(String(i));
    else if ("window" in request) compared.push(await ofWindow(judge, request, shown));
    else {
      const { conversation } = request;
      const skipped = unjudged(conversation);
      const sides = await byBoth(judge, (policy) =>
        inTurns(replayConversation(conversation, { sign: control.services().sign, policy }), SLICE),
      );
      compared.push({ ...shown, steps: conversation.steps.length - skipped, skipped, ...sides });
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

async function ofSessions(judge: Judge, asked: "recent" | readonly string[]): Promise<readonly Compared[]> {
  const { stores, actor } = judge;
  const entries: readonly (DirectoryEntry | undefined)[] =
    asked === "recent"
      ? (await scanDirectory(judge, RECENT)).found
      : await Promise.all(asked.map((id) => stores.directory.find(id as SessionKey)));
  const compared: Compared[] = [];
  for (const entry of entries) {
    if (entry === undefined || (actor.tenant !== undefined && entry.fields.tenant !== actor.tenant)) continue;
    for (const thread of threadsOf(entry)) {
      await turn();
      const stored = await stores.sessions.read(thread);
      const ledger = stored && readLedger(stored.json);
      const shown = { id: entry.key, thread: thread.split(".")[1] ?? "" };
      if (ledger !== undefined) compared.push(await ofWindow(judge, ledger, shown));
    }
  }
  return compared;
}

async function ofWindow(judge: Judge, ledger: Ledger, shown: Pick<Compared, "id" | "thread">): Promise<Compared> {
  const steps = ledger.window.length + (ledger.pending === undefined ? 0 : 1);
  const { sign } = judge.control.services();
  const sides = await byBoth(judge, async (policy) => stepsOfRun.replay(ledger, { sign, policy }));
  return { ...shown, steps, skipped: ledger.total - ledger.window.length, ...sides };
}

async function byBoth({ tried, base }: Judge, replay: (policy: Policy) => Promise<ReplayedInterventions>) {
  const before = await replay(base);
  return { before, after: tried === base ? before : await replay(tried) };
}

function earliestDifference({ before, after }: Pick<Compared, "before" | "after">) {
  for (let i = 0; i < Math.max(before.length, after.length); i++) {
    const [a, b] = [before[i], after[i]];
    if (a?.at === b?.at && a?.rung === b?.rung && a?.detector === b?.detector) continue;
    const step = Math.min(a?.at ?? Number.POSITIVE_INFINITY, b?.at ?? Number.POSITIVE_INFINITY);
    return { step, before: a?.at === step ? a : undefined, after: b?.at === step ? b : undefined };
  }
  return undefined;
}
