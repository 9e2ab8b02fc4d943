import { type Intervention, readLedger, replayWindow } from "../../session/session.ts";
import { anyText, optional, orElse } from "../../shapes/shapes.ts";
import { type DirectoryEntry, partsOf, type SessionKey } from "../../store/store.ts";
import { turn } from "../../turns.ts";
import { policyIn } from "./decide.ts";
import { type ApiCall, atMost, body, policyOrName, post } from "./operation.ts";
import { threadsOf } from "./session-view.ts";
import { interventionView, scanDirectory } from "./sessions.ts";

const question = body({
  policy: policyOrName,
  sessions: optional(orElse("recent", atMost(500, anyText))),
});

const RECENT = 200;

export const dryRun = post("/dry-run", question, async (call) => {
  const { guard, stores, actor } = call;
  const { policy, sessions = "recent" } = call.body;
  const tried = policyIn(call, policy);
  const base = guard().configuration.policy;
  const { sign } = guard().services;
  const results: object[] = [];
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
      results.push({
        id: entry.key,
        thread: partsOf(thread).thread,
        steps: ledger.window.length + (ledger.pending === undefined ? 0 : 1),
        earliestDifference: earliestDifference(before, after),
      });
    }
  }
  return { policy: tried.name, against: base.name, total: results.length, results };
});

async function entriesOf(
  call: ApiCall,
  asked: "recent" | readonly string[],
): Promise<readonly (DirectoryEntry | undefined)[]> {
  if (asked === "recent") return (await scanDirectory(call, RECENT)).found;
  return Promise.all(asked.map((id) => call.stores.directory.find(id as SessionKey)));
}

function earliestDifference(before: readonly Intervention[], after: readonly Intervention[]) {
  for (let i = 0; i < Math.max(before.length, after.length); i++) {
    const [a, b] = [before[i], after[i]];
    if (a?.at === b?.at && a?.rung === b?.rung && a?.detector === b?.detector) continue;
    const step = Math.min(a?.at ?? Number.POSITIVE_INFINITY, b?.at ?? Number.POSITIVE_INFINITY);
    const shown = (one: Intervention | undefined) => (one?.at === step ? { step, ...interventionView(one) } : null);
    return { step, before: shown(a), after: shown(b) };
  }
  return null;
}
