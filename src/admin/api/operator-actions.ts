import { entryLifetime, readLoop, stateText } from "../../activity/activity.ts";
import { type BodyOf, STANDARD_MINUTES } from "./inputs.ts";
import { type ApiCall, isoTime } from "./context.ts";
import { sessionEntry, sessionNow } from "./sessions.ts";
import { type Feedback, type OperatorWord, statesIn, threadsOf } from "./session-view.ts";

/** Ends a session now and everywhere. */
export async function containSession(call: ApiCall<BodyOf<"Contain">>) {
  const { actor, control, now, body } = call;
  const { minutes = STANDARD_MINUTES } = body;
  const reason = body.reason.trim();
  const entry = await sessionEntry(call);
  const at = now();
  const until = at + minutes * 60_000;
  // First the record: an act that cannot be traced must not take hold.
  await tell(call, "contain", entry.fields, reason);
  await control.contain(entry.key, { actor: actor.name, reason, at, until });
  await noteEntry(call, { released: "" });
  return sessionNow(call);
}

/** Lifts a containment and every block of the guard. */
export async function releaseSession(call: ApiCall<BodyOf<"Act">>) {
  const { control } = call;
  const { key, fields } = await sessionEntry(call);
  await tell(call, "release", fields, call.body.reason.trim());
  const policy = control.policyNamed(fields.policy ?? "") ?? control.terms().policy;
  await control.release(key, threadsOf({ key, fields }), policy);
  const released: OperatorWord = { actor: call.actor.name, reason: call.body.reason.trim(), at: isoTime(call.now()) };
  await settleEntry(call, { released: JSON.stringify(released) });
  return sessionNow(call);
}

/** Forgets a session's steps, findings and budget. */
export async function resetSession(call: ApiCall<BodyOf<"Act">>) {
  const { key, fields } = await sessionEntry(call);
  await tell(call, "reset", fields, call.body.reason.trim());
  await call.control.reset(key, threadsOf({ key, fields }));
  await settleEntry(call);
  return sessionNow(call);
}

/** Says whether an intervention was right; a later word takes the place of an earlier one. */
export async function rateSession(call: ApiCall<BodyOf<"Feedback">>) {
  const { body, actor, now } = call;
  const { fields } = await sessionEntry(call);
  const detector = readLoop(fields.loop)?.detector ?? null;
  const reason = body.reason?.trim() ?? "";
  const word = body.right ? "right" : "wrong";
  await tell(call, "feedback", fields, reason, { word, ...(detector && { detector }) });
  const feedback: Feedback = { ...body, detector, reason, actor: actor.name, at: isoTime(now()) };
  await noteEntry(call, { feedback: JSON.stringify(feedback) });
  call.control.rated(word, detector ?? "none");
  return sessionNow(call);
}

/** The entry knows of no loop any more, and its threads run. */
async function settleEntry(call: ApiCall, set: Readonly<Record<string, string>> = {}): Promise<void> {
  const { at, fields } = await sessionEntry(call);
  const states = statesIn(fields).map((name) => [name, stateText("running", at)] as const);
  await noteEntry(call, { ...set, loop: "", ...Object.fromEntries(states) });
}

async function noteEntry(call: ApiCall, set: Readonly<Record<string, string>>): Promise<void> {
  const { key, at } = await sessionEntry(call);
  const lifetime = entryLifetime(call.control.terms().sessionTtlMs);
  await call.stores.directory.note(key, { at, set, first: {}, add: {} }, lifetime);
}

async function tell(
  { stores, actor, now, id }: ApiCall,
  type: "contain" | "release" | "reset" | "feedback",
  { name, tenant, policy }: Readonly<Record<string, string>>,
  reason: string,
  facts: object = {},
): Promise<void> {
  const created = Math.floor(now() / 1_000);
  await stores.journal.append(
    JSON.stringify({ created, type, key: id, session: name, tenant, policy, actor: actor.name, reason, ...facts }),
  );
}
