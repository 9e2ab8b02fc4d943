import { DurableObject } from "cloudflare:workers";
import type { SqlStorage } from "@cloudflare/workers-types";

/** Keeps the newest entries: a ring of rows, so that each entry is one row written, however long the feed. */
export class JournalObject extends DurableObject {
  readonly #sql = withTable(this.ctx.storage.sql);
  #written = newestNumber(this.#sql);

  append(entry: string, capacity: number): void {
    const number = this.#written + 1;
    this.#sql.exec("INSERT OR REPLACE INTO entries VALUES (?, ?, ?)", number % capacity, number, entry);
    this.#written = number;
  }

  recent(limit: number): readonly string[] {
    const rows = this.#sql.exec<{ entry: string }>("SELECT entry FROM entries ORDER BY number DESC LIMIT ?", limit);
    return rows.toArray().map(({ entry }) => entry);
  }
}

function withTable(sql: SqlStorage): SqlStorage {
  sql.exec("CREATE TABLE IF NOT EXISTS entries (slot INTEGER PRIMARY KEY, number INTEGER, entry TEXT)");
  return sql;
}

function newestNumber(sql: SqlStorage): number {
  return sql.exec<{ newest: number }>("SELECT coalesce(max(number), 0) AS newest FROM entries").one().newest;
}
