import { describe, expect, it, vi } from "vitest";
import type { ScriptedAnswer, ScriptedCall } from "../support/wires/scripted-answer.ts";
import { finalText } from "../support/agents/scripts.ts";
import type { Script } from "../support/servers/upstream.ts";
import type { Wire } from "../support/wires/wire.ts";
import { searchTool, sendTool, wireAgent, type WireTurn } from "../support/agents/wire-agent.ts";
import { verdictsOf, guardRig, standard } from "../proxy/guard-rig.ts";
import { rowsFor } from "./protocol-requests.ts";

const args = JSON.stringify({ text: "The database is healthy." });
const sending: ScriptedAnswer = { kind: "calls", calls: [{ tool: "send_message", args }] };
const sayingSo: ScriptedAnswer = { ...sending, text: "I will tell them." };
const resting: ScriptedAnswer = { kind: "text", text: finalText };

/** Clients may begin a line with each of several texts. */
function inParagraphs(turn: WireTurn | undefined): string | undefined {
  return turn?.heard.text.replace(/\n{3,}/, "\n\n");
}

export function answerStories(wire: Wire, stream: boolean): void {
  async function intercepted(answers: readonly ScriptedAnswer[], turns = 2, schema?: object) {
    const rig = await guardRig((_, index) => [sending, ...answers][index] ?? resting, { policy: standard() }, wire);
    const asking = { stream, tools: [sendTool], ...(schema && { schema }) };
    const agent = wireAgent(wire, { ...rig, ...asking, result: () => "Sent." });
    return { rig, turns: await agent.turns(turns) };
  }

  it("its client never gets the calls, and the model is asked again and told why", async () => {
    const { turns, rig } = await intercepted([sending, resting]);
    expect(verdictsOf(turns)).toEqual(["ok", "nudge"]);
    expect(turns[1]?.heard).toMatchObject({ text: finalText, calls: [] });
    expect(rig.upstream.requests.map(({ bytes }) => String(bytes).includes("[unloop]"))).toEqual([false, false, true]);
    expect(String(turns[1]?.received[0]?.bytes)).toBe(turns[1]?.sent);
  });

  it("both answers make one valid answer, words before the calls included, and what both have used is counted together", async () => {
    const { turns, rig } = await intercepted([sayingSo, resting]);
    expect(inParagraphs(turns[1])).toBe(stream ? `I will tell them.\n\n${finalText}` : finalText);
    expect(turns[1]?.heard.calls).toEqual([]);
    const own = rig.upstream.requests
      .slice(1)
      .map(({ answer, answerType }) => wire.heard(String(answer), answerType).usage);
    const sum = (of: "input" | "output") => own.reduce((total, usage) => total + (usage?.[of] ?? 0), 0);
    expect(turns[1]?.heard.usage).toEqual({ input: sum("input"), output: sum("output") });
  });

  it.runIf(stream)("what its reader has, a second answer that says it once more does not repeat", async () => {
    const second = { kind: "text", text: "I will tell them. They know by now." } as const;
    const { turns } = await intercepted([sayingSo, second]);
    expect(inParagraphs(turns[1])).toBe("I will tell them.\n\nThey know by now.");
  });

  describe("an answer that has to be JSON", () => {
    const schema = { type: "object", properties: { answer: { type: "string" } }, required: ["answer"] };
    const inForm: ScriptedAnswer = { kind: "text", text: '{"answer":"They know already."}' };
    const nearly: ScriptedAnswer = {
      kind: "calls",
      text: '{"answer":"Yes."}',
      calls: [{ tool: "send_message", args }],
    };

    it.each(rowsFor(wire, [sayingSo, nearly]))(
      "is not spoiled by what was said before the calls ($text)",
      async (first) => {
        const { turns } = await intercepted([first, inForm], 2, schema);
        expect(turns[1]?.heard).toMatchObject({ text: inForm.text, calls: [] });
        expect(verdictsOf(turns)).toEqual(["ok", "nudge"]);
      },
    );

    it("is one text where the guard ends the run", async () => {
      const { turns } = await intercepted([sayingSo, sending, sayingSo, sending, sending], 3, schema);
      expect(verdictsOf(turns)).toEqual(["ok", "nudge", "short-circuit"]);
      expect(JSON.parse(turns[2]?.heard.text ?? "")).toEqual({ answer: expect.stringContaining("going in circles") });
    });

    it("comes as it is where it completes no loop, words before other calls included", async () => {
      const other: ScriptedAnswer = { kind: "calls", text: "I look.", calls: [{ tool: "search", args: '{"q":"x"}' }] };
      const { turns } = await intercepted([other, inForm], 3, schema);
      expect(turns.map(({ text }) => text)).toEqual(turns.map((turn) => String(turn.received[0]?.answer)));
    });
  });

  it("a model that does it again and again is ended here, in one valid answer", async () => {
    const { turns } = await intercepted([sayingSo, sending, sayingSo, sending, sending], 3);
    // Words go through at once, and with them the head.
    expect(verdictsOf(turns)).toEqual(stream ? ["ok", "ok", "ok"] : ["ok", "nudge", "short-circuit"]);
    expect(turns[2]?.heard.calls).toEqual([]);
    expect(turns[2]?.heard.text).toContain("going in circles");
  });

  it.each<{ name: string; second: ScriptedAnswer }>([
    { name: "an error", second: { kind: "error", status: 500, message: "No." } },
    { name: "nothing", second: { kind: "raw", status: 200, fields: {}, pieces: [], ending: "cut" } },
  ])("where asking again brings $name, the first answer is delivered as it was", async ({ second }) => {
    const { turns } = await intercepted([sayingSo, second]);
    expect(turns[1]?.text).toBe(String(turns[1]?.received[0]?.answer));
    expect(turns[1]?.heard.calls).toHaveLength(1);
  });

  it.runIf(stream && wire.keepAlive !== undefined)(
    "what keeps the connection alive comes through while the calls are held, and who leaves then ends the request upstream",
    async () => {
      const beating: Script = (request, index) => {
        if (index !== 1) return index === 0 ? sending : resting;
        const { pieces, ...answer } = wire.rendered(sayingSo, request.view, () => "1");
        const held = pieces.findIndex((piece) => String(piece).includes("send_message"));
        return { ...answer, pieces: [...pieces.slice(0, held + 1), wire.keepAlive ?? ""], ending: "hang" };
      };
      const rig = await guardRig(beating, { policy: standard() }, wire);
      const agent = wireAgent(wire, { ...rig, stream, tools: [sendTool], result: () => "Sent." });
      await agent.turn();
      const leave = new AbortController();
      const response = await fetch(rig.url + wire.path, {
        method: "POST",
        headers: wire.fields,
        body: agent.body(),
        signal: leave.signal,
      });
      const decoder = new TextDecoder();
      let got = "";
      for await (const bytes of response.body ?? []) {
        got += decoder.decode(bytes);
        if (got.includes(wire.keepAlive ?? "")) break;
      }
      leave.abort();
      expect(got).not.toContain("send_message");
      await vi.waitFor(() => expect(rig.upstream.requests[1]?.aborted).toBe(true));
      const left = expect.objectContaining({ event: "exchange", broke: "client_gone", verdict: "ok" });
      await vi.waitFor(() => expect(rig.logged).toContainEqual(left));
    },
  );

  describe.runIf(stream)("a flood of calls in one answer", () => {
    const look = (q: string): ScriptedCall => ({ tool: "search", args: JSON.stringify({ q, limit: 5 }) });
    const send = { tool: "send_message", args };
    const many = <One>(count: number, one: (i: number) => One): One[] =>
      Array.from({ length: count }, (_, i) => one(i));
    async function heardOf(calls: readonly ScriptedCall[], text = "") {
      const answer: ScriptedAnswer = { kind: "calls", calls, ...(text && { text }) };
      const rig = await guardRig(() => answer, { policy: standard() }, wire);
      const [turn] = await wireAgent(wire, { ...rig, stream, tools: [searchTool, sendTool] }).turns(1);
      return { heard: turn?.heard, isAsItCame: turn?.text === String(turn?.received[0]?.answer) };
    }
    const told = (calls: readonly ScriptedCall[] = []) => calls.map(({ tool, args }) => [tool, JSON.parse(args)]);

    type Flood = readonly [name: string, calls: readonly ScriptedCall[], few: number, text: string];
    it.each(
      rowsFor<Flood>(wire, [
        ["of one call", many(60, () => send), 5, ""],
        ["of one call, with a word before it", many(7, () => look("port")), 5, "I look."],
        ["of six in turn", many(100, (i) => look("abcdef"[i % 6] ?? "")), 25, ""],
        ["of two in turn", many(40, (i) => (i % 2 ? send : look("port"))), 9, ""],
        ["of a few in no order", many(90, (i) => look(`${(i * i) % 7}`)), 16, ""],
        ["behind a batch", [...many(4, (i) => look(`file ${i}`)), ...many(30, () => look("again"))], 10, ""],
      ]),
    )("%s is cut off: the agent gets the few calls so far, to be carried out", async (_, calls, few, text) => {
      const { heard } = await heardOf(calls, text);
      expect(told(heard?.calls)).toEqual(told(calls.slice(0, few)));
      expect([heard?.text, heard?.finish]).toEqual([text, (await heardOf([send])).heard?.finish]);
    });

    it.each(
      rowsFor<readonly [string, readonly ScriptedCall[]]>(wire, [
        ["60 different calls", many(60, (i) => look(`file ${i}`))],
        ["the same call four times", many(4, () => send)],
        ["a wait between each two looks", many(30, (i) => (i % 2 ? look("") : look(`file ${i}`)))],
        ["each of ten calls twice", many(20, (i) => look(`file ${i % 10}`))],
      ]),
    )("%s is none", async (_, calls) => expect((await heardOf(calls)).isAsItCame).toBe(true));
  });
}
