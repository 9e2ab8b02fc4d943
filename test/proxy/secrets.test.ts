import { describe, expect, it } from "vitest";
import { memoryStores } from "../../src/index.ts";
import { storesVia } from "../support/builders/stores.ts";
import { agent, verdictsOf, climb, guardBefore, guardRig, post, requestsOnly, standard } from "./guard-rig.ts";

/** Words that stand nowhere else: where one of them turns up, a text got there. */
const words = {
  key: "sk-marker-key-4711",
  otherKey: "marker-api-key-4712",
  cookie: "marker-cookie-4713",
  system: "markersystemtext",
  task: "markertask",
  argument: "markerargument",
  result: "markerresult",
  answer: "markeranswer",
  person: "markerperson",
  session: "4714-markersession-4715",
} as const;

const headers = {
  authorization: `Bearer ${words.key}`,
  "x-api-key": words.otherKey,
  cookie: `session=${words.cookie}`,
};

function openStores() {
  const put: string[] = [];
  const stores = storesVia((own, command, given) => {
    put.push(JSON.stringify([command, ...given]));
    return own();
  }, memoryStores());
  return { stores: { ...stores, isShared: true }, put };
}

function expectNoWordIn(text: string): void {
  expect(text.length).toBeGreaterThan(100);
  expect(Object.values(words).filter((word) => text.includes(word))).toEqual([]);
}

const loop = () =>
  ({
    kind: "calls",
    calls: [{ tool: "search", args: `{"q":"${words.argument}"}` }],
    text: `I look for it. ${words.answer}`,
  }) as const;

it("no key and no text of a run gets into the log or the store, whatever rung it reaches", async () => {
  const { stores, put } = openStores();
  const policy = { ...requestsOnly(), ladders: { ...standard().ladders, "budget:steps": { nudge: 100 } } };
  const rig = await guardRig(loop, { stores, policy });
  const run = agent({
    ...rig,
    headers,
    extra: { stream: true, user: words.person },
    task: `Find it. ${words.task}`,
    result: () => `There is nothing here. ${words.result}`,
  });
  const turns = await run.turns(7);
  run.hear(`Go on, please, with something else: ${words.person}`);
  expect(verdictsOf([...turns, await run.turn()])).toEqual([...climb, "ok"]);
  expectNoWordIn(JSON.stringify(rig.logged));
  expectNoWordIn(put.join("\n"));
  for (const command of ["sessions.read", "sessions.write", "counters.add", "journal.append"])
    expect(put.join("\n")).toContain(`["${command}"`);
});

it.each(["mcp-session-id", "x-unloop-session"])(
  "a session that is named by an id of a connection in %s is told to its client, and shortened elsewhere",
  async (name) => {
    const { stores, put } = openStores();
    const rig = await guardRig(loop, { stores, policy: standard() });
    const turns = await agent({ ...rig, headers: { ...headers, [name]: words.session } }).turns(7);
    expect(new Set(turns.map(({ headers: told }) => told.get("x-unloop-session")))).toEqual(new Set([words.session]));
    for (const place of [JSON.stringify(rig.logged), put.join("\n")]) {
      expect(place).toMatch(/4714-mar\.\.[\w-]{6}/);
      expect(place).not.toContain(words.session);
    }
  },
);

describe("no key and no text gets into the log", () => {
  const messages = [
    { role: "system", content: words.system },
    { role: "user", content: words.task },
  ];
  const body = JSON.stringify({ messages });

  it.each([
    { name: "where the request is no JSON", body: `{${body}` },
    { name: "where its shape is another", body: `{"input":"${words.task}"}` },
    { name: "where the upstream refuses it", body },
  ])("$name", async ({ body }) => {
    const rig = await guardRig(() => ({ kind: "error", status: 400, message: `${words.answer} ${words.key}` }));
    for (let i = 0; i < 3; i += 1) await post(rig.url, body, headers);
    expectNoWordIn(JSON.stringify(rig.logged));
  });

  it("where the upstream cannot be reached", async () => {
    const { url, logged } = await guardBefore("http://127.0.0.1:1");
    await post(url, body, headers);
    await fetch(`${url}/v1/models?key=${words.key}`, { headers });
    expectNoWordIn(JSON.stringify(logged));
  });
});
