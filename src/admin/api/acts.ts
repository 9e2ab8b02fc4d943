import { type ApiCall, badRequest } from "./context.ts";
import { sessionEntry, sessionNow } from "./sessions.ts";
import { blocksIn, threadsOf } from "./session-view.ts";

const MAX_REASON = 500;
const STANDARD_MINUTES = 1_440;
const MAX_MINUTES = 10_080;

/** Ends a session now and everywhere. */
export async function containSession(call: ApiCall) {
  const { actor, control, now } = call;
  const entry = await sessionEntry(call);
  const reason = reasonIn(call);
  const at = now();
  const until = at + minutesIn(call) * 60_000;
  // First the record: an act that cannot be traced must not take hold.
  await tell(call, "contain", entry.fields, reason);
  await control.contain(entry.key, { actor: actor.name, reason, at, until });
  return sessionNow(call);
}

/** Lifts a containment and every block of the guard. */
export async function releaseSession(call: ApiCall) {
  const { control } = call;
  const { key, fields } = await sessionEntry(call);
  await tell(call, "release", fields, reasonIn(call));
  const policy = control.policyNamed(fields.policy ?? "") ?? control.terms().policy;
  await control.release(key, threadsOf(fields), policy);
  await settleEntry(call);
  return sessionNow(call);
}

/** Forgets a session's steps, findings and budget. */
export async function resetSession(call: ApiCall) {
  const { key, fields } = await sessionEntry(call);
  await tell(call, "reset", fields, reasonIn(call));
  await call.control.reset(key, threadsOf(fields));
  await settleEntry(call);
  return sessionNow(call);
}

/** The entry knows of no loop and no block any more. */
async function settleEntry(call: ApiCall): Promise<void> {
  const { key, at, fields } = await sessionEntry(call);
  const set = { loop: "", ...Object.fromEntries(blocksIn(fields).map((name) => [name, ""])) };
  await call.stores.directory.note(key, { at, set, first: {}, add: {} }, call.control.terms().sessionTtlMs);
}

function reasonIn({ body }: ApiCall): string {
  const reason = fieldOf(body, "reason");
  if (typeof reason === "string" && reason.trim() !== "" && reason.length <= MAX_REASON) return reason.trim();
  throw badRequest(`reason must be a text of 1 to ${MAX_REASON} characters.`);
}

function minutesIn({ body }: ApiCall): number {
  const minutes = fieldOf(body, "minutes") ?? STANDARD_MINUTES;
  if (Number.isSafeInteger(minutes) && Number(minutes) >= 1 && Number(minutes) <= MAX_MINUTES) return Number(minutes);
  throw badRequest(`minutes must be a whole number from 1 to ${MAX_MINUTES}.`);
}

function fieldOf(body: unknown, name: string): unknown {
  return typeof body === "object" && body !== null ? Reflect.get(body, name) : undefined;
}

async function tell(
  { stores, actor, now, id }: ApiCall,
  type: "contain" | "release" | "reset",
  { name, tenant, policy }: Readonly<Record<string, string>>,
  reason: string,
): Promise<void> {
  const created = Math.floor(now() / 1_000);
  await stores.journal.append(
    JSON.stringify({ created, type, key: id, session: name, tenant, policy, actor: actor.name, reason }),
  );
}
