import { DurableObject } from "cloudflare:workers";
import type * as Platform from "@cloudflare/workers-types";
import type { SqlStorage } from "@cloudflare/workers-types";
import { expiringRecords } from "./record.ts";
import { type ThreadCommand, ThreadGroups, type ThreadResult } from "./thread-groups.ts";

interface DirectivesMessage {
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

declare const WebSocketPair: typeof Platform.WebSocketPair;
declare const Response: typeof Platform.Response;

const DIRECTIVE = "directive:";

/** What each command came to, and the directives that stand. A type and not an interface, which the platform's own types want. */
export type ThreadAnswer = { readonly results: readonly ThreadResult[]; readonly directives: DirectiveRow[] };

/** Keeps the records of one session's threads, and the directives for it, of which it tells whoever reads or listens. */
export class ThreadObject extends DurableObject {
  readonly #records = expiringRecords(this.ctx.storage);
  readonly #threads = new ThreadGroups(this.#records);

  async run(commands: readonly ThreadCommand[]): Promise<ThreadAnswer> {
    return { results: await this.#threads.run(commands), directives: this.#directives() };
  }

  async putDirective(key: string, text: string, ttlMs: number): Promise<void> {
    await this.#records.change((records) => records.put(DIRECTIVE + key, text, ttlMs));
    this.#tell(this.ctx.getWebSockets());
  }

  async removeDirective(key: string): Promise<void> {
    await this.#records.change((records) => records.remove(DIRECTIVE + key));
    this.#tell(this.ctx.getWebSockets());
  }

  /** Opens a socket on which all directives arrive after each change. The object sleeps meanwhile. */
  override async fetch(): Promise<Platform.Response> {
    const { 0: listener, 1: socket } = new WebSocketPair();
    this.ctx.acceptWebSocket(socket);
    this.#tell([socket]);
    return new Response(null, { status: 101, webSocket: listener });
  }

  override webSocketClose(socket: Platform.WebSocket): void {
    socket.close();
  }

  override alarm(): Promise<void> {
    return this.#records.expire();
  }

  #tell(sockets: readonly Platform.WebSocket[]): void {
    const text = JSON.stringify(this.#directives());
    for (const socket of sockets) socket.send(text);
  }

  #directives(): DirectiveRow[] {
    return this.#records.list<string>(DIRECTIVE).map(([key, text]) => ({ key, text }));
  }
}
