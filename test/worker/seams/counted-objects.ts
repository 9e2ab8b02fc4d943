import { runInDurableObject } from "cloudflare:test";
import type { DurableObjectState } from "@cloudflare/workers-types";
import type { ObjectNamespaces } from "../../../src/store/durable-object/durable-object.ts";
import { ownObjects } from "./bindings.ts";

/** What the platform bills of objects: by namespace the requests to them, and the rows that they write. */
export interface ObjectCounts {
  readonly requests: Record<string, number>;
  rows: number;
}

/** The tests' own objects, with each request and each row counted. */
export function countedObjects(): { readonly objects: ObjectNamespaces; readonly counts: ObjectCounts } {
  const counts: ObjectCounts = { requests: {}, rows: 0 };
  const seen = new Set<string>();
  const counted = (binding: keyof ObjectNamespaces) => ({
    getByName(name: string) {
      const stub = ownObjects[binding].getByName(name);
      const ask = async (method: string, args: readonly unknown[]) => {
        counts.requests[binding] = (counts.requests[binding] ?? 0) + 1;
        const id = `${binding} ${name}`;
        if (!seen.has(id)) await runInDurableObject(stub as never, async (_, state) => countRows(state, counts));
        seen.add(id);
        // biome-ignore lint/suspicious/noExplicitAny: whatever it is called with, the object gets
        return (stub as any)[method](...args);
      };
      return new Proxy(
        {},
        {
          get:
            (_, method: string) =>
            (...args: unknown[]) =>
              ask(method, args),
        },
      );
    },
  });
  const names = ["THREADS", "JOURNAL", "DIRECTORY"] as const;
  const objects = Object.fromEntries(names.map((name) => [name, counted(name)]));
  return { objects: objects as unknown as ObjectNamespaces, counts };
}

function countRows({ storage }: DurableObjectState, counts: ObjectCounts): void {
  const { kv, sql } = storage;
  const [put, exec, setAlarm] = [kv.put.bind(kv), sql.exec.bind(sql), storage.setAlarm.bind(storage)];
  kv.put = (...args: Parameters<typeof put>) => {
    counts.rows += 1;
    put(...args);
  };
  storage.setAlarm = (...args) => {
    counts.rows += 1;
    return setAlarm(...args);
  };
  sql.exec = ((...args: Parameters<typeof exec>) => {
    const cursor = exec(...args);
    counts.rows += cursor.rowsWritten;
    return cursor;
  }) as typeof sql.exec;
}
