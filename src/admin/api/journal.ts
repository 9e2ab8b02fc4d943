import type { JournalItem } from "../../store/store.ts";
import { amount, object, readRecord } from "../../shapes/shapes.ts";
import { type ApiCall, badRequest } from "./context.ts";
import { entryId } from "./inputs.ts";
import { ABOUT, ARMS, RUNGS } from "./session-view.ts";
import { asList, asRef, asOneOf, maybe, orNull, asText, asTexts, time, view, whole, yesNo } from "./view.ts";

const TYPES = [
  ...["intervention", "recovered", "warning", "near-miss", "contain", "contained", "release", "reset", "feedback"],
  "config",
];

/** An event as the journal has it. */
type Stored = Readonly<Record<string, unknown>> & { readonly created: number };

/** A property that is in the journal as it is shown. */
export const entryView = view<Stored>()(
  {
    id: asText("Its position in the journal, as a value for `before` and `Last-Event-ID`."),
    at: time("When.", ({ created }) => created * 1_000),
    type: asOneOf(
      TYPES,
      "`warning`: one more step of the loop reaches `rung`. `near-miss`: the step after a warning did not continue the loop. `recovered`: the run has made five steps without the loop. `contained`: a containment ended an exchange. `config`: a configuration was applied or refused.",
      ({ type }) => String(type ?? "intervention"),
    ),
    session: maybe(asText("Id of the session.", ({ key }) => key as string)),
    name: maybe(asText("The session's name.", ({ session }) => session as string)),
    tenant: maybe(asText("Its tenant.")),
    policy: maybe(asText("The policy.")),
    mode: maybe(asText("The mode.")),
    arm: maybe(asOneOf(ARMS, "Side of a rollout by percentage.")),
    detector: maybe(asText(ABOUT.detector)),
    grade: maybe(asText(ABOUT.grade)),
    rung: maybe(asOneOf(RUNGS, ABOUT.rung)),
    count: maybe(whole("How often it had happened.")),
    of: maybe(whole("For a warning: the count that reaches `rung`.")),
    repeats: maybe(asText("Repetitions so far, and the number that reaches `rung`: `1/2`.")),
    step: maybe(whole("Index of the step.")),
    tools: maybe(asTexts(ABOUT.tools)),
    note: maybe(asText(ABOUT.note)),
    foreseen: maybe(yesNo("The intervention was on an answer, before the agent could act on it.")),
    actor: maybe(asText("The actor: a token's name, or `file` for a changed configuration file.")),
    reason: maybe(asText("Why.")),
    word: maybe(asOneOf(["right", "wrong"], "What an operator said of the intervention.")),
  },
  "One event; which fields it has depends on its type.",
);

export const entryPage = view()({
  entries: asList(asRef("Entry", entryView), "Newest first."),
  next: orNull(asText("`before` of the next page; null at the end.")),
});

/** Most entries that one call scans for the requested ones. */
const MAX_LOOKED_THROUGH = 5_000;
const BATCH = 200;

type Entry = ReturnType<typeof entryView.of>;

export async function readJournal(call: ApiCall) {
  const limit = Number(call.query("limit") ?? 50);
  const isAsked = filterOf(call);
  const entries: Entry[] = [];
  let before = call.query("before");
  for (let looked = 0; looked < MAX_LOOKED_THROUGH; looked += BATCH) {
    const page = await call.stores.journal.page(BATCH, before);
    for (const item of page) {
      const entry = shownEntry(item);
      before = item.id;
      if (entry === undefined || !isAsked(entry)) continue;
      entries.push(entry);
      if (entries.length === limit) return { entries, next: before };
    }
    if (page.length < BATCH) return { entries, next: null };
  }
  return { entries, next: before ?? null };
}

function filterOf({ query, actor }: ApiCall): (entry: Entry) => boolean {
  const types = query("type")?.split(",");
  const parameters = (["session", "tenant", "policy", "detector"] as const).map((name) => [name, query(name)] as const);
  return (entry) =>
    (actor.tenant === undefined || entry.tenant === actor.tenant) &&
    (types === undefined || types.includes(String(entry.type))) &&
    parameters.every(([name, value]) => value === undefined || entry[name] === value);
}

/** Undefined for what is no entry of ours. */
function shownEntry({ id, entry }: JournalItem): Entry | undefined {
  const stored = readRecord(object({ created: amount }), entry);
  return stored && entryView.of({ ...(stored as Stored), id });
}

/** Intervals at which a live journal polls for new entries and sends a heartbeat. */
const POLL_MS = 500;
const KEEPALIVE_MS = 15_000;
/** Live journals at a time. */
const MAX_STREAMS = 32;

/** The journal live, as server-sent events, until who asked has left or the server begins to drain. */
export async function streamJournal(call: ApiCall): Promise<ReadableStream<Uint8Array>> {
  const { streams, draining } = call;
  const lastId = call.header("last-event-id");
  // It goes to the store as it is.
  if (lastId !== undefined && !entryId.test(lastId)) throw badRequest("Last-Event-ID must be the id of an entry.");
  if (streams.open >= MAX_STREAMS) throw badRequest(`No more than ${MAX_STREAMS} live journals at a time.`);
  // It is counted at once: others that come meanwhile are refused.
  streams.open += 1;
  const ended = AbortSignal.any([call.signal, ...(draining === undefined ? [] : [draining])]);
  try {
    const [newest] = await call.stores.journal.page(1);
    return eventStream(call, lastId ?? newest?.id, ended);
  } catch (error) {
    streams.open -= 1;
    throw error;
  }
}

function eventStream(call: ApiCall, from: string | undefined, ended: AbortSignal): ReadableStream<Uint8Array> {
  const isAsked = filterOf(call);
  const encoder = new TextEncoder();
  let after = from;
  let waited = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = () => {
    if (timer !== undefined) call.streams.open -= 1;
    clearTimeout(timer);
    timer = undefined;
  };
  return new ReadableStream({
    start(controller) {
      const say = (text: string) => controller.enqueue(encoder.encode(text));
      const end = () => {
        if (timer === undefined) return;
        stop();
        controller.close();
      };
      const look = async () => {
        const items = await call.stores.journal.after(after, BATCH);
        if (timer === undefined) return;
        after = items.at(-1)?.id ?? after;
        const entries = items.flatMap((item) => shownEntry(item) ?? []).filter(isAsked);
        for (const entry of entries) say(`id: ${entry.id}\nevent: entry\ndata: ${JSON.stringify(entry)}\n\n`);
        waited = entries.length > 0 ? 0 : (waited + POLL_MS) % KEEPALIVE_MS;
        if (entries.length === 0 && waited === 0) say(": still here\n\n");
        timer = setTimeout(lookOn, POLL_MS);
      };
      // Whoever reads it is told by its end that the store is away; an entry that cannot be read ends it, and nothing else.
      const lookOn = () => void look().catch(end);
      say(": the journal\n\n");
      timer = setTimeout(lookOn, 0);
      ended.addEventListener("abort", end);
      if (ended.aborted) end();
    },
    cancel: stop,
  });
}
