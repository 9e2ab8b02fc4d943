import { entryLifetime, readLoop, resetDirective, stateText } from "../../activity/activity.ts";
import { releaseThread } from "../../session/session.ts";
import { type InputShape, optional, textOfLength, where, wholeNumberFrom, yesOrNo } from "../../shapes/shapes.ts";
import type { DirectoryEntry } from "../../store/store.ts";
import { type ApiCall, body, post, visiblePolicy } from "./operation.ts";
import { type Feedback, type OperatorWord, sessionView, statesIn, threadsOf } from "./session-view.ts";
import { sessionEntry } from "./sessions.ts";

const STANDARD_MINUTES = 1_440;

const words = textOfLength(1, 500);
const reason = {
  ...where(words, (text) => text.trim() !== "", "must be a text of 1 to 500 characters."),
  schema: { ...words.schema, pattern: "\\S" },
};
const wholeMinutes = wholeNumberFrom(1, 10_080);
const minutes = { ...wholeMinutes, schema: { ...wholeMinutes.schema, default: STANDARD_MINUTES } };

interface Act<Body> {
  readonly name: "contain" | "release" | "reset" | "feedback";
  readonly body: InputShape<Body>;
  readonly facts?: (call: ApiCall<Body>, entry: DirectoryEntry) => object;
  /** @returns fields of the session's entry that change */
  readonly carryOut: (call: ApiCall<Body>, entry: DirectoryEntry) => Promise<Readonly<Record<string, string>>>;
  /** Behind it the entry knows of no loop any more, and its threads run. */
  readonly settles?: true;
}

function act<Body extends { readonly reason?: string }>({ name, body: shape, facts, carryOut, settles }: Act<Body>) {
  const handle = async (call: ApiCall<Body>) => {
    const { stores, guard } = call;
    const entry = await sessionEntry(call);
    const { name: session, tenant, policy } = entry.fields;
    // First the record: an act that cannot be traced must not take hold.
    const record = { type: name, key: call.id, session, tenant, policy, ...wordOf(call), ...facts?.(call, entry) };
    await stores.journal.append(JSON.stringify({ created: Math.floor(call.now() / 1_000), ...record, at: undefined }));
    const changed = await carryOut(call, entry);
    const { key, at, fields } = await sessionEntry(call);
    const states = settles ? statesIn(fields).map((field) => [field, stateText("running", at)]) : [];
    const set = { ...changed, ...(settles && { loop: "" }), ...Object.fromEntries(states) };
    await stores.directory.note(key, { at, set, first: {}, add: {} }, entryLifetime(guard().services.sessionTtlMs));
    return sessionView(await sessionEntry(call), call);
  };
  return { ...post(`/sessions/{id}/${name}`, shape, handle), role: "operate" } as const;
}

function wordOf({ actor, now, body: { reason: why = "" } }: ApiCall<{ readonly reason?: string }>): OperatorWord {
  return { actor: actor.name, reason: why.trim(), at: new Date(now()).toISOString() };
}

export const containSession = act({
  name: "contain",
  body: body({ reason, minutes: optional(minutes) }),
  async carryOut(call, { key }) {
    const at = call.now();
    const until = at + (call.body.minutes ?? STANDARD_MINUTES) * 60_000;
    await call.guard().services.containments.put(key, { ...wordOf(call), at, until });
    return { released: "" };
  },
});

/** Lifts a containment, and every block in its threads. */
export const releaseSession = act({
  name: "release",
  body: body({ reason }),
  async carryOut(call, entry) {
    const { configuration, services, stores } = call.guard();
    const { containments, sign, sessionTtlMs } = services;
    const policy = visiblePolicy(entry.fields.policy ?? "", call.guard()) ?? configuration.policy;
    await containments.lift(entry.key);
    const lifted = threadsOf(entry).map((thread) =>
      releaseThread(stores.sessions, thread, { sign, policy }, sessionTtlMs),
    );
    await Promise.all(lifted);
    return { released: JSON.stringify(wordOf(call)) };
  },
  settles: true,
});

/** A little longer than processes take to hear of a directive, and how long a reset is announced to them. */
const [HEARD_MS, RESET_TOLD_MS] = [600, 60_000];

/** Forgets its threads, and what it has used up. */
export const resetSession = act({
  name: "reset",
  body: body({ reason }),
  async carryOut({ guard }, entry) {
    const { services, stores } = guard();
    const { containments, sessionTtlMs } = services;
    const { directives, sessions, counters, isShared } = stores;
    await directives.put(resetDirective(entry.key), String(Date.now()), RESET_TOLD_MS);
    await containments.refresh();
    // What another process knows of it alone, it drops when it hears of this; until then it might write that back.
    if (isShared) await new Promise((resolve) => setTimeout(resolve, HEARD_MS));
    await Promise.all(threadsOf(entry).map((thread) => sessions.remove(thread)));
    const totals = Object.entries(await counters.read(entry.key));
    const negative = Object.fromEntries(totals.map(([name, amount]) => [name, -amount]));
    if (totals.length > 0) await counters.add(entry.key, negative, sessionTtlMs);
    return {};
  },
  settles: true,
});

const ratingOf = (right: boolean) => (right ? "right" : "wrong");

export const rateSession = act({
  name: "feedback",
  body: body({ right: yesOrNo, reason: optional(textOfLength(0, 500)) }),
  facts: ({ body: { right } }, { fields }) => ({ word: ratingOf(right), detector: readLoop(fields.loop)?.detector }),
  async carryOut(call, { fields }) {
    const { right } = call.body;
    const detector = readLoop(fields.loop)?.detector;
    const feedback: Feedback = { right, ...(detector && { detector }), ...wordOf(call) };
    call.guard().services.meter.rated?.(ratingOf(right), detector ?? "none");
    return { feedback: JSON.stringify(feedback) };
  },
});
