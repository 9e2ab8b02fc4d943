import { entryLifetime, readLoop, stateText } from "../../activity/activity.ts";
import {
  described,
  type InputShape,
  optional,
  textOfLength,
  where,
  wholeNumberFrom,
  yesOrNo,
} from "../../shapes/shapes.ts";
import { body } from "./inputs.ts";
import { type ApiCall, post } from "./operation.ts";
import {
  type Feedback,
  type OperatorWord,
  type SeenSession,
  sessionView,
  statesIn,
  threadsOf,
} from "./session-view.ts";
import { sessionEntry, sessionNow } from "./sessions.ts";
import { show } from "./view.ts";

const STANDARD_MINUTES = 1_440;

const words = textOfLength(1, 500);
const reason = described(
  {
    ...where(words, (text) => text.trim() !== "", "must be a text of 1 to 500 characters."),
    schema: { ...words.schema, pattern: "\\S" },
  },
  "The reason, for the journal; a contained client sees it too.",
);
const wholeMinutes = wholeNumberFrom(1, 10_080);
const minutes = { ...wholeMinutes, schema: { ...wholeMinutes.schema, default: STANDARD_MINUTES } };

/** An operator's act on a session, of which the answer shows the state behind it. */
function act<Body>(
  name: string,
  summary: string,
  shape: InputShape<Body>,
  handle: (call: ApiCall<Body>) => Promise<void>,
) {
  const answer = show.named<SeenSession, unknown>("Session", sessionView);
  const done = async (call: ApiCall<Body>) => {
    await handle(call);
    return sessionNow(call);
  };
  return { ...post(`/sessions/{id}/${name}`, summary, shape, answer, done), role: "operate" } as const;
}

export const containSession = act(
  "contain",
  "End a session now, on all replicas: open streams end, and requests are answered with the reason.",
  body({ reason, minutes: optional(minutes, "How long it lasts unless it is released.") }),
  async (call) => {
    const { actor, control, now, body: given } = call;
    const { key } = await sessionEntry(call);
    const at = now();
    const until = at + (given.minutes ?? STANDARD_MINUTES) * 60_000;
    // First the record: an act that cannot be traced must not take hold.
    await tell(call, "contain", given.reason);
    await control.contain(key, { actor: actor.name, reason: given.reason.trim(), at, until });
    await note(call, { released: "" });
  },
);

export const releaseSession = act(
  "release",
  "Lift a containment and every block of the guard. Counting starts again from here.",
  body({ reason }),
  async (call) => {
    const { control } = call;
    const entry = await sessionEntry(call);
    await tell(call, "release", call.body.reason);
    const policy = control.policyNamed(entry.fields.policy ?? "") ?? control.terms().policy;
    await control.release(entry.key, threadsOf(entry), policy);
    await note(call, { released: JSON.stringify(wordOf(call, call.body.reason)), ...(await settled(call)) });
  },
);

export const resetSession = act(
  "reset",
  "Forget a session's steps, findings and budget.",
  body({ reason }),
  async (call) => {
    const entry = await sessionEntry(call);
    await tell(call, "reset", call.body.reason);
    await call.control.reset(entry.key, threadsOf(entry));
    await note(call, await settled(call));
  },
);

/** A later word takes the place of an earlier one. */
export const rateSession = act(
  "feedback",
  "Say whether the newest intervention was right.",
  body({
    right: described(yesOrNo, "`false` for a false alarm."),
    reason: optional(textOfLength(0, 500), "Why, for the journal."),
  }),
  async (call) => {
    const { right, reason: why = "" } = call.body;
    const detector = readLoop((await sessionEntry(call)).fields.loop)?.detector;
    const word = right ? "right" : "wrong";
    await tell(call, "feedback", why, { word, detector });
    const feedback: Feedback = { right, ...(detector && { detector }), ...wordOf(call, why) };
    await note(call, { feedback: JSON.stringify(feedback) });
    call.control.rated(word, detector ?? "none");
  },
);

const wordOf = ({ actor, now }: ApiCall, why: string): OperatorWord => ({
  ...{ actor: actor.name, reason: why.trim(), at: new Date(now()).toISOString() },
});

/** The entry's fields where it knows of no loop any more, and its threads run. */
async function settled(call: ApiCall): Promise<Readonly<Record<string, string>>> {
  const { at, fields } = await sessionEntry(call);
  const states = statesIn(fields).map((name) => [name, stateText("running", at)] as const);
  return { loop: "", ...Object.fromEntries(states) };
}

async function note(call: ApiCall, set: Readonly<Record<string, string>>): Promise<void> {
  const { key, at } = await sessionEntry(call);
  const lifetime = entryLifetime(call.control.terms().sessionTtlMs);
  await call.stores.directory.note(key, { at, set, first: {}, add: {} }, lifetime);
}

async function tell(call: ApiCall, type: string, why: string, facts: object = {}): Promise<void> {
  const { name: session, tenant, policy } = (await sessionEntry(call)).fields;
  const by = { actor: call.actor.name, reason: why.trim() };
  const created = Math.floor(call.now() / 1_000);
  await call.stores.journal.append(
    JSON.stringify({ created, type, key: call.id, session, tenant, policy, ...by, ...facts }),
  );
}
