import jsonPatch from "fast-json-patch";
import { beforeEach, describe, expect, it } from "vitest";
import { chatCompletionsWire } from "../support/wires/chat-completions.ts";
import { responsesWire } from "../support/wires/responses.ts";
import type { Said, Wire } from "../support/wires/wire.ts";
import { searchTool } from "../support/agents/wire-agent.ts";
import { apiRig } from "./api-rig.ts";

const outcome = "Rain in the morning, sun after noon.";

/** A history of equal turns. */
function looped(turns: number, args = '{"q":"Paris"}'): readonly Said[] {
  return [
    { who: "user", text: "What is the weather in Paris?" },
    ...Array.from({ length: turns }, (_, i): readonly Said[] => [
      { who: "assistant", calls: [{ id: `call_${i}`, tool: "search", args }] },
      { who: "tool", id: `call_${i}`, text: outcome },
    ]).flat(),
  ];
}

const requestIn = (wire: Wire, said: readonly Said[], tools = [searchTool]): object =>
  wire.body({ system: "You help.", said, tools });
const chat = (turns: number) => requestIn(chatCompletionsWire, looped(turns));
const patched = (request: object, edits: readonly jsonPatch.Operation[]) =>
  jsonPatch.applyPatch(structuredClone(request), edits, true).newDocument;

let rig: Awaited<ReturnType<typeof apiRig>>;
beforeEach(async () => {
  rig = await apiRig();
});

describe.each([chatCompletionsWire, responsesWire])("decide, in $name", (wire) => {
  it("says of the history alone what the proxy would do, and edits nothing else", async () => {
    for (const [turns, verdict] of [
      [2, "ok"],
      [3, "nudge"],
      [5, "force-done"],
    ] as const) {
      const request = requestIn(wire, looped(turns));
      const { body } = await rig.call("decide", { body: { request } });
      expect(body).toMatchObject({ verdict, wire: wire.name, steps: turns, respond: null, source: "derived" });
      const [before, after] = [wire.view(request), wire.view(patched(request, body.edits))];
      if (verdict === "ok") expect(body).toMatchObject({ edits: [], rung: null, note: null });
      else {
        expect(body).toMatchObject({ rung: verdict, detector: "repeated-call", count: turns, tools: ["search"] });
        expect(body.note).not.toContain("Paris");
        expect(after.texts.at(-1)).toContain("[unloop]");
        const changed = after.texts.filter((text, at) => text !== before.texts[at]);
        expect(changed.every((text) => text.includes("[unloop]"))).toBe(true);
        expect(changed).toHaveLength(turns === 3 ? 1 : 2);
      }
      expect(after.forced).toBe(verdict === "force-done" ? "none" : undefined);
    }
    expect((await rig.call("listSessions")).body.sessions).toEqual([]);
    expect(rig.upstream.requests).toEqual([]);
  });
});

describe("decide", () => {
  it("knows a session though its history is short, and operators see it", async () => {
    const verdicts: string[] = [];
    for (let turn = 0; turn < 4; turn += 1) {
      const said: readonly Said[] = [
        { who: "user", text: "What is the weather in Paris?" },
        { who: "assistant", calls: [{ id: `call_${turn}`, tool: "search", args: '{"q":"Paris"}' }] },
        { who: "tool", id: `call_${turn}`, text: outcome },
      ];
      const body = { request: requestIn(chatCompletionsWire, said), session: "a-run" };
      verdicts.push((await rig.call("decide", { body })).body.verdict);
    }
    expect(verdicts).toEqual(["ok", "ok", "nudge", "ok"]);
    const { body } = await rig.call("listSessions");
    expect(body.sessions).toMatchObject([{ name: "a-run", requests: 4, steps: 4, interventions: { nudge: 1 } }]);
    expect((await rig.call("readJournal", { query: { type: "intervention" } })).body.entries).toMatchObject([
      { name: "a-run", rung: "nudge" },
    ]);
    expect(JSON.stringify((await rig.call("readSession", { id: body.sessions[0].id })).body)).not.toContain("Paris");
  });

  it("judges by the policy that is asked for, and in observe mode says what it would do, and no more", async () => {
    const policy = { extends: "default", name: "stricter", ladders: { "repeated-call": { nudge: 2 } } };
    expect((await rig.call("decide", { body: { request: chat(2), policy } })).body.verdict).toBe("nudge");
    const { body } = await rig.call("decide", { body: { request: chat(3), mode: "observe" } });
    expect(body).toMatchObject({ verdict: "observe:nudge", rung: "nudge", edits: [], mode: "observe" });
  });

  it("refuses what it cannot use, and says what and how", async () => {
    const rows = [
      { body: { request: { prompt: "Hello." } }, says: /needs "messages".*or "input"/ },
      { body: { request: { messages: [] } }, says: /at least one message/ },
      { body: { request: chat(1), wire: "responses" }, says: /cannot be read as responses/ },
      { body: { request: chat(1), policy: { ladders: 5 } }, says: /ladders/ },
      { body: { request: chat(1), policy: "nope" }, says: /GET \/unloop\/api\/status/ },
      { body: { request: chat(1), answer: {} }, says: /answer cannot be read as an answer of chat-completions/ },
    ];
    for (const { body, says } of rows) {
      const refused = await rig.call("decide", { body });
      expect([400, 404]).toContain(refused.status);
      expect(refused.body.error.message).toMatch(says);
    }
  });

  it("refuses what is nested too deeply to be written again", async () => {
    const nest = "[".repeat(50_000) + "]".repeat(50_000);
    const deep = `{"messages":[{"role":"user","content":"a"}],"metadata":${nest}}`;
    const headers = { "content-type": "application/json" };
    for (const body of [`{"request":${deep}}`, `{"request":${JSON.stringify(chat(1))},"answer":${deep}}`]) {
      const answer = await fetch(`${rig.url}/unloop/api/decide`, { method: "POST", headers, body });
      expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining("nested too deeply")]);
    }
  });

  it("never fails, whatever stands anywhere", async () => {
    const odd: readonly unknown[] = [null, 5, "", "x", [], [null], {}, { type: "odd" }, true];
    const whole = { request: chat(3), session: "odd", headers: { a: "b" }, tenant: "t", reasked: ["nudge"] };
    const statuses = new Set<number>();
    for (const name of [...Object.keys(whole), "answer", "policy", "mode", "wire", "path"])
      for (const value of odd) statuses.add((await rig.call("decide", { body: { ...whole, [name]: value } })).status);
    for (const name of ["messages", "tools", "model", "tool_choice", "response_format"])
      for (const value of odd) {
        const body = { ...whole, request: { ...whole.request, [name]: value } };
        statuses.add((await rig.call("decide", { body })).status);
      }
    expect([...statuses].sort()).toEqual([200, 400, 404]);
  });
});

describe("a request of which the reading costs more than it may", () => {
  /** Texts of nothing but labels, which cost most. */
  const dear = { role: "assistant", content: "\n\n#Thought:".repeat(200) };
  const messages = [{ role: "user", content: "go" }, ...Array.from({ length: 1_500 }, () => dear)];
  const request = { model: "m", messages };

  it("is to be sent as it came", async () => {
    for (const session of [undefined, "dear"]) {
      const { status, body } = await rig.call("decide", { body: { request, session } });
      expect([status, body]).toMatchObject([200, { verdict: "unguarded", edits: [], respond: null }]);
    }
  });

  it("ends all the same where an operator has contained its session", async () => {
    const ask = (sent: object) =>
      fetch(`${rig.url}/v1/chat/completions`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-unloop-session": "dear" },
        body: JSON.stringify(sent),
      });
    await (await ask({ ...request, messages: messages.slice(0, 1) })).text();
    const listed = async () => (await rig.call("listSessions")).body.sessions[0];
    await expect.poll(listed).toBeDefined();
    const { id } = await listed();
    await rig.call("containSession", { id, body: { reason: "enough" } });
    const answer = await ask(request);
    expect(answer.headers.get("x-unloop-verdict")).toBe("contained");
    expect(await answer.text()).toContain("enough");
    expect(rig.upstream.requests).toHaveLength(1);
    const { body } = await rig.call("decide", { body: { request, session: "dear" } });
    expect(body).toMatchObject({ verdict: "contained", respond: { status: 200 } });
  });
});
