import { memoryStores, type Stores } from "../../../src/index.ts";

const parts = ["sessions", "counters", "journal", "directory", "directives"] as const;

/** @param command as `sessions.write` */
export type Via = (own: () => Promise<unknown>, command: string, given: readonly unknown[]) => unknown;

/** Stores whose commands go by `via`, which may note them, fail in their place, or tell something else. */
export function storesVia(via: Via, stores: Stores = memoryStores()): Stores {
  const watched = (part: (typeof parts)[number]) =>
    new Proxy(stores[part], {
      get(target, name) {
        const command: unknown = Reflect.get(target, name);
        if (typeof command !== "function") return command;
        return (...given: readonly unknown[]) =>
          via(() => command.apply(target, given), `${part}.${String(name)}`, given);
      },
    });
  return { ...stores, ...Object.fromEntries(parts.map((part) => [part, watched(part)])) };
}
