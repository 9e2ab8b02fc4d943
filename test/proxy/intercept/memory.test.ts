import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { memoryStores } from "../../../src/index.ts";
import { type Ledger, ledgerText, readLedger } from "../../../src/session/session.ts";
import { armed, type Heard, interceptRig, resting, sending, sent } from "./rig.ts";

const user = (content: string) => ({ role: "user", content });
const verdictOf = ({ headers }: Heard) => headers.get("x-unloop-verdict");
const messageIn = ({ text }: Heard) => JSON.parse(text).choices[0].message;
/** The note stands in the last tool result of its step. */
const noteIn = (body: string | undefined, index: number) => JSON.parse(body ?? "").messages[index].content;

describe("an answer that was asked for again", () => {
  it("is remembered: sent again, the request carries the note at once and nothing is counted twice", async () => {
    const session = randomUUID();
    const { ask, asked, journal } = interceptRig([sending, sending, sending, resting]);
    const [first, retried] = [await ask(armed, {}, { session }), await ask(armed, {}, { session })];
    expect([verdictOf(first), verdictOf(retried)]).toEqual(["nudge", "nudge"]);
    expect(asked).toHaveLength(3);
    expect(asked[2]?.body).toBe(asked[1]?.body);
    expect(messageIn(retried).tool_calls).toHaveLength(1);
    expect(await journal()).toHaveLength(1);
  });

  it("is told in the same place, byte for byte, on every later request", async () => {
    const session = randomUUID();
    const { ask, asked } = interceptRig([sending, resting, resting, resting]);
    const first = await ask(armed, {}, { session });
    const note = noteIn(asked[1]?.body, 2);
    expect(note).toMatch(/^Sent\.\n+.*\[unloop\]/s);
    const later = [...armed, messageIn(first), user("And the queue?")];
    const second = await ask(later, {}, { session });
    await ask([...later, messageIn(second), user("And the disk?")], {}, { session });
    expect(asked.slice(2).map(({ body }) => noteIn(body, 2))).toEqual([note, note]);
    const common = asked[1]?.body.slice(0, -2) ?? "";
    for (const { body } of asked.slice(2)) expect(body.startsWith(common)).toBe(true);
    expect(second.headers.get("x-unloop-sticky")).toBe("1");
    expect(verdictOf(second)).toBe("ok");
  });

  it("is remembered by a store in which another request was faster", async () => {
    const stores = memoryStores();
    let writes = 0;
    const sessions = {
      ...stores.sessions,
      async write(...[key, json, version, ttl]: Parameters<typeof stores.sessions.write>) {
        // The winner wrote the same thread without knowing of the second answer.
        const ledger = readLedger(json);
        const isAbout = ledger?.pending?.intercepted !== undefined;
        if (isAbout && writes === 0) await stores.sessions.write(key, ledgerText(without(ledger)), version, ttl);
        if (isAbout) writes += 1;
        return stores.sessions.write(key, json, version, ttl);
      },
    };
    const session = randomUUID();
    const { ask, asked, journal } = interceptRig([sending, sending, resting], { stores: { ...stores, sessions } });
    await ask(armed, {}, { session });
    expect(writes).toBe(2);
    expect(verdictOf(await ask(armed, {}, { session }))).toBe("nudge");
    expect(asked[2]?.body).toBe(asked[1]?.body);
    expect(await journal()).toHaveLength(1);
  });
});

function without({ pending, ...ledger }: Ledger): Ledger {
  if (pending === undefined) return ledger;
  const { intercepted: _, ...told } = pending;
  return { ...ledger, pending: told };
}

describe("what was done about an answer", () => {
  it.each([
    { name: "a second answer", history: armed, says: [sending, resting] },
    { name: "an ending of the guard's own", history: [...armed, ...sent("call_1")], says: [sending, sending] },
  ])("is kept before its reader has it, since the next request may come at once: $name", async ({ history, says }) => {
    const stores = memoryStores();
    let written = 0;
    const sessions = {
      ...stores.sessions,
      async write(...given: Parameters<typeof stores.sessions.write>) {
        await new Promise((resolve) => setImmediate(resolve));
        const won = await stores.sessions.write(...given);
        if (given[1].includes("intercepted")) written += 1;
        return won;
      },
    };
    const seen: number[] = [];
    const rig = interceptRig(says, { stores: { ...stores, sessions } });
    await rig.ask(history, {}, { whenHeard: () => seen.push(written) });
    expect(seen).toEqual([1]);
  });
});

describe("a run that was ended on an answer", () => {
  const history = [...armed, ...sent("call_1")];

  async function ended(session: string, says = [sending, sending, resting]) {
    const rig = interceptRig(says);
    const final = await rig.ask(history, {}, { session });
    expect(messageIn(final).content).toContain("going in circles");
    return { ...rig, final, told: [...history, messageIn(final)] };
  }

  it("gets the same ending when the request is sent again, and no model is asked", async () => {
    const session = randomUUID();
    const { ask, asked, final, journal } = await ended(session);
    const before = (await journal()).length;
    const again = await ask(history, {}, { session });
    expect(messageIn(again).content).toBe(messageIn(final).content);
    expect(asked).toHaveLength(2);
    expect(await journal()).toHaveLength(before);
  });
});
