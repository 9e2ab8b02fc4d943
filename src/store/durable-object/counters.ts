import { DurableObject } from "cloudflare:workers";
import { expiringRecord } from "./record.ts";

/** Sums by name. Pairs and not an object: a counter may be called `__proto__` like any other. */
export type Sums = readonly (readonly [name: string, amount: number])[];

/** Keeps one session's sums. */
export class CountersObject extends DurableObject {
  readonly #record = expiringRecord<Sums>(this.ctx.storage);

  read(): Sums {
    return this.#record.read() ?? [];
  }

  async add(amounts: Sums, ttlMs: number): Promise<Sums> {
    const next = (present: Sums = []): Sums => {
      const sums = new Map(present);
      for (const [name, amount] of amounts) sums.set(name, (sums.get(name) ?? 0) + amount);
      return [...sums];
    };
    return (await this.#record.change(next, ttlMs)) ?? [];
  }

  override alarm(): Promise<void> {
    return this.#record.expire();
  }
}
