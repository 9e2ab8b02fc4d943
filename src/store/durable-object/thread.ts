import { DurableObject } from "cloudflare:workers";
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

export type ThreadResult = Stored | boolean | undefined;

interface GroupedRecord extends Stored {
  readonly plain: Plain | undefined;
  readonly expiresAt: number;
}

type Group = Readonly<Record<string, GroupedRecord>>;

const FOR_EVER_MS = 10 * 365 * 24 * 60 * 60_000;

/**
 * Keeps the records of one session, its sums among them, or those of the directives, in groups, a row each: what is written
 * together stays together, such as a thread and the alias by which it is found. So an exchange costs one row; and reading writes
 * nothing, so an object that was only read leaves no storage behind.
 */
export class ThreadObject extends DurableObject {
  readonly #storage = this.ctx.storage;
  /** In which group each record is; listed once. */
  readonly #groupOf = new Map(
    this.#groups().flatMap(([name, group]) => Object.keys(group).map((record) => [record, name] as const)),
  );

  /** Carries out commands in their order, at once and as a whole: from the alarm's answer on it waits for nothing. */
  async run(commands: readonly ThreadCommand[]): Promise<readonly ThreadResult[]> {
    const alarm = (await this.#storage.getAlarm()) ?? Number.POSITIVE_INFINITY;
    const newGroup = commands.find(({ kind }) => kind === "write" || kind === "add")?.thread ?? "";
    const groups = new Map<string, Group>();
    const changed = new Map<string, Group>();
    const results = commands.map((command) => {
      const name = this.#groupOf.get(command.thread) ?? newGroup;
      const group = groups.get(name) ?? this.#standing(name);
      const { result, next } = carriedOut(command, group);
      groups.set(name, next);
      if (next !== group) changed.set(name, next);
      return result;
    });
    for (const [name, group] of changed) this.#write(name, group);
    const earliest = Math.min(...[...changed.values()].map(endOf).filter(Number.isFinite));
    if (earliest < alarm) await this.#storage.setAlarm(earliest);
    else if (changed.size > 0 && this.#groups().length === 0) await this.#putOff();
    return results;
  }

  /** Removes what has expired, and behind the last of it every other trace of the object. */
  override async alarm(): Promise<void> {
    for (const [name, group] of this.#groups()) if (endOf(group) <= Date.now()) this.#write(name, {});
    await this.#putOff();
  }

  #groups(): readonly (readonly [name: string, group: Group])[] {
    return [...this.#storage.kv.list<Group>()];
  }

  #standing(name: string): Group {
    const entries = Object.entries(this.#storage.kv.get<Group>(name) ?? {});
    return Object.fromEntries(entries.filter(([, { expiresAt }]) => expiresAt > Date.now()));
  }

  #write(name: string, group: Group): void {
    for (const [record, at] of [...this.#groupOf]) if (at === name) this.#groupOf.delete(record);
    for (const record of Object.keys(group)) this.#groupOf.set(record, name);
    if (Object.keys(group).length === 0) this.#storage.kv.delete(name);
    else this.#storage.kv.put(name, group);
  }

  /** An alarm is a row written, too: one that rings early is put off when it rings, not with each write. */
  async #putOff(): Promise<void> {
    const ends = this.#groups().map(([, group]) => endOf(group));
    if (ends.length > 0) return this.#storage.setAlarm(Math.min(...ends));
    await this.#storage.deleteAlarm();
    await this.#storage.deleteAll();
  }
}

const endOf = (group: Group): number => Math.max(...Object.values(group).map(({ expiresAt }) => expiresAt));

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
