import { DurableObject } from "cloudflare:workers";
import { expiringRecords } from "./record.ts";

/** Sums by name. Pairs and not an object: a counter may be called `__proto__` like any other. */
export type Sums = readonly (readonly [name: string, amount: number])[];

const RECORD = "record";

/** Keeps one session's sums. */
export class CountersObject extends DurableObject {
  readonly #records = expiringRecords(this.ctx.storage);

  read(): Sums {
    return this.#records.read<Sums>(RECORD) ?? [];
  }

  add(amounts: Sums, ttlMs: number): Promise<Sums> {
    return this.#records.change((records) => {
      const sums = new Map(this.read());
      for (const [name, amount] of amounts) sums.set(name, (sums.get(name) ?? 0) + amount);
      records.put(RECORD, [...sums], ttlMs);
      return [...sums];
    });
  }

  override alarm(): Promise<void> {
    return this.#records.expire();
  }
}
