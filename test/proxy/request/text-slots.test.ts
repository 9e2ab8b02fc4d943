import { expect, it } from "vitest";
import { unloop, webTransport } from "../../../src/index.ts";
import { samples } from "../../fuzz/samples.ts";
import { literalPatterns, madePatterns, partsOf } from "../../support/checks/patterns.ts";
import { readSources } from "../../support/checks/sources.ts";

/* Every place of a request or an answer where a stranger can put a text: what the guard does with it grows no faster than the text. `npm run bench -- attacks` searches for dearer ones. */

const SMALL = 65_536;
/** Less than this is no attack, and too little to measure. In ms of CPU. */
const HARMLESS_MS = 60;
/** For four times the text: work in line with it is 4 times as much, with its square 16 times. */
const FACTOR = 4 ** 1.5;

interface Sent {
  readonly path: string;
  readonly request: string;
  readonly answer: string;
  readonly fields?: Readonly<Record<string, string>>;
}

let answering = "";
let sent = 0;
const headers = { "content-type": "application/json" };
const fetch = async () => new Response(answering, { headers });
const app = unloop({ upstream: "http://model.example", transport: webTransport({ fetch }) });

/** In ms of CPU; none where what was changed is not read. */
async function costOf({ path, request: body, answer, fields }: Sent): Promise<number> {
  answering = answer;
  // Each is a run of its own.
  const all = { ...headers, ...fields, authorization: `Bearer ${sent++}` };
  const before = process.cpuUsage();
  const response = await app.request(`http://guard.example${path}`, { method: "POST", headers: all, body });
  await response.arrayBuffer();
  const { user, system } = process.cpuUsage(before);
  return response.headers.get("x-unloop-verdict") === "unguarded" ? 0 : (user + system) / 1_000;
}

async function growsTooFast(unit: string, put: (text: string) => Sent): Promise<boolean> {
  const cost = (size: number) => costOf(put(unit.repeat(Math.ceil(size / unit.length))));
  let large = await cost(4 * SMALL);
  for (let tries = 1; tries < 5 && large > HARMLESS_MS; tries++) {
    large = Math.min(large, await cost(4 * SMALL));
    if (large <= FACTOR * Math.max(await cost(SMALL), HARMLESS_MS / FACTOR)) return false;
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
/** What puts a text in the place of a text of this JSON, or of a name of a schema's members. */
const placesIn = (json: string) =>
  [...json.matchAll(/"(?:[^"\\]|\\.)*"(?!:)|(?<="properties":\{)"\w+"/g)].map(
    ({ 0: { length }, index }) =>
      (text: string) =>
        json.slice(0, index) + JSON.stringify(text) + json.slice(index + length),
  );
// As much as a server takes.
const field = (text: string) => text.slice(0, 8_000).replace(/[^\x21-\x7e]/g, "x");

it.each(Object.values(samples))(
  "a text at $path costs no more than in line with it, wherever it stands",
  async (sample) => {
    expect(units.length).toBeGreaterThan(200);
    const whole = { path: sample.path, request: JSON.stringify(sample.request), answer: JSON.stringify(sample.answer) };
    const puts = [
      ...placesIn(whole.request).map((put) => (text: string) => ({ ...whole, request: put(text) })),
      ...placesIn(whole.answer).map((put) => (text: string) => ({ ...whole, answer: put(text) })),
      ...["x-session-id", "cookie"].map((name) => (text: string) => ({ ...whole, fields: { [name]: field(text) } })),
    ];
    for (const [i, put] of puts.entries()) {
      const unit = units[(whole.request.length + 7 * i) % units.length] ?? " ";
      expect(await growsTooFast(unit, put), JSON.stringify([unit, put("HERE")])).toBe(false);
    }
  },
);
