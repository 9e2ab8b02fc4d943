import { DurableObject } from "cloudflare:workers";
import type { SqlStorage } from "@cloudflare/workers-types";
import { changedEntry, readChange, readEntry } from "../records.ts";
import type { JournalItem, SessionKey } from "../store.ts";

/** A change of an entry, as it travels. As JSON: a name may be `__proto__` like any other. A type and not an interface, which the platform's own types want. */
export type NoteMessage = { readonly key: SessionKey; readonly change: string; readonly ttlMs: number };

type ListedEntry = { readonly key: SessionKey; readonly json: string };

const SWEEP_MS = 15 * 60_000;

/** For so long changes stay in memory: a session costs its rows once each time. What an object loses that dies meanwhile, only the list lacks. */
const GATHER_MS = 60_000;
const MAX_UNWRITTEN = 2_000;

/** Keeps the directory of all sessions. */
export class DirectoryObject extends DurableObject {
  readonly #sql = withTable(
    this.ctx.storage.sql,
    "CREATE TABLE IF NOT EXISTS entries (key TEXT PRIMARY KEY, at REAL, expires REAL, json TEXT) WITHOUT ROWID",
    "CREATE INDEX IF NOT EXISTS newest ON entries (at DESC, key DESC)",
  );
  readonly #unwritten = new Map<string, { readonly at: number; readonly json: string; readonly expires: number }>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  async note(notes: readonly NoteMessage[]): Promise<void> {
    for (const { key, change, ttlMs } of notes) {
      const read = readChange(change);
      if (read === undefined) continue;
      const entry = changedEntry(readEntry(this.find(key)), read);
      const expires = Date.now() + Math.ceil(ttlMs);
      this.#unwritten.set(key, { at: entry.at, json: JSON.stringify(entry), expires });
    }
    if (this.#unwritten.size > MAX_UNWRITTEN) return this.#write();
    this.#timer ??= setTimeout(() => void this.#write(), GATHER_MS);
  }

  find(key: string): string | undefined {
    const unwritten = this.#unwritten.get(key);
    if (unwritten === undefined) return this.#select("key = ?", key, 1)[0]?.json;
    return unwritten.expires > Date.now() ? unwritten.json : undefined;
  }

  async newest(limit: number, at: number, key: string): Promise<readonly ListedEntry[]> {
    await this.#write();
    return this.#select("(at, key) < (?, ?)", at, key, limit);
  }

  override async alarm(): Promise<void> {
    this.#sql.exec("DELETE FROM entries WHERE expires <= ?", Date.now());
    const { left } = this.#sql.exec<{ left: number }>("SELECT count(*) AS left FROM entries").one();
    if (left > 0) await this.ctx.storage.setAlarm(Date.now() + SWEEP_MS);
  }

  async #write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#unwritten.size === 0) return;
    for (const [key, { at, expires, json }] of this.#unwritten)
      this.#sql.exec("INSERT OR REPLACE INTO entries VALUES (?, ?, ?, ?)", key, at, expires, json);
    this.#unwritten.clear();
    if ((await this.ctx.storage.getAlarm()) === null) await this.ctx.storage.setAlarm(Date.now() + SWEEP_MS);
  }

  #select(condition: string, ...values: (string | number)[]): readonly ListedEntry[] {
    const limit = values.pop() ?? 1;
    const rows = this.#sql.exec<ListedEntry>(
      `SELECT key, json FROM entries WHERE ${condition} AND expires > ? ORDER BY at DESC, key DESC LIMIT ?`,
      ...values,
      Date.now(),
      limit,
    );
    return rows.toArray();
  }
}

function withTable(sql: SqlStorage, ...statements: readonly string[]): SqlStorage {
  for (const statement of statements) sql.exec(statement);
  return sql;
}

/** Keeps the newest entries: a ring of rows, so that each entry is one row written, however long the feed. */
export class JournalObject extends DurableObject {
  readonly #sql = withTable(
    this.ctx.storage.sql,
    "CREATE TABLE IF NOT EXISTS entries (slot INTEGER PRIMARY KEY, number INTEGER, entry TEXT)",
  );
  #written = this.#sql.exec<{ newest: number }>("SELECT coalesce(max(number), 0) AS newest FROM entries").one().newest;

  append(entry: string, capacity: number): void {
    this.#written += 1;
    this.#sql.exec("INSERT OR REPLACE INTO entries VALUES (?, ?, ?)", this.#written % capacity, this.#written, entry);
  }

  page(limit: number, before: number): readonly JournalItem[] {
    const rows = this.#sql.exec<{ number: number; entry: string }>(
      "SELECT number, entry FROM entries WHERE number < ? ORDER BY number DESC LIMIT ?",
      before,
      limit,
    );
    return rows.toArray().map(({ number, entry }) => ({ id: String(number), entry }));
  }
}
