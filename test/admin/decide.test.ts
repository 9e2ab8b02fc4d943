import jsonPatch from "fast-json-patch";
import { beforeEach, describe, expect, it } from "vitest";
import { searchTool, sendTool } from "../support/agents/wire-agent.ts";
import { chatCompletionsWire } from "../support/wires/chat-completions.ts";
import { geminiWire } from "../support/wires/gemini.ts";
import { responsesWire } from "../support/wires/responses.ts";
import type { ScriptedAnswer } from "../support/wires/scripted-answer.ts";
import type { Said, Wire } from "../support/wires/wire.ts";
import { post } from "../proxy/guard-rig.ts";
import { apiRig } from "./api-rig.ts";

function requestOf(turns: number, wire: Wire = chatCompletionsWire, id = "call"): object {
  const laps = Array.from({ length: turns }, (_, i): readonly Said[] => [
    { who: "assistant", calls: [{ id: `${id}_${i}`, tool: "search", args: '{"q":"Paris"}' }] },
    { who: "tool", id: `${id}_${i}`, text: "Rain in the morning, sun after noon." },
  ]);
  const said: readonly Said[] = [{ who: "user", text: "What is the weather in Paris?" }, ...laps.flat()];
  return wire.body({ system: "You help.", said, tools: [searchTool] });
}

let rig: Awaited<ReturnType<typeof apiRig>>;
beforeEach(async () => {
  rig = await apiRig();
});
const decide = (body: object) => rig.call("decide", { body });

it.each([chatCompletionsWire, responsesWire])(
  "decide says of the history alone what the proxy would do, and edits nothing else ($name)",
  async (wire) => {
    for (const [turns, verdict] of [
      [2, "ok"],
      [3, "nudge"],
      [5, "force-done"],
    ] as const) {
      const request = requestOf(turns, wire);
      const { body } = await decide({ request });
      expect(body).toMatchObject({ verdict, wire: wire.name, steps: turns, respond: null, source: "derived" });
      const patched = jsonPatch.applyPatch(structuredClone(request), body.edits, true).newDocument;
      const [before, after] = [wire.view(request), wire.view(patched)];
      const changed = after.texts.filter((text, at) => text !== before.texts[at]);
      if (verdict === "ok") expect(body).toMatchObject({ edits: [], rung: null, note: null });
      else {
        expect(body).toMatchObject({ rung: verdict, detector: "repeated-call", count: turns, tools: ["search"] });
        expect(body.note).not.toContain("Paris");
        expect(after.texts.at(-1)).toContain("[unloop]");
        expect(changed.every((text) => text.includes("[unloop]"))).toBe(true);
        expect(changed).toHaveLength(turns === 3 ? 1 : 2);
      }
      expect(after.forced).toBe(verdict === "force-done" ? "none" : undefined);
    }
    expect((await rig.call("listSessions")).body.sessions).toEqual([]);
    expect(rig.upstream.requests).toEqual([]);
  },
);

it.each([chatCompletionsWire, geminiWire])(
  "decide wants another answer in place of one that would complete a loop, takes that, or ends the run ($name)",
  async (wire) => {
    const message = { tool: "send_message", args: '{"text":"The database is healthy."}' };
    const sending = { kind: "calls", calls: [message] } as const;
    const respond = { status: 200, body: expect.stringContaining("circles") };
    for (const [sent, second, comes] of [
      [1, { kind: "text", text: "They know." }, { rung: null, respond: null }],
      [2, sending, { verdict: "short-circuit", respond }],
    ] as const) {
      const laps = Array.from({ length: sent }, (_, i): readonly Said[] => [
        { who: "assistant", calls: [{ ...message, id: `call_${i}` }] },
        { who: "tool", id: `call_${i}`, text: "Sent." },
      ]);
      const request = wire.body({ said: [{ who: "user", text: "Tell the team." }, ...laps.flat()], tools: [sendTool] });
      const answered = async (scripted: ScriptedAnswer, id: string, ...reasked: readonly string[]) => {
        const { pieces } = wire.rendered(scripted, wire.view(request), () => id);
        const answer: unknown = JSON.parse(pieces.map(String).join(""));
        return (await decide({ request, wire: wire.name, session: second.kind, answer, reasked })).body;
      };
      const first = await answered(sending, "first");
      expect(first).toMatchObject({ rung: expect.any(String), respond: null });
      expect(JSON.stringify(first.edits)).toContain("[unloop]");
      expect(await answered(second, "second", first.rung)).toMatchObject(comes);
    }
  },
);

describe("decide", () => {
  it("knows a session though its history is short, and operators see it", async () => {
    const verdicts: string[] = [];
    for (let turn = 0; turn < 4; turn += 1) {
      const request = requestOf(1, chatCompletionsWire, `of turn ${turn}`);
      verdicts.push((await decide({ request, session: "a-run" })).body.verdict);
    }
    expect(verdicts).toEqual(["ok", "ok", "nudge", "ok"]);
    const [{ id }] = await rig.sessions({ name: "a-run", requests: 4, steps: 4, interventions: { nudge: 1 } });
    const { body } = await rig.call("readJournal", { query: { type: "intervention" } });
    expect(body.entries).toMatchObject([{ name: "a-run", rung: "nudge" }]);
    expect(JSON.stringify((await rig.call("readSession", { id })).body)).not.toContain("Paris");
  });

  it("judges by the policy that is asked for, and in observe mode says what it would do, and no more", async () => {
    const policy = { extends: "default", name: "stricter", ladders: { "repeated-call": { nudge: 2 } } };
    expect((await decide({ request: requestOf(2), policy })).body.verdict).toBe("nudge");
    const { body } = await decide({ request: requestOf(3), mode: "observe" });
    expect(body).toMatchObject({ verdict: "observe:nudge", rung: "nudge", edits: [], mode: "observe" });
  });

  it("refuses what it cannot use, and says what and how", async () => {
    const request = requestOf(1);
    for (const [body, says] of [
      [{ request: { prompt: "Hello." } }, /needs "messages".*or "input"/],
      [{ request: { messages: [] } }, /at least one message/],
      [{ request, wire: "responses" }, /cannot be read as responses/],
      [{ request, policy: { ladders: 5 } }, /ladders/],
      [{ request, policy: "nope" }, /GET \/unloop\/api\/status/],
      [{ request, answer: {} }, /answer cannot be read as an answer of chat-completions/],
    ] as const) {
      const refused = await decide(body);
      expect([400, 404]).toContain(refused.status);
      expect(refused.body.error.message).toMatch(says);
    }
  });

  it("refuses what is nested too deeply to be written again", async () => {
    const nest = "[".repeat(50_000) + "]".repeat(50_000);
    const deep = `{"messages":[{"role":"user","content":"a"}],"metadata":${nest}}`;
    const headers = { "content-type": "application/json" };
    for (const body of [`{"request":${deep}}`, `{"request":${JSON.stringify(requestOf(1))},"answer":${deep}}`]) {
      const answer = await fetch(`${rig.url}/unloop/api/decide`, { method: "POST", headers, body });
      expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining("nested too deeply")]);
    }
  });

  it("never fails, whatever stands anywhere", async () => {
    const odd: readonly unknown[] = [null, 5, "", "x", [], [null], {}, { type: "odd" }, true];
    const whole = { request: requestOf(3), session: "odd", headers: { a: "b" }, tenant: "t", reasked: ["nudge"] };
    const inRequest = ["messages", "tools", "model", "tool_choice", "response_format"];
    const statuses = new Set<number>();
    for (const value of odd) {
      for (const name of [...Object.keys(whole), "answer", "policy", "mode", "wire", "path"])
        statuses.add((await decide({ ...whole, [name]: value })).status);
      for (const name of inRequest)
        statuses.add((await decide({ ...whole, request: { ...whole.request, [name]: value } })).status);
    }
    expect([...statuses].sort()).toEqual([200, 400, 404]);
  });
});

describe("a request of which the reading costs more than it may", () => {
  /** Texts of nothing but labels, which cost most. */
  const dear = { role: "assistant", content: "\n\n#Action:".repeat(200) };
  const messages = [{ role: "user", content: "go" }, ...Array.from({ length: 1_500 }, () => dear)];
  const request = { model: "m", messages };

  it("is to be sent as it came", async () => {
    for (const session of [undefined, "dear"]) {
      const { status, body } = await decide({ request, session });
      expect([status, body]).toMatchObject([200, { verdict: "unguarded", edits: [], respond: null }]);
    }
  });

  it("ends all the same where an operator has contained its session", async () => {
    const ask = (sent: object) => post(rig.url, JSON.stringify(sent), { "x-unloop-session": "dear" });
    await ask({ ...request, messages: messages.slice(0, 1) });
    const [{ id }] = await rig.sessions({ name: "dear" });
    await rig.call("containSession", { id, body: { reason: "enough" } });
    const { headers, text } = await ask(request);
    expect([headers.get("x-unloop-verdict"), text]).toEqual(["contained", expect.stringContaining("enough")]);
    expect(rig.upstream.requests).toHaveLength(1);
    const headersOf = { authorization: "Bearer sk-test" };
    const { body } = await decide({ request, session: "dear", headers: headersOf });
    expect(body).toMatchObject({ verdict: "contained", respond: { status: 200 } });
  });
});
