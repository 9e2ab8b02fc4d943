import type { Directives, SessionStore, ThreadKey } from "./store.ts";

const KEY = "directives.all" as ThreadKey;

/** Text and end, by key. Pairs and not an object: a key may be `__proto__` like any other. */
type Orders = readonly (readonly [key: string, order: { readonly text: string; readonly ends: number }])[];

/** All directives in one record, whose version is their revision. It never expires: an order must outlive the sessions. */
export function directivesOver(records: SessionStore, now = () => Date.now()): Directives {
  const standing = (json: string | undefined) => new Map(ordersIn(json).filter(([, { ends }]) => ends > now()));

  async function change(edit: (orders: Map<string, Orders[number][1]>) => void): Promise<void> {
    for (;;) {
      const stored = await records.read(KEY);
      const orders = standing(stored?.json);
      edit(orders);
      const text = JSON.stringify([...orders]);
      if (await records.write(KEY, text, stored?.version ?? 0, Number.POSITIVE_INFINITY)) return;
    }
  }

  return {
    put: (key, text, ttlMs) => change((orders) => orders.set(key, { text, ends: now() + ttlMs })),
    remove: (key) => change((orders) => orders.delete(key)),
    async read(lastRevision) {
      const stored = await records.read(KEY);
      const revision = String(stored?.version ?? 0);
      if (revision === lastRevision) return undefined;
      return { revision, texts: new Map([...standing(stored?.json)].map(([key, { text }]) => [key, text])) };
    },
  };
}

/** Of a record that is no list of orders none: the next order is kept all the same. */
function ordersIn(json = "[]"): Orders {
  try {
    const orders: unknown = JSON.parse(json);
    return Array.isArray(orders) ? orders.filter(isOrder) : [];
  } catch {
    return [];
  }
}

function isOrder(value: unknown): value is Orders[number] {
  const [key, order] = Array.isArray(value) ? value : [];
  return typeof key === "string" && typeof order?.text === "string" && typeof order.ends === "number";
}
