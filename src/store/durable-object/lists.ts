import { DurableObject } from "cloudflare:workers";
import type { SqlStorage } from "@cloudflare/workers-types";
import { changedEntry, type ChangeText, type EntryText } from "../directory.ts";

/** A change of an entry, as it travels. */
export type NoteMessage = ChangeText & { readonly key: string };

/** A row as it is; a type and not an interface, which the platform's own types want. */
export type StoredEntry = {
  readonly key: string;
  readonly at: number;
  /** Its fields and sums, as pairs. */
  readonly json: string;
};

/** Interval at which expired rows are removed. */
const SWEEP_MS = 15 * 60_000;

/** For so long changes stay in memory: a session costs its rows once each time. What an object loses that dies meanwhile, only the list lacks. */
const GATHER_MS = 60_000;
const MAX_UNWRITTEN = 2_000;

/** Keeps the directory of all sessions. */
export class DirectoryObject extends DurableObject {
  readonly #sql = withTable(this.ctx.storage.sql);
  readonly #unwritten = new Map<string, { readonly entry: StoredEntry; readonly expires: number }>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  async note(changes: readonly NoteMessage[], ttlMs: number): Promise<void> {
    const expires = Date.now() + Math.ceil(ttlMs);
    for (const change of changes)
      this.#unwritten.set(change.key, { entry: changedRow(this.find(change.key), change), expires });
    if (this.#unwritten.size > MAX_UNWRITTEN) return this.#write();
    this.#timer ??= setTimeout(() => void this.#write(), GATHER_MS);
  }

  find(key: string): StoredEntry | undefined {
    const unwritten = this.#unwritten.get(key);
    if (unwritten === undefined) return this.#select("key = ?", key, 1)[0];
    return unwritten.expires > Date.now() ? unwritten.entry : undefined;
  }

  /** The newest first, behind the entry of that time and name. */
  async newest(limit: number, at: number, key: string): Promise<readonly StoredEntry[]> {
    await this.#write();
    return this.#select("(at, key) < (?, ?)", at, key, limit);
  }

  remove(key: string): void {
    this.#unwritten.delete(key);
    this.#sql.exec("DELETE FROM entries WHERE key = ?", key);
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
    for (const { entry, expires } of this.#unwritten.values())
      this.#sql.exec("INSERT OR REPLACE INTO entries VALUES (?, ?, ?, ?)", entry.key, entry.at, expires, entry.json);
    this.#unwritten.clear();
    if ((await this.ctx.storage.getAlarm()) === null) await this.ctx.storage.setAlarm(Date.now() + SWEEP_MS);
  }

  #select(condition: string, ...values: (string | number)[]): readonly StoredEntry[] {
    const limit = values.pop() ?? 1;
    const rows = this.#sql.exec<StoredEntry>(
      `SELECT key, at, json FROM entries WHERE ${condition} AND expires > ? ORDER BY at DESC, key DESC LIMIT ?`,
      ...values,
      Date.now(),
      limit,
    );
    return rows.toArray();
  }
}

function changedRow(row: StoredEntry | undefined, { key, ...change }: NoteMessage): StoredEntry {
  const before: EntryText | undefined = row && JSON.parse(row.json);
  const entry = changedEntry(before, change);
  return { key, at: entry.at, json: JSON.stringify(entry) };
}

function withTable(sql: SqlStorage): SqlStorage {
  sql.exec("CREATE TABLE IF NOT EXISTS entries (key TEXT PRIMARY KEY, at REAL, expires REAL, json TEXT) WITHOUT ROWID");
  sql.exec("CREATE INDEX IF NOT EXISTS newest ON entries (at DESC, key DESC)");
  return sql;
}

/** A row as it is; a type and not an interface, which the platform's own types want. */
export type NumberedEntry = { readonly number: number; readonly entry: string };

/** Keeps the newest entries: a ring of rows, so that each entry is one row written, however long the feed. */
export class JournalObject extends DurableObject {
  readonly #sql = withEntries(this.ctx.storage.sql);
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

function withEntries(sql: SqlStorage): SqlStorage {
  sql.exec("CREATE TABLE IF NOT EXISTS entries (slot INTEGER PRIMARY KEY, number INTEGER, entry TEXT)");
  return sql;
}

function newestNumber(sql: SqlStorage): number {
  return sql.exec<{ newest: number }>("SELECT coalesce(max(number), 0) AS newest FROM entries").one().newest;
}
