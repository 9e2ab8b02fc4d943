import { describe, expect, it, vi } from "vitest";
import type { ExchangeReport, SessionKey } from "../../src/index.ts";
import { chatRig, completion } from "../proxy/chat-rig.ts";
import { call, longOpening, result, walk } from "../proxy/request/walk.ts";
import { type Message, repeated, user } from "../support/builders/chat-history.ts";
import { eventStream } from "../support/builders/in-process.ts";

const chunk = (delta: object) =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`;
const order = () => ({ actor: "ops", reason: "it never ends", at: Date.now(), until: Date.now() + 60_000 });

const well = { role: "assistant", content: "Well." };

function rigOfOperator() {
  let says: readonly object[] = [];
  const reports: ExchangeReport[] = [];
  const key = () => reports.at(-1)?.sessionKey ?? ("" as SessionKey);
  const endless = (signal: AbortSignal) =>
    new ReadableStream({
      start(stream) {
        stream.enqueue(Buffer.from(chunk({ content: "one " })));
        signal.addEventListener("abort", () => stream.error(signal.reason));
      },
    });
  const rig = chatRig(
    ({ signal }) => {
      const [message] = says;
      says = says.slice(1);
      return message === undefined ? new Response(endless(signal), { headers: eventStream }) : completion(message);
    },
    { observer: (report) => void reports.push(report) },
  );
  const contain = async () => rig.guard().context().services.containments.put(key(), order());
  return {
    ...{ ...rig, key, contain },
    async turn(messages: readonly Message[], message: object = well, named: Readonly<Record<string, string>> = {}) {
      says = [message];
      return rig.ask(messages, {}, named);
    },
    async endedInMidTurn(messages: readonly Message[], message: object) {
      says = [message];
      const before = rig.asked.length;
      const response = rig.begin(messages);
      await vi.waitFor(() => expect(rig.asked.length).toBe(before + 2));
      await contain();
      return (await response).text();
    },
    async ended(messages: readonly Message[]) {
      const response = await rig.begin(messages, { stream: true });
      await contain();
      return response.text();
    },
  };
}

const history = (turns: number) => [...longOpening, ...walk(0, turns)];

const named = { "x-unloop-session": "run-1" };
it("a session that an operator has ended passes nothing on of a body with too many parts to be read, where its headers name it", async () => {
  const messages = [{ ...user("go"), parts: Array(300_000).fill([]) }];
  const rig = rigOfOperator();
  await rig.turn([user("go")], well, named);
  await rig.contain();
  const before = rig.asked.length;
  const ended = await rig.turn(messages, well, named);
  expect([ended.status, ended.headers.get("x-unloop-verdict")]).toEqual([403, "contained"]);
  expect(rig.asked.length).toBe(before);
  expect((await rig.turn(messages)).headers.get("x-unloop-verdict")).toBe("unguarded");
});

describe("an exchange that an operator ends", () => {
  it("gives its reader nothing of what was kept back, where the model was being asked again", async () => {
    const rig = rigOfOperator();
    const rounds = (count: number) => [...longOpening, ...repeated(count, () => [call(1), result(1)])];
    await rig.turn(rounds(1), call(1));
    const text = await rig.endedInMidTurn(rounds(2), call(1));
    expect(text).toContain("stopped by an operator");
    expect(text).not.toContain("read");
    const last = () => rig.logged.findLast(({ event }) => event === "exchange");
    await vi.waitFor(() => expect(last()).toMatchObject({ verdict: "contained" }));
  });

  it("is journaled with who ended it, under the name that its session had before a summary", async () => {
    const rig = rigOfOperator();
    // Names that no other run has: by them a shortened history is found again.
    const page = (i: number) => `7e3f91ab5c2d0${i}`;
    const pages = (to: number) => repeated(to, (i) => [call(page(i)), result(page(i))]);
    for (let i = 0; i < 4; i++) await rig.turn([...longOpening, ...pages(i)], call(page(i)));
    const key = rig.key();
    const summary = [user("This is what was done so far. Go on."), call(page(3)), result(page(3))];
    await rig.ended([...longOpening.slice(0, 1), ...summary]);
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
    const rig = rigOfOperator();
    for (let i = 0; i < turns; i++) await rig.turn(history(i), call(i));
    const { reason: _, ...withoutReason } = order();
    // As another process has written it.
    await rig.stores.directives.put(`contain:${rig.key()}`, JSON.stringify(withoutReason), 60_000);
    await rig.guard().refresh();
    const before = rig.asked.length;
    const response = await rig.turn(history(turns));
    expect(response.headers.get("x-unloop-verdict")).toBe("contained");
    expect(rig.asked).toHaveLength(before);
  },
);
