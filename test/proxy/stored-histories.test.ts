import { expect, it, vi } from "vitest";
import { looping } from "../support/agents/scripts.ts";
import { postTo, searchTool } from "../support/agents/wire-agent.ts";
import { storesVia } from "../support/builders/stores.ts";
import type { Script } from "../support/servers/upstream.ts";
import { responsesWire as wire } from "../support/wires/responses.ts";
import type { Heard, Said } from "../support/wires/wire.ts";
import { climb, guardBefore, guardRig, requestsOnly } from "./guard-rig.ts";
import { upstreamOf } from "../support/servers/of-test.ts";

/* Agents whose API keeps their history: they name an answer, a conversation or items, and send what is new. */

const question: Said = { who: "user", text: "What is the weather in Paris?" };
const results = ({ calls }: Heard): readonly Said[] =>
  calls.map(({ id }) => ({ who: "tool", id, text: "Rain, all day." }));

async function asked(url: string, said: readonly Said[], more: object) {
  const body = { ...wire.body({ said, stream: true, tools: [searchTool] }), ...more };
  const { status, headers, heard } = await postTo(wire, url, JSON.stringify(body));
  const of = (name: string) => headers.get(`x-unloop-${name}`);
  return { status, verdict: of("verdict"), session: of("session"), steps: of("steps"), heard };
}

type Turn = Awaited<ReturnType<typeof asked>>;
type Tells = (heard: readonly Heard[]) => { readonly said: readonly Said[]; readonly more?: object };

const terse =
  (conversation?: string): Tells =>
  (heard) => {
    const last = heard.at(-1);
    if (last === undefined) return { said: [question], more: { conversation } };
    return { said: results(last), more: conversation ? { conversation } : { previous_response_id: last.id } };
  };

const referring: Tells = (heard) => ({
  said: [
    question,
    ...heard.flatMap((one): readonly Said[] => {
      const entries = one.entries.map((entry) => ({ type: "item_reference", id: Object(entry).id }));
      return [{ who: "heard", entries }, ...results(one)];
    }),
  ],
});

async function turnsOf(tells: Tells, urlOf: (turn: number) => string | Promise<string>): Promise<readonly Turn[]> {
  const turns: Turn[] = [];
  for (let turn = 0; turn < 7; turn++) {
    const { said, more = {} } = tells(turns.map(({ heard }) => heard));
    turns.push(await asked(await urlOf(turn), said, more));
  }
  return turns;
}

const verdictsOf = (turns: readonly Turn[]) => turns.map(({ verdict }) => verdict);
const rigFor = (script: Script) => guardRig(script, { policy: requestsOnly() }, wire);
const pair = ["Paris", "Rome"].map((q) => ({ tool: "search", args: JSON.stringify({ q }) }));

it.each<[string, Tells, Script]>([
  ["names the answer before", terse(), looping("nothing")],
  ["names a conversation", terse(`conv_${crypto.randomUUID()}`), looping("nothing")],
  ["refers to stored items", referring, looping("nothing")],
  ["refers to items of two calls at once", referring, () => ({ kind: "calls", calls: pair })],
])("an agent that %s is caught at the same turns as one that sends its history", async (_, tells, script) => {
  const rig = await rigFor(script);
  const turns = await turnsOf(tells, () => rig.url);
  expect([verdictsOf(turns), turns.map(({ steps }) => steps).join("")]).toEqual([climb, "0123456"]);
  expect(new Set(turns.slice(1).map(({ session }) => session)).size).toBe(1);
});

it("an agent can go on from an answer that the upstream never gave: its person has another wish", async () => {
  const rig = await rigFor(looping("nothing"));
  const last = (await turnsOf(terse(), () => rig.url)).at(-1);
  const wish: Said = { who: "user", text: "Then tell me of Rome." };
  const next = await asked(rig.url, [wish], { previous_response_id: last?.heard.id });
  expect(next).toMatchObject({ status: 200, verdict: "ok", session: last?.session, heard: { calls: [{}] } });
  const texts = rig.upstream.requests.at(-1)?.view.texts ?? [];
  expect(texts.filter((text) => text.includes("there is no result"))).toHaveLength(1);
  expect(texts.at(-1)).toBe("Then tell me of Rome.");
});

it.each([
  { who: "two that are asked in turn", count: 2, tells: terse() },
  { who: "a process that is started anew at each turn", count: 7, tells: terse() },
  { who: "two that are asked in turn, of items", count: 2, tells: referring },
])("a loop is caught by $who, who share a store that keeps nothing of texts and names", async ({ count, tells }) => {
  const upstream = await upstreamOf(looping("nothing"), wire);
  const kept: string[] = [];
  const stores = storesVia((own, command, given) => {
    if (command === "sessions.write") kept.push(JSON.stringify(given));
    return own();
  });
  const options = { stores: { ...stores, isShared: true }, secret: "the secret of all", policy: requestsOnly() };
  const guards = await Promise.all(Array.from({ length: count }, () => guardBefore(upstream.url, options)));
  const urlOf = async (turn: number) => {
    const recorded = () => guards.flatMap(({ logged }) => logged.filter(({ event }) => event === "recorded"));
    await vi.waitFor(() => expect(recorded()).toHaveLength(turn), { interval: 2 });
    return guards[turn % count]?.url ?? "";
  };
  const turns = await turnsOf(tells, urlOf);
  expect(verdictsOf(turns)).toEqual(climb);
  // Where the guard has ended a run, it keeps the answer before that: the next request goes on from there.
  for (const secret of ["Paris", "search for", "Rain", ...turns.slice(0, 4).map(({ heard }) => heard.id ?? "none")])
    expect(kept.join()).not.toContain(secret);
});
