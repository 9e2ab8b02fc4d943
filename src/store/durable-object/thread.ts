import { DurableObject } from "cloudflare:workers";
import { type ExpiringRecords, expiringRecords, type RecordWriter } from "./record.ts";
import { added, readTotals } from "../records.ts";
import { isTaken, type Plain, type Stored } from "../store.ts";

/** A command for one of a session's records, as it travels. */
export type ThreadCommand =
  | { readonly kind: "read"; readonly thread: string }
  | { readonly kind: "remove"; readonly thread: string }
  /** To sums, which travel as JSON: one may be called `__proto__` like any other. */
  | { readonly kind: "add"; readonly thread: string; readonly amounts: string; readonly ttlMs: number }
  | {
      readonly kind: "write";
      readonly thread: string;
      readonly json: string;
      readonly expectedVersion: number | undefined;
      readonly ttlMs: number;
      readonly plain: Plain | undefined;
    };

/** What was read or added up, or whether a write was taken. */
export type ThreadResult = Stored | boolean | undefined;

interface GroupedRecord extends Stored {
  readonly plain: Plain | undefined;
  readonly expiresAt: number;
}

type Group = Readonly<Record<string, GroupedRecord>>;

const THREAD = "thread:";
/** An alarm has a time. */
const FOR_EVER_MS = 10 * 365 * 24 * 60 * 60_000;

/**
 * The records of a session in groups, a row each: what is written together stays together, such as a thread and the alias by
 * which it is found. So an exchange costs one row.
 */
class ThreadGroups {
  readonly #records: ExpiringRecords;
  /** In which group each record is; listed once. */
  readonly #groupOf = new Map<string, string>();

  constructor(records: ExpiringRecords) {
    this.#records = records;
    for (const [name, group] of records.list<Group>(THREAD))
      for (const record of Object.keys(group)) this.#groupOf.set(record, name);
  }

  /** Carries out commands in their order, at once and as a whole. */
  run(commands: readonly ThreadCommand[]): Promise<readonly ThreadResult[]> {
    const newGroup = commands.find(({ kind }) => kind === "write" || kind === "add")?.thread ?? "";
    return this.#records.change((writer) => {
      const groups = new Map<string, Group>();
      const changed = new Set<string>();
      const results = commands.map((command) => {
        const name = this.#groupOf.get(command.thread) ?? newGroup;
        const group = groups.get(name) ?? this.#read(name);
        const { result, next } = carriedOut(command, group);
        groups.set(name, next);
        if (next !== group) changed.add(name);
        return result;
      });
      for (const name of changed) this.#write(name, groups.get(name) ?? {}, writer);
      return results;
    });
  }

  #read(name: string): Group {
    const entries = Object.entries(this.#records.read<Group>(THREAD + name) ?? {});
    return Object.fromEntries(entries.filter(([, { expiresAt }]) => expiresAt > Date.now()));
  }

  #write(name: string, group: Group, { put, remove }: RecordWriter): void {
    for (const [record, at] of [...this.#groupOf]) if (at === name) this.#groupOf.delete(record);
    for (const record of Object.keys(group)) this.#groupOf.set(record, name);
    const expiries = Object.values(group).map(({ expiresAt }) => expiresAt);
    if (expiries.length === 0) remove(THREAD + name);
    else put(THREAD + name, group, Math.max(...expiries) - Date.now());
  }
}

/** What a command comes to, and the group behind it: the same one where nothing has changed. */
function carriedOut(command: ThreadCommand, group: Group): { readonly result: ThreadResult; readonly next: Group } {
  const { thread } = command;
  const { [thread]: record, ...others } = group;
  if (command.kind === "remove") return { result: undefined, next: record === undefined ? group : others };
  const { json = "", version = 0 } = record ?? {};
  if (command.kind === "read") return { result: record && { json, version }, next: group };
  const next = { version: version + 1, expiresAt: Date.now() + Math.ceil(Math.min(command.ttlMs, FOR_EVER_MS)) };
  if (command.kind === "add") {
    const sums = JSON.stringify(added(readTotals(json || "{}"), readTotals(command.amounts)));
    const written = { ...next, json: sums, plain: undefined };
    return { result: { json: sums, version: next.version }, next: { ...others, [thread]: written } };
  }
  const { expectedVersion, plain } = command;
  if (!isTaken(record, expectedVersion, plain)) return { result: false, next: group };
  return { result: true, next: { ...others, [thread]: { ...next, json: command.json, plain } } };
}

/** Keeps the records of one session, its sums among them, or those of the directives. */
export class ThreadObject extends DurableObject {
  readonly #records = expiringRecords(this.ctx.storage);
  readonly #threads = new ThreadGroups(this.#records);

  run(commands: readonly ThreadCommand[]): Promise<readonly ThreadResult[]> {
    return this.#threads.run(commands);
  }

  override alarm(): Promise<void> {
    return this.#records.expire();
  }
}
