import { expect, it } from "vitest";
import { unloop, webTransport } from "../../../src/index.ts";
import { literalPatterns, madePatterns, partsOf } from "../../support/checks/patterns.ts";
import { readSources } from "../../support/checks/sources.ts";
import { chatCompletionsWire } from "../../support/wires/chat-completions.ts";
import { geminiStreamWire } from "../../support/wires/gemini.ts";
import { messagesWire } from "../../support/wires/messages.ts";
import { ollamaWire } from "../../support/wires/ollama.ts";
import { responsesWire } from "../../support/wires/responses.ts";
import type { Said, Wire } from "../../support/wires/wire.ts";

/* Every place of a request where a stranger can put a text: what the guard does with it grows no faster than the text. `npm run bench -- attacks` searches for dearer ones. */

const SMALL = 65_536;
/** Less than this is no attack, and too little to measure. In ms of CPU. */
const HARMLESS_MS = 60;
/** For four times the text: work in line with it is 4 times as much, with its square 16 times. */
const FACTOR = 4 ** 1.5;

const slots = [
  ...["system", "opening", "heard", "assistant", "tool", "arguments", "result", "id", "description", "property"],
  ...["format", "acting", "observed", "metadata", "header", "answer"],
] as const;

function asking(wire: Wire, slot: string, text: string, turns: number) {
  const put = (name: string, otherwise: string, i = 0) => (name !== slot ? otherwise : `${i} ${text}`);
  const acts = slot === "acting" || slot === "observed";
  const turn = (i: number): readonly Said[] => {
    if (acts)
      return [
        { who: "assistant", text: put("acting", "Thought: I look.\nAction: search\nAction Input: Paris", i) },
        { who: "user", text: put("observed", "Observation: nothing found", i) },
      ];
    const id = `${put("id", "call", i)}_${i}`;
    const args = JSON.stringify({ q: put("arguments", "Paris", i) });
    return [
      { who: "assistant", text: put("assistant", "I look.", i), calls: [{ id, tool: put("tool", "search", i), args }] },
      { who: "tool", id, text: put("result", "no such file or directory", i) },
    ];
  };
  const said = Array.from({ length: turns }, (_, i) => turn(i)).flat();
  const q = { type: "string", description: put("description", "what"), enum: [put("property", "a")] };
  const schema = { type: "object", properties: { [text]: { type: "string", enum: [text] } }, required: [text] };
  const body = wire.body({
    system: put("system", "Be brief."),
    said: [
      { who: "user", text: put("opening", "Find the weather.") },
      ...said,
      { who: "user", text: put("heard", "") },
    ],
    ...(!acts && { tools: [{ name: put("tool", "search"), properties: { q } }] }),
    ...(slot === "format" && { schema }),
  });
  // As much as a server takes.
  const header = text.slice(0, 8_000).replace(/[^\x21-\x7e]/g, "x");
  const metadata = { user: text, metadata: { user_id: `user_${text}` }, labels: { user_id: text } };
  return {
    body: JSON.stringify({ ...body, ...(slot === "metadata" && metadata) }),
    fields: slot === "header" ? { "x-session-id": header, cookie: header, "user-agent": header } : {},
  };
}

let pieces: readonly (string | Uint8Array)[] = [];
let requests = 0;
const app = unloop({
  upstream: "http://model.example",
  transport: webTransport({
    fetch: async () =>
      new Response(Buffer.concat(pieces.map((piece) => Buffer.from(piece))), { headers: answerFields }),
  }),
});
let answerFields: Record<string, string> = {};

async function costOf(wire: Wire, slot: string, unit: string, turns: number, size: number): Promise<number> {
  const length = Math.floor(size / turns);
  const text = unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
  const { body, fields } = asking(wire, slot, text, turns);
  const answer = wire.rendered(
    { kind: "text", text: slot === "answer" ? "HERE" : "ok" },
    wire.view(JSON.parse(body)),
    () => "1",
  );
  const quoted = JSON.stringify(text).slice(1, -1);
  pieces = answer.pieces.map((piece) => String(piece).replaceAll("HERE", () => quoted));
  answerFields = { ...answer.fields };
  // Each is a run of its own.
  const headers = {
    "content-type": "application/json",
    ...wire.fields,
    ...fields,
    authorization: `Bearer ${requests++}`,
  };
  const before = process.cpuUsage();
  const response = await app.request(`http://guard.example${wire.path}`, { method: "POST", headers, body });
  await response.arrayBuffer();
  const { user, system } = process.cpuUsage(before);
  expect(response.headers.get("x-unloop-verdict")).not.toBe("unguarded");
  return (user + system) / 1_000;
}

async function growsTooFast(...asked: readonly [wire: Wire, slot: string, unit: string, turns: number]) {
  let large = await costOf(...asked, 4 * SMALL);
  for (let tries = 1; tries < 5 && large > HARMLESS_MS; tries++) {
    large = Math.min(large, await costOf(...asked, 4 * SMALL));
    if (large <= FACTOR * Math.max(await costOf(...asked, SMALL), HARMLESS_MS / FACTOR)) return false;
  }
  return large > HARMLESS_MS;
}

const files = readSources().map(({ file }) => file);
const patterns = [
  ...literalPatterns(files, new URL("../../../src", import.meta.url).pathname),
  ...(await madePatterns(files)),
];
const units = [
  ...[..." \t\n-_.,:;\"'`#*|/\\<>(){}[]aA1%é。あ漢한\u200b", "\n\n \n", '{"a":', "[1,", "</a><", "1. x\n", "```\n"],
  ...["Action: a\nAction Input: b\n", "Observation: a\n", "[unloop] ", "2026-11-23T10:00:00Z ", "deadbeef0123456789 "],
  ...patterns.map(({ pattern }) => partsOf(pattern).join("")).filter((unit) => unit !== ""),
];
const wires = [chatCompletionsWire, responsesWire, messagesWire, geminiStreamWire, ollamaWire];

it.each(
  wires.flatMap((wire, w) =>
    slots.map((slot, s) => ({ name: wire.name, wire, slot, from: (w * slots.length + s) * 3 })),
  ),
)("a request of $name costs no more than in line with a text in its place $slot", async ({ wire, slot, from }) => {
  expect(units.length).toBeGreaterThan(200);
  for (let i = from; i < from + 3; i++) {
    const unit = units[i % units.length] ?? " ";
    expect(await growsTooFast(wire, slot, unit, [1, 4, 64][i % 3] ?? 1), unit).toBe(false);
  }
});
