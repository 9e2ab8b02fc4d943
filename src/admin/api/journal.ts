import {
  amount,
  anyText,
  described,
  list,
  matching,
  object,
  oneOfChoices,
  optional,
  readRecord,
  type ValueOf,
  yesOrNo,
} from "../../shapes/shapes.ts";
import type { JournalItem } from "../../store/store.ts";
import { type ApiCall, get } from "./operation.ts";
import { ABOUT, ARMS, RUNGS } from "./session-view.ts";
import { FILTERS, limit, limitOf, lookThrough } from "./sessions.ts";
import { show } from "./view.ts";

const TYPES = [
  ...(["intervention", "recovered", "warning", "near-miss", "contain", "contained", "release", "reset"] as const),
  ...(["feedback", "config"] as const),
] as const;

const facts = {
  tenant: optional(anyText, "Its tenant."),
  policy: optional(anyText, "The policy."),
  mode: optional(anyText, "The mode."),
  arm: optional(oneOfChoices(...ARMS), "Side of a rollout by percentage."),
  detector: optional(anyText, ABOUT.detector),
  grade: optional(anyText, ABOUT.grade),
  rung: optional(oneOfChoices(...RUNGS), ABOUT.rung),
  count: optional(amount, "How often it had happened."),
  of: optional(amount, "For a warning: the count that reaches `rung`."),
  repeats: optional(anyText, "Repetitions so far, and the number that reaches `rung`: `1/2`."),
  step: optional(amount, "Index of the step."),
  tools: optional(list(anyText), ABOUT.tools),
  note: optional(anyText, ABOUT.note),
  foreseen: optional(yesOrNo, "The intervention was on an answer, before the agent could act on it."),
  actor: optional(anyText, "The actor: a token's name, or `file` for a changed configuration file."),
  reason: optional(anyText, "Why."),
  word: optional(oneOfChoices("right", "wrong"), "What an operator said of the intervention."),
};

const eventType = described(
  oneOfChoices(...TYPES),
  "`warning`: one more step of the loop reaches `rung`. `near-miss`: the step after a warning did not continue the loop. `recovered`: the run has made five steps without the loop. `contained`: a containment ended an exchange. `config`: a configuration was applied or refused.",
);

const storedShape = object({
  ...{ ...facts, created: amount, type: eventType },
  ...{ key: optional(anyText), session: optional(anyText) },
});

export const entryView = show.view<Pick<ValueOf<typeof storedShape>, "created">>()(
  {
    id: show.text("Its position in the journal, as a value for `before`."),
    at: show.time("When.", ({ created }) => created * 1_000),
    type: show.part(show.as(eventType)),
    ...show.recordFields({
      session: optional(anyText, "Id of the session."),
      name: optional(anyText, "The session's name."),
      ...facts,
    }),
  },
  "One event; which fields it has depends on its type.",
);

type Entry = ReturnType<typeof entryView.of>;

const entryPage = show.view<{ readonly entries: readonly Entry[] }>()({
  entries: show.each(show.named("Entry", { ...entryView, of: (entry: Entry) => entry }), "Newest first."),
  next: show.orNull(show.text("`before` of the next page; null at the end.")),
});

export const readJournal = get(
  "/journal",
  "Findings, interventions and operators' acts, newest first.",
  entryPage,
  async (call) => {
    const isAsked = filterOf(call);
    const pageAt = async (count: number, before?: string) =>
      (await call.stores.journal.page(count, before)).map((item) => ({ id: item.id, entry: shownEntry(item) }));
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
    type: optional(anyText, "Only of these types, separated by commas."),
    session: optional(anyText, "Only of this session, by id."),
    tenant: FILTERS.tenant,
    policy: FILTERS.policy,
    detector: optional(anyText, "Only of this detector."),
    before: optional(
      // It goes to the store as it is.
      matching(/^\d{1,20}(-\d{1,20})?$/, "must be the id of an entry."),
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

function shownEntry(item: JournalItem): Entry | undefined {
  const stored = readRecord(storedShape, item.entry);
  const shown = stored && { ...stored, id: item.id, session: stored.key, name: stored.session };
  return shown && entryView.of(shown);
}
