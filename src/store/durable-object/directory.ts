import { DurableObject } from "cloudflare:workers";
import type { SqlStorage } from "@cloudflare/workers-types";
import { matches } from "../directory-pages.ts";
import type { DirectoryEntry, DirectoryFilter, SessionKey } from "../store.ts";

/** A change as it travels. Pairs and not objects: a name may be `__proto__` like any other. */
export interface NoteMessage {
  readonly key: string;
  readonly at: number;
  readonly set: readonly (readonly [string, string])[];
  readonly first: readonly (readonly [string, string])[];
  readonly add: readonly (readonly [string, number])[];
}

/** A row as it is; a type and not an interface, which the platform's own types want. */
export type StoredEntry = {
  readonly key: string;
  readonly at: number;
  /** Its fields and sums, as pairs. */
  readonly json: string;
};

export type ListedPlace = { readonly at: number; readonly key: string };

export type ListedPage = { readonly rows: readonly StoredEntry[]; readonly next: ListedPlace | undefined };

interface ItemList {
  readonly fields: readonly (readonly [string, string])[];
  readonly sums: readonly (readonly [string, number])[];
}

/** Number of rows that are read together; the most that one call scans follows. */
const BATCH = 500;
const MAX_LOOKED_THROUGH = 20_000;

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
      this.#unwritten.set(change.key, { entry: changedEntry(this.find(change.key), change), expires });
    if (this.#unwritten.size > MAX_UNWRITTEN) return this.#write();
    this.#timer ??= setTimeout(() => void this.#write(), GATHER_MS);
  }

  find(key: string): StoredEntry | undefined {
    const unwritten = this.#unwritten.get(key);
    if (unwritten === undefined) return this.#select("key = ?", key, 1)[0];
    return unwritten.expires > Date.now() ? unwritten.entry : undefined;
  }

  /** Newest first, behind the entry of that time and name. */
  async page(limit: number, at: number, key: string, filter: DirectoryFilter | undefined): Promise<ListedPage> {
    await this.#write();
    const entries: StoredEntry[] = [];
    let behind: ListedPlace = { at, key };
    for (let looked = 0; looked < MAX_LOOKED_THROUGH; looked += BATCH) {
      const rows = this.#select("(at, key) < (?, ?)", behind.at, behind.key, BATCH);
      for (const row of rows) {
        if (filter !== undefined && !matches(entryOf(row), filter)) continue;
        if (entries.length === limit) return { rows: entries, next: placeOf(entries.at(-1)) };
        entries.push(row);
      }
      if (rows.length < BATCH) return { rows: entries, next: undefined };
      behind = placeOf(rows.at(-1)) ?? behind;
    }
    return { rows: entries, next: behind };
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

function changedEntry(stored: StoredEntry | undefined, { key, at, set, first, add }: NoteMessage): StoredEntry {
  const list: ItemList = stored === undefined ? { fields: [], sums: [] } : JSON.parse(stored.json);
  const fields = new Map([...first, ...list.fields, ...set]);
  for (const [name, text] of set) if (text === "") fields.delete(name);
  const sums = new Map(list.sums);
  for (const [name, amount] of add) sums.set(name, (sums.get(name) ?? 0) + amount);
  return { key, at: Math.max(at, stored?.at ?? 0), json: JSON.stringify({ fields: [...fields], sums: [...sums] }) };
}

function placeOf(entry: StoredEntry | undefined): ListedPlace | undefined {
  return entry && { at: entry.at, key: entry.key };
}

/** Entry as other rooms know it. */
export function entryOf({ key, at, json }: StoredEntry): DirectoryEntry {
  const { fields, sums }: ItemList = JSON.parse(json);
  return { key: key as SessionKey, at, fields: Object.fromEntries(fields), sums: Object.fromEntries(sums) };
}

function withTable(sql: SqlStorage): SqlStorage {
  sql.exec("CREATE TABLE IF NOT EXISTS entries (key TEXT PRIMARY KEY, at REAL, expires REAL, json TEXT) WITHOUT ROWID");
  sql.exec("CREATE INDEX IF NOT EXISTS newest ON entries (at DESC, key DESC)");
  return sql;
}
