import { amount, anyText, matching, object, optional, readRecord } from "../../shapes/shapes.ts";
import type { JournalItem } from "../../store/store.ts";
import { type ApiCall, get } from "./operation.ts";
import { ABOUT, ARMS, RUNGS } from "./session-view.ts";
import { FILTERS, limit, limitOf } from "./sessions.ts";
import { show } from "./view.ts";

const TYPES = [
  ...["intervention", "recovered", "warning", "near-miss", "contain", "contained", "release", "reset", "feedback"],
  "config",
];

/** An event as the journal has it. */
type Stored = Readonly<Record<string, unknown>> & { readonly created: number };

export const entryView = show.view<Stored>()(
  {
    id: show.text("Its position in the journal, as a value for `before`."),
    at: show.time("When.", ({ created }) => created * 1_000),
    type: show.oneOf(
      TYPES,
      "`warning`: one more step of the loop reaches `rung`. `near-miss`: the step after a warning did not continue the loop. `recovered`: the run has made five steps without the loop. `contained`: a containment ended an exchange. `config`: a configuration was applied or refused.",
      ({ type }) => String(type ?? "intervention"),
    ),
    session: show.maybe(show.text("Id of the session.", ({ key }) => key as string)),
    name: show.maybe(show.text("The session's name.", ({ session }) => session as string)),
    tenant: show.maybe(show.text("Its tenant.")),
    policy: show.maybe(show.text("The policy.")),
    mode: show.maybe(show.text("The mode.")),
    arm: show.maybe(show.oneOf(ARMS, "Side of a rollout by percentage.")),
    detector: show.maybe(show.text(ABOUT.detector)),
    grade: show.maybe(show.text(ABOUT.grade)),
    rung: show.maybe(show.oneOf(RUNGS, ABOUT.rung)),
    count: show.maybe(show.whole("How often it had happened.")),
    of: show.maybe(show.whole("For a warning: the count that reaches `rung`.")),
    repeats: show.maybe(show.text("Repetitions so far, and the number that reaches `rung`: `1/2`.")),
    step: show.maybe(show.whole("Index of the step.")),
    tools: show.maybe(show.texts(ABOUT.tools)),
    note: show.maybe(show.text(ABOUT.note)),
    foreseen: show.maybe(show.yesNo("The intervention was on an answer, before the agent could act on it.")),
    actor: show.maybe(show.text("The actor: a token's name, or `file` for a changed configuration file.")),
    reason: show.maybe(show.text("Why.")),
    word: show.maybe(show.oneOf(["right", "wrong"], "What an operator said of the intervention.")),
  },
  "One event; which fields it has depends on its type.",
);

type Entry = ReturnType<typeof entryView.of>;

const entryPage = show.view<{ readonly entries: readonly Entry[] }>()({
  entries: show.each(show.named("Entry", { ...entryView, of: (entry: Entry) => entry }), "Newest first."),
  next: show.orNull(show.text("`before` of the next page; null at the end.")),
});

/** Most entries that one call scans for the requested ones. */
const MAX_LOOKED_THROUGH = 5_000;
const BATCH = 200;

/** Where an entry of the journal is told. */
const entryId = /^\d{1,20}(-\d{1,20})?$/;

export const readJournal = get(
  "/journal",
  "Findings, interventions and operators' acts, newest first.",
  entryPage,
  async (call) => {
    const isAsked = filterOf(call);
    const entries: Entry[] = [];
    let before = call.query("before");
    for (let looked = 0; looked < MAX_LOOKED_THROUGH; looked += BATCH) {
      const page = await call.stores.journal.page(BATCH, before);
      for (const item of page) {
        before = item.id;
        entries.push(...shownEntries(item).filter(isAsked));
        if (entries.length === limitOf(call)) return { entries, next: before };
      }
      if (page.length < BATCH) return { entries, next: null };
    }
    return { entries, next: before ?? null };
  },
  {
    type: optional(anyText, "Only of these types, separated by commas."),
    session: optional(anyText, "Only of this session, by id."),
    tenant: FILTERS.tenant,
    policy: FILTERS.policy,
    detector: optional(anyText, "Only of this detector."),
    before: optional(
      matching(entryId, "must be the id of an entry."),
      "`next` of the page before, or an entry's `id`.",
    ),
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

/** None for what is no entry of ours. */
function shownEntries({ id, entry }: JournalItem): readonly Entry[] {
  const stored = readRecord(object({ created: amount }), entry);
  return stored === undefined ? [] : [entryView.of({ ...(stored as Stored), id })];
}
