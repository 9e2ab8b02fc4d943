import { DurableObject } from "cloudflare:workers";
import type { SqlStorage } from "@cloudflare/workers-types";

/** A row as it is; a type and not an interface, which the platform's own types want. */
export type NumberedEntry = { readonly number: number; readonly entry: string };

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

  /** The newest first, of those with a smaller number. */
  page(limit: number, before: number): readonly NumberedEntry[] {
    const order = "WHERE number < ? ORDER BY number DESC LIMIT ?";
    return this.#sql.exec<NumberedEntry>(`SELECT number, entry FROM entries ${order}`, before, limit).toArray();
  }

  /** The oldest first, of those with a larger number. */
  after(number: number, limit: number): readonly NumberedEntry[] {
    const order = "WHERE number > ? ORDER BY number LIMIT ?";
    return this.#sql.exec<NumberedEntry>(`SELECT number, entry FROM entries ${order}`, number, limit).toArray();
  }
}

function withTable(sql: SqlStorage): SqlStorage {
  sql.exec("CREATE TABLE IF NOT EXISTS entries (slot INTEGER PRIMARY KEY, number INTEGER, entry TEXT)");
  return sql;
}

function newestNumber(sql: SqlStorage): number {
  return sql.exec<{ newest: number }>("SELECT coalesce(max(number), 0) AS newest FROM entries").one().newest;
}
