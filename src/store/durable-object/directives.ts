import { DurableObject } from "cloudflare:workers";
import type { SqlStorage } from "@cloudflare/workers-types";

export interface DirectivesMessage {
  readonly revision: string;
  readonly standing: readonly DirectiveRow[];
}

/** A row as it is; a type and not an interface, which the platform's own types want. */
export type DirectiveRow = { readonly key: string; readonly text: string };

/** Keeps what operators have ordered, and a number that changes with it. */
export class DirectivesObject extends DurableObject {
  readonly #sql = withTables(this.ctx.storage.sql);
  #revision = this.#sql
    .exec<{ revision: number }>("SELECT coalesce(max(revision), 0) AS revision FROM revisions")
    .one().revision;

  put(key: string, text: string, ttlMs: number): void {
    this.#sql.exec("INSERT OR REPLACE INTO directives VALUES (?, ?, ?)", key, Date.now() + Math.ceil(ttlMs), text);
    this.#changed();
  }

  remove(key: string): void {
    this.#sql.exec("DELETE FROM directives WHERE key = ?", key);
    this.#changed();
  }

  /** Undefined where nothing has changed since that revision. */
  read(lastRevision: string | undefined): DirectivesMessage | undefined {
    if (lastRevision === String(this.#revision)) return undefined;
    const rows = this.#sql.exec<DirectiveRow>("SELECT key, text FROM directives WHERE expires > ?", Date.now());
    return { revision: String(this.#revision), standing: rows.toArray() };
  }

  #changed(): void {
    this.#revision += 1;
    this.#sql.exec("DELETE FROM directives WHERE expires <= ?", Date.now());
    this.#sql.exec("INSERT OR REPLACE INTO revisions VALUES (0, ?)", this.#revision);
  }
}

function withTables(sql: SqlStorage): SqlStorage {
  sql.exec("CREATE TABLE IF NOT EXISTS directives (key TEXT PRIMARY KEY, expires REAL, text TEXT)");
  sql.exec("CREATE TABLE IF NOT EXISTS revisions (slot INTEGER PRIMARY KEY, revision INTEGER)");
  return sql;
}
