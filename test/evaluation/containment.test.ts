import { describe, expect, it, vi } from "vitest";
import {
  type ExchangeReport,
  type Guard,
  guardOf,
  memoryStores,
  type SessionKey,
  type UnloopOptions,
} from "../../src/index.ts";
import { logInto, type LogLine } from "../proxy/guard-rig.ts";
import { call, longOpening, result, walk } from "../proxy/request/walk.ts";
import { type Asked, eventStream, inProcess } from "../support/builders/in-process.ts";

const chunk = (delta: object) =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`;
const order = () => ({ actor: "ops", reason: "it never ends", at: Date.now(), until: Date.now() + 60_000 });

function guarded(options: Partial<UnloopOptions> = {}) {
  let guard: Guard | undefined;
  let isEndless = false;
  let says: readonly object[] = [];
  const logged: LogLine[] = [];
  const reports: ExchangeReport[] = [];
  const stores = memoryStores();
  const endless = (signal: AbortSignal) =>
    new ReadableStream({
      start(stream) {
        stream.enqueue(Buffer.from(chunk({ content: "one " })));
        signal.addEventListener("abort", () => stream.error(signal.reason));
      },
    });
  const answer = ({ signal }: Asked) => {
    const [message] = says;
    says = says.slice(1);
    return message === undefined || isEndless
      ? new Response(endless(signal), { headers: eventStream })
      : Response.json({ id: "x", choices: [{ index: 0, message, finish_reason: "stop" }] });
  };
  const { fetch, asked } = inProcess(
    answer,
    {
      stores,
      secret: "a secret of tests",
      log: logInto(logged),
      observer: (report) => void reports.push(report),
      ...options,
    },
    (made) => {
      guard = guardOf(made);
      return guard;
    },
  );
  const ask = (messages: readonly object[], stream = false, named: Readonly<Record<string, string>> = {}) =>
    fetch("/v1/chat/completions", {
      method: "POST",
      headers: { "content-type": "application/json", authorization: "Bearer sk-1", ...named },
      body: JSON.stringify({ model: "m", messages, stream }),
    });
  const contain = async (key: SessionKey | undefined) =>
    guard?.context().services.containments.put(key ?? ("" as SessionKey), order());
  return {
    asked,
    reports,
    stores,
    contain,
    /** What another process has written as an order. */
    async orders(key: SessionKey | undefined, text: object) {
      await stores.directives.put(`contain:${key}`, JSON.stringify(text), 60_000);
      await guard?.refresh();
    },
    exchanges: () => logged.filter(({ event }) => event === "exchange"),
    journal: async () => (await stores.journal.page(20)).map(({ entry }) => JSON.parse(entry)),
    async turn(
      messages: readonly object[],
      message: object = { role: "assistant", content: "Well." },
      named: Readonly<Record<string, string>> = {},
    ) {
      says = [message];
      const response = await ask(messages, false, named);
      await response.text();
      for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
      return response;
    },
    async endedInMidTurn(messages: readonly object[], message: object, key: SessionKey | undefined) {
      says = [message];
      const before = asked.length;
      const response = ask(messages);
      await vi.waitFor(() => expect(asked.length).toBe(before + 2));
      await contain(key);
      return (await response).text();
    },
    async ended(messages: readonly object[], key: SessionKey | undefined) {
      isEndless = true;
      const response = await ask(messages, true);
      await contain(key);
      isEndless = false;
      return response.text();
    },
  };
}

const history = (turns: number) => [...longOpening, ...walk(0, turns)];

const named = { "x-unloop-session": "run-1" };
const well = { role: "assistant", content: "Well." };

it("a session that an operator has ended passes nothing on of a body with too many parts to be read, where its headers name it", async () => {
  const messages = [{ role: "user", content: "go", parts: Array(300_000).fill([]) }];
  const rig = guarded();
  await rig.turn([{ role: "user", content: "go" }], well, named);
  await rig.contain(rig.reports[0]?.sessionKey);
  const before = rig.asked.length;
  const ended = await rig.turn(messages, well, named);
  expect([ended.status, ended.headers.get("x-unloop-verdict")]).toEqual([403, "contained"]);
  expect(rig.asked.length).toBe(before);
  expect((await rig.turn(messages)).headers.get("x-unloop-verdict")).toBe("unguarded");
});

describe("an exchange that an operator ends", () => {
  it("gives its reader nothing of what was kept back, where the model was being asked again", async () => {
    const rig = guarded();
    const rounds = (count: number) => [
      ...longOpening,
      ...Array.from({ length: count }, () => [call(1), result(1)]).flat(),
    ];
    await rig.turn(rounds(1), call(1));
    const text = await rig.endedInMidTurn(rounds(2), call(1), rig.reports[0]?.sessionKey);
    expect(text).toContain("stopped by an operator");
    expect(text).not.toContain("read");
    await vi.waitFor(() => expect(rig.exchanges().at(-1)).toMatchObject({ verdict: "contained" }));
  });

  it("is journaled with who ended it, under the name that its session had before a summary", async () => {
    const rig = guarded();
    // Names that no other run has: by them a shortened history is found again.
    const page = (i: number) => `7e3f91ab5c2d0${i}`;
    const pages = (to: number) => Array.from({ length: to }, (_, i) => [call(page(i)), result(page(i))]).flat();
    for (let i = 0; i < 4; i++) await rig.turn([...longOpening, ...pages(i)], call(page(i)));
    const key = rig.reports.at(-1)?.sessionKey;
    const summary = [{ role: "user", content: "This is what was done so far. Go on." }, call(page(3)), result(page(3))];
    await rig.ended([...longOpening.slice(0, 1), ...summary], key);
    await vi.waitFor(async () =>
      expect(await rig.journal()).toMatchObject([
        { type: "contained", actor: "ops", reason: "it never ends", key, note: "an open answer was ended" },
      ]),
    );
  });
});

it.each([
  { name: "read whole", turns: 1 },
  { name: "on the fast path", turns: 3 },
])(
  "an order whose words are lost still ends its session: of a request $name nothing goes upstream",
  async ({ turns }) => {
    const rig = guarded();
    for (let i = 0; i < turns; i++) await rig.turn(history(i), call(i));
    const { reason: _, ...withoutReason } = order();
    await rig.orders(rig.reports[0]?.sessionKey, withoutReason);
    const before = rig.asked.length;
    const response = await rig.turn(history(turns));
    expect(response.headers.get("x-unloop-verdict")).toBe("contained");
    expect(rig.asked).toHaveLength(before);
  },
);
