import { DurableObject } from "cloudflare:workers";
import { expiringRecord } from "./record.ts";
import type { Stored } from "../store.ts";

/** Keeps one thread's text, with a version. */
export class ThreadObject extends DurableObject {
  readonly #record = expiringRecord<Stored>(this.ctx.storage);

  read(): Stored | undefined {
    return this.#record.read();
  }

  /** Resolves to false when the stored version is not `expectedVersion`. */
  async write(json: string, expectedVersion: number, ttlMs: number): Promise<boolean> {
    const next = (stored: Stored | undefined) =>
      (stored?.version ?? 0) === expectedVersion ? { json, version: expectedVersion + 1 } : undefined;
    return (await this.#record.change(next, ttlMs)) !== undefined;
  }

  remove(): Promise<void> {
    return this.#record.remove();
  }

  override alarm(): Promise<void> {
    return this.#record.expire();
  }
}
