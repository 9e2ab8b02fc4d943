import { ledgerReach, readLedger } from "../../../src/session/session.ts";
import { called, type Message, repeated, user } from "../../support/builders/chat-history.ts";
import { storesVia } from "../../support/builders/stores.ts";
import type { RigOptions } from "../../support/builders/in-process.ts";
import { chatRig, completion } from "../chat-rig.ts";

type Fields = Readonly<Record<string, string>>;

export function shared() {
  const known: number[] = [];
  const counts = { reads: 0 };
  const stores = storesVia((own, command, [, json]) => {
    const ledger = command === "sessions.write" ? readLedger(String(json)) : undefined;
    if (ledger !== undefined) known.push(ledgerReach(ledger));
    if (command === "sessions.read") counts.reads += 1;
    return own();
  });
  return { known, counts, stores: { ...stores, isShared: true } };
}

export function guarded(options: RigOptions = {}) {
  let says: Message = {};
  const rig = chatRig(() => completion(says), options);
  return {
    ...rig,
    async ask(messages: readonly Message[], answer: Message, more: object = {}, headers: Fields = {}) {
      says = answer;
      const given = await rig.ask(messages, more, headers);
      const names = ["verdict", "session-source", "detector", "count", "sticky"];
      return Object.fromEntries(names.map((name) => [name, given.headers.get(`x-unloop-${name}`)]));
    },
  };
}

const page = (i: number | string) => called(`c${i}`, "read", { page: i }, `On page ${i} stands word${i}.`);
export const call = (i: number | string): Message => page(i)[0] ?? {};
export const result = (i: number | string): Message => page(i)[1] ?? {};
export const opening: readonly Message[] = [{ role: "system", content: "You read." }, user("Read all pages.")];
export const longOpening: readonly Message[] = [
  { role: "system", content: "You read. ".repeat(150) },
  ...opening.slice(1),
];
export const walk = (from: number, to: number): readonly Message[] => repeated(to - from, (i) => page(from + i));

export async function go({ ask }: Pick<ReturnType<typeof guarded>, "ask">, from: number, to: number) {
  for (let i = from; i < to; i++) await ask([...opening, ...walk(0, i)], call(i));
}
