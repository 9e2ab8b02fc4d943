import { randomUUID } from "node:crypto";
import type { Stores } from "../../src/store/store.ts";
import { countersContract } from "./counters.ts";
import { directivesContract } from "./directives.ts";
import { directoryContract } from "./directory.ts";
import { journalContract } from "./journal.ts";
import { storeContract } from "./store.ts";

export interface StoresUnderTest {
  readonly stores: Stores;
  /** Lets time pass for all that is kept. */
  advance(ms: number): Promise<void>;
}

/** All that a storage promises. `prefix` is new each time: whoever shares a database keeps to it. */
export function storesContract(
  name: string,
  make: (prefix: string, journalCapacity: number) => Promise<StoresUnderTest>,
): void {
  const made = (journalCapacity = 100) => make(`${randomUUID()}:`, journalCapacity);
  storeContract(`sessions in ${name}`, async () => {
    const { stores, advance } = await made();
    return { store: stores.sessions, advance };
  });
  countersContract(`counters in ${name}`, async () => {
    const { stores, advance } = await made();
    return { counters: stores.counters, advance, close: () => stores.sessions.close() };
  });
  journalContract(`the journal in ${name}`, async (capacity) => {
    const { stores } = await made(capacity);
    return { journal: stores.journal, close: () => stores.sessions.close() };
  });
  directoryContract(`the directory in ${name}`, async () => {
    const { stores, advance } = await made();
    return { directory: stores.directory, advance, close: () => stores.sessions.close() };
  });
  directivesContract(`directives in ${name}`, async () => {
    const { stores, advance } = await made();
    return { directives: stores.directives, advance, close: () => stores.sessions.close() };
  });
}
