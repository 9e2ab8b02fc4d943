import {
  amount,
  anyText,
  list,
  matching,
  object,
  oneOfChoices,
  optional,
  readRecord,
  yesOrNo,
} from "../../shapes/shapes.ts";
import type { JournalItem } from "../../store/store.ts";
import { type ApiCall, get } from "./operation.ts";
import { ARMS, isoTime, RUNGS } from "./session-view.ts";
import { FILTERS, limit, limitOf, lookThrough } from "./sessions.ts";

const TYPES = [
  ...(["intervention", "recovered", "warning", "near-miss", "contain", "contained", "release", "reset"] as const),
  ...(["feedback", "config"] as const),
] as const;

const facts = {
  ...{ tenant: optional(anyText), policy: optional(anyText), mode: optional(anyText) },
  ...{ arm: optional(oneOfChoices(...ARMS)), detector: optional(anyText), grade: optional(anyText) },
  ...{ rung: optional(oneOfChoices(...RUNGS)), count: optional(amount), of: optional(amount) },
  ...{ repeats: optional(anyText), step: optional(amount), tools: optional(list(anyText)), note: optional(anyText) },
  ...{ foreseen: optional(yesOrNo), actor: optional(anyText), reason: optional(anyText) },
  word: optional(oneOfChoices("right", "wrong")),
};

const storedShape = object({
  ...{ ...facts, created: amount, type: oneOfChoices(...TYPES) },
  ...{ key: optional(anyText), session: optional(anyText) },
});

type Entry = NonNullable<ReturnType<typeof entryView>>;

export const readJournal = get(
  "/journal",
  async (call) => {
    const isAsked = filterOf(call);
    const pageAt = async (count: number, before?: string) =>
      (await call.stores.journal.page(count, before)).map((item) => ({ id: item.id, entry: entryView(item) }));
    const { found, next } = await lookThrough(
      pageAt,
      ({ id }) => id,
      ({ entry }) => entry !== undefined && isAsked(entry),
      limitOf(call),
      call.query("before"),
    );
    return { entries: found.flatMap(({ entry }) => entry ?? []), next };
  },
  {
    ...{ type: optional(anyText), session: optional(anyText), tenant: FILTERS.tenant, policy: FILTERS.policy },
    detector: optional(anyText),
    // It goes to the store as it is.
    before: optional(matching(/^\d{1,20}(-\d{1,20})?$/, "must be the id of an entry.")),
    limit,
  },
);

function filterOf({ query, actor }: ApiCall): (entry: Entry) => boolean {
  const types = query("type")?.split(",");
  const fields = (["session", "tenant", "policy", "detector"] as const).map((name) => [name, query(name)] as const);
  return (entry) =>
    (actor.tenant === undefined || entry.tenant === actor.tenant) &&
    (types === undefined || types.includes(entry.type)) &&
    fields.every(([name, value]) => value === undefined || entry[name] === value);
}

/** What is known of an event: a newer build may have written more. */
function entryView({ id, entry }: JournalItem) {
  const stored = readRecord(storedShape, entry);
  if (stored === undefined) return undefined;
  const { created, type, key: session, session: name } = stored;
  const known = Object.keys(facts).map((fact) => [fact, stored[fact as keyof typeof facts]]);
  const values: Partial<Pick<typeof stored, keyof typeof facts>> = Object.fromEntries(known);
  return { id, at: isoTime(created * 1_000), type, session, name, ...values };
}
