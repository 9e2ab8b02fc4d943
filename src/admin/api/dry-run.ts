import type { Policy } from "../../policy/policy.ts";
import { type Intervention, type Ledger, readLedger, replayWindow } from "../../session/session.ts";
import { anyText, described, optional, orElse } from "../../shapes/shapes.ts";
import { type DirectoryEntry, partsOf, type SessionKey } from "../../store/store.ts";
import { turn } from "../../turns.ts";
import { policyIn } from "./decide.ts";
import { type ApiCall, atMost, body, policyOrName, post } from "./operation.ts";
import { interventionFields, threadsOf } from "./session-view.ts";
import { scanDirectory } from "./sessions.ts";
import { show } from "./view.ts";

const question = body({
  policy: described(policyOrName, "The policy to try: a name, or a policy as JSON."),
  sessions: optional(
    orElse("recent", atMost(500, anyText)),
    "Ids of sessions; by default `recent`, the newest 200. Their stored steps are judged.",
  ),
});

const { detector, rung, count, note } = interventionFields;
const intervention = show.view<Intervention>()({
  step: show.whole("Index of the step.", ({ at }) => at),
  ...{ detector, rung, count, note },
});
const difference = show.view<NonNullable<ReturnType<typeof earliestDifference>>>()({
  step: show.whole("Index of the step."),
  before: show.orNull(show.part(intervention)),
  after: show.orNull(show.part(intervention)),
});

export interface Compared {
  readonly id: string;
  readonly thread: string;
  readonly ledger: Ledger;
  readonly before: readonly Intervention[];
  readonly after: readonly Intervention[];
}

const comparison = show.view<Compared>()({
  id: show.text("Id of the session."),
  thread: show.text("The thread."),
  steps: show.whole(
    "Steps that were judged.",
    ({ ledger: { window, pending } }) => window.length + (pending === undefined ? 0 : 1),
  ),
  earliestDifference: show.orNull(show.part(difference), earliestDifference),
});

const answer = show.view<{ readonly tried: Policy; readonly base: Policy; readonly compared: readonly Compared[] }>()({
  policy: show.text("The policy that was tried.", ({ tried }) => tried.name),
  against: show.text("The operator's, which it was compared with.", ({ base }) => base.name),
  total: show.whole("Threads that were judged.", ({ compared }) => compared.length),
  results: show.each(comparison, "One result for each, the newest session first.", ({ compared }) => compared),
});

const RECENT = 200;

export const dryRun = post(
  "/dry-run",
  "What another policy would have done with stored steps. `unloop replay` says it of recorded conversations.",
  question,
  answer,
  async (call) => {
    const { guard, stores, actor } = call;
    const { policy, sessions = "recent" } = call.body;
    const tried = policyIn(call, policy);
    const base = guard().configuration.policy;
    const { sign } = guard().services;
    const compared: Compared[] = [];
    for (const entry of await entriesOf(call, sessions)) {
      if (entry === undefined || (actor.tenant !== undefined && entry.fields.tenant !== actor.tenant)) continue;
      for (const thread of threadsOf(entry)) {
        // Others have their turn between two of them: a long list must not hold up the traffic.
        await turn();
        const stored = await stores.sessions.read(thread);
        const ledger = stored && readLedger(stored.json);
        if (ledger === undefined) continue;
        const before = replayWindow(ledger, { sign, policy: base });
        const after = tried === base ? before : replayWindow(ledger, { sign, policy: tried });
        compared.push({ id: entry.key, thread: partsOf(thread).thread, ledger, before, after });
      }
    }
    return { tried, base, compared };
  },
);

async function entriesOf(
  call: ApiCall,
  asked: "recent" | readonly string[],
): Promise<readonly (DirectoryEntry | undefined)[]> {
  if (asked === "recent") return (await scanDirectory(call, RECENT)).found;
  return Promise.all(asked.map((id) => call.stores.directory.find(id as SessionKey)));
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
