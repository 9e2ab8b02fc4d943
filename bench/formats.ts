import { parseArgs } from "node:util";
import { noMeter } from "../src/evaluation/evaluation.ts";
import { type Guard, guardOf, webTransport } from "../src/index.ts";
import { guardApp } from "../src/proxy/proxy.ts";
import { chatCompletionsWire } from "../test/support/wires/chat-completions.ts";
import { geminiArrayWire, geminiStreamWire, geminiWire, withoutIds } from "../test/support/wires/gemini.ts";
import { messagesWire } from "../test/support/wires/messages.ts";
import { ollamaWire, ollamaWireWithIds } from "../test/support/wires/ollama.ts";
import { responsesWire } from "../test/support/wires/responses.ts";
import type { Said, Wire } from "../test/support/wires/wire.ts";
import { median } from "./load/statistics.ts";

/**
 * CPU of a guarded exchange by wire format, over that of the same exchange with the guard off, and beside chat completions: healthy
 * runs of calls, in this process and without sockets, so that what is compared is reading and judging alone.
 * `--rounds` of which the medians are taken (7); `--runs` in a round (10); `--turns` of a run (20).
 */
const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "7" },
    runs: { type: "string", default: "10" },
    turns: { type: "string", default: "20" },
  },
});

interface Played {
  readonly name: string;
  readonly wire: Wire;
  readonly streams: boolean;
}

const both = (name: string, wire: Wire): readonly Played[] => [
  { name: `${name}, JSON`, wire, streams: false },
  { name: `${name}, streamed`, wire, streams: true },
];
const formats: readonly Played[] = [
  ...both("chat completions", chatCompletionsWire),
  ...both("Responses", responsesWire),
  ...both("Messages", messagesWire),
  { name: "Gemini, JSON", wire: geminiWire, streams: false },
  { name: "Gemini, streamed", wire: geminiStreamWire, streams: true },
  { name: "Gemini, streamed as an array", wire: geminiArrayWire, streams: true },
  { name: "Gemini without ids and signatures, JSON", wire: withoutSignatures(withoutIds(geminiWire)), streams: false },
  ...both("Ollama with ids", ollamaWireWithIds),
  ...both("Ollama", ollamaWire),
];

function withoutSignatures(wire: Wire): Wire {
  return {
    ...wire,
    rendered(answer, view, nextId) {
      const rendered = wire.rendered(answer, view, nextId);
      return {
        ...rendered,
        pieces: rendered.pieces.map((piece) => String(piece).replace(/,\s*"thoughtSignature":\s*"[^"]*"/g, "")),
      };
    },
  };
}

/** One exchange as it goes over the wire. */
interface Recorded {
  readonly body: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly answer: string;
}

const LINES = "The harbour office keeps its tide tables in the second drawer, sorted by year and pier. ".repeat(8);
const TURNS = Number(values.turns);
let ids = 0;

/** A run of different calls, none of whose bytes were sent before. */
function recordedRun({ wire, streams }: Played): readonly Recorded[] {
  ids += 1;
  const run = ids;
  const said: Said[] = [{ who: "user", text: `Put the tables of office ${run} in order.` }];
  return Array.from({ length: TURNS }, (_, turn) => {
    const asking = {
      system: "You are a helpful assistant.",
      tools: [{ name: "search", properties: { q: { type: "string" } } }],
    };
    const body = wire.body({ ...asking, said, stream: streams });
    const args = JSON.stringify({ q: `office-${run}/part-${turn}.md` });
    const call = { kind: "calls", text: `I read part ${turn}.`, calls: [{ tool: "search", args }] } as const;
    const { fields, pieces } = wire.rendered(call, wire.view(body), () => `${Math.random()}`.slice(2));
    const answer = pieces.join("");
    const heard = wire.heard(answer, fields["content-type"] ?? "");
    said.push({ who: "heard", entries: heard.entries });
    for (const { id } of heard.calls)
      said.push({ who: "tool", id, text: `Part ${turn} of office ${run}. ${LINES}${turn}` });
    return { body: JSON.stringify(body), fields, answer };
  });
}

function guarded(mode: "enforce" | "off") {
  let upcoming: Recorded | undefined;
  const reads = { tail: 0, whole: 0, partly: 0, unread: 0 };
  const transport = webTransport({
    fetch: async () => new Response(upcoming?.answer ?? "", { headers: { ...upcoming?.fields } }),
  });
  const meter = { ...noMeter, exchange: (...[, , , read]: Parameters<typeof noMeter.exchange>) => void reads[read]++ };
  const guard: Guard = guardOf({ upstream: "http://upstream.invalid", transport, mode, meter });
  const app = guardApp(guard, transport);
  const play = async (path: string, recorded: Recorded, credentials: Readonly<Record<string, string>>) => {
    upcoming = recorded;
    const headers = { "content-type": "application/json", ...credentials };
    const response = await app.request(path, { method: "POST", headers, body: recorded.body });
    await response.arrayBuffer();
  };
  return { play, reads };
}

/** Milliseconds of CPU of an exchange, and how much of them were read whole. */
async function cpuOf(played: Played, mode: "enforce" | "off", runs: readonly (readonly Recorded[])[]) {
  const { play, reads } = guarded(mode);
  const { wire } = played;
  const begun = process.cpuUsage();
  for (const run of runs) for (const recorded of run) await play(wire.path, recorded, wire.fields);
  const { user, system } = process.cpuUsage(begun);
  const exchanges = runs.length * TURNS;
  return { ms: (user + system) / 1_000 / exchanges, whole: reads.whole / exchanges };
}

const samples = formats.map(() => ({ added: [] as number[], whole: 0, bytes: 0 }));
// The first round warms up.
for (let round = 0; round <= Number(values.rounds); round++) {
  for (const [at, played] of formats.entries()) {
    const runs = Array.from({ length: Number(values.runs) }, () => recordedRun(played));
    const off = await cpuOf(played, "off", runs);
    const on = await cpuOf(played, "enforce", runs);
    const sample = samples[at];
    if (round === 0 || sample === undefined) continue;
    sample.added.push(on.ms - off.ms);
    sample.whole = on.whole;
    sample.bytes = runs[0]?.at(-1)?.body.length ?? 0;
  }
}

console.log(`| format | added CPU, ms | beside chat completions | read whole | last body, KB |\n|---|---|---|---|---|`);
for (const [at, { name, streams }] of formats.entries()) {
  const { added = [], whole = 0, bytes = 0 } = samples[at] ?? {};
  const reference = samples[streams ? 1 : 0]?.added ?? [];
  const ratio = median(added.map((ms, round) => ms / (reference[round] ?? Number.NaN)));
  console.log(
    `| ${name} | ${median(added).toFixed(2)} | ${ratio.toFixed(2)} | ${(100 * whole).toFixed(0)} % | ${(bytes / 1024).toFixed(0)} |`,
  );
}
process.exit(0);
