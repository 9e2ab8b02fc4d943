import type { JournalItem } from "../../store/store.ts";
import { type ApiCall, badRequest, limitOf } from "./context.ts";

/** Most entries that one call scans for the requested ones. */
const MAX_LOOKED_THROUGH = 5_000;
const BATCH = 200;

type Entry = Readonly<Record<string, unknown>> & { readonly id: string };

export async function readJournal(call: ApiCall) {
  const limit = limitOf(call);
  const isAsked = filterOf(call);
  const entries: Entry[] = [];
  let before = idOf(call.query("before"));
  for (let looked = 0; looked < MAX_LOOKED_THROUGH; looked += BATCH) {
    const page = await call.stores.journal.page(BATCH, before);
    for (const item of page) {
      const entry = entryView(item);
      before = item.id;
      if (entry === undefined || !isAsked(entry)) continue;
      entries.push(entry);
      if (entries.length === limit) return { entries, next: before };
    }
    if (page.length < BATCH) return { entries, next: null };
  }
  return { entries, next: before ?? null };
}

/** A cursor goes to the store as it is, so nothing else must. */
function idOf(text: string | undefined): string | undefined {
  if (text === undefined || /^\d{1,20}(-\d{1,20})?$/.test(text)) return text;
  throw badRequest("before and Last-Event-ID must be the id of an entry.");
}

function filterOf({ query, actor }: ApiCall): (entry: Entry) => boolean {
  const types = query("type")?.split(",");
  const parameters = ["session", "tenant", "policy", "detector"].map((name) => [name, query(name)] as const);
  return (entry) =>
    (actor.tenant === undefined || entry.tenant === actor.tenant) &&
    (types === undefined || types.includes(String(entry.type))) &&
    parameters.every(([name, value]) => value === undefined || entry[name] === value);
}

/** Undefined for what is no entry of ours. */
function entryView({ id, entry }: JournalItem): Entry | undefined {
  const json: unknown = JSON.parse(entry);
  if (typeof json !== "object" || json === null || !("created" in json)) return undefined;
  const { id: _, created, key, session, type = "intervention", ...facts } = json as Record<string, unknown>;
  const at = new Date(Number(created) * 1_000).toISOString();
  return {
    id,
    at,
    type,
    ...(key !== undefined && { session: key }),
    ...(session !== undefined && { name: session }),
    ...facts,
  };
}

/** Intervals at which a live journal polls for new entries and sends a heartbeat. */
const POLL_MS = 500;
const KEEPALIVE_MS = 15_000;
/** Live journals at a time. */
const MAX_STREAMS = 32;

/** The stream is counted already: others that come meanwhile are refused. */
async function newestEntry({ stores, streams }: ApiCall) {
  try {
    return await stores.journal.page(1);
  } catch (error) {
    streams.open -= 1;
    throw error;
  }
}

/** The journal live, as server-sent events, until who asked has left or the server begins to drain. */
export async function streamJournal(call: ApiCall): Promise<ReadableStream<Uint8Array>> {
  const { streams } = call;
  if (streams.open >= MAX_STREAMS) throw badRequest(`No more than ${MAX_STREAMS} live journals at a time.`);
  const isAsked = filterOf(call);
  const lastId = idOf(call.header("last-event-id"));
  streams.open += 1;
  const [newest] = lastId === undefined ? await newestEntry(call) : [];
  let after = lastId ?? newest?.id;
  let waited = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const encoder = new TextEncoder();
  const stop = () => {
    if (timer !== undefined) streams.open -= 1;
    clearTimeout(timer);
    timer = undefined;
    call.draining?.removeEventListener("abort", end);
  };
  let end = stop;
  return new ReadableStream({
    start(controller) {
      const look = async () => {
        const items = await call.stores.journal.after(after, BATCH).catch(() => []);
        if (timer === undefined) return;
        after = items.at(-1)?.id ?? after;
        const entries = items.flatMap((item) => entryView(item) ?? []).filter(isAsked);
        for (const entry of entries)
          controller.enqueue(encoder.encode(`id: ${entry.id}\nevent: entry\ndata: ${JSON.stringify(entry)}\n\n`));
        waited = entries.length > 0 ? 0 : waited + POLL_MS;
        if (waited >= KEEPALIVE_MS) {
          waited = 0;
          controller.enqueue(encoder.encode(": still here\n\n"));
        }
        timer = setTimeout(lookOn, POLL_MS);
      };
      // An entry that cannot be read ends the stream of who would read it, and nothing else.
      const lookOn = () => void look().catch(() => end());
      controller.enqueue(encoder.encode(": the journal\n\n"));
      timer = setTimeout(lookOn, 0);
      call.signal.addEventListener("abort", stop);
      end = () => {
        if (timer === undefined) return;
        stop();
        controller.close();
      };
      if (call.draining?.aborted) end();
      else call.draining?.addEventListener("abort", end);
    },
    cancel: stop,
  });
}
