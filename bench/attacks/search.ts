import { readFileSync } from "node:fs";
import { presetNamed, unloop } from "../../src/index.ts";
import { webTransport } from "../../src/transport/web.ts";

/** A body by what it is made of: a content that repeats, in one place of a request, in texts of one length. */
export interface Dear {
  readonly place: keyof typeof places;
  readonly shape: keyof typeof shapes;
  readonly pieces: readonly string[];
  /** The guard ends its run. */
  readonly isEnded: boolean;
}

const MB = 1_000_000;

/** Texts of how many characters, and how many of them at most. */
const shapes = {
  "one text": { length: 3 * MB, most: 1 },
  "texts of 64 KB": { length: 64_000, most: 200 },
  "texts of 2 KB": { length: 2_000, most: 2_000 },
  "texts of 40 bytes": { length: 40, most: 40_000 },
} as const;

const call = (id: number, name: string, args: string) => ({
  ...{ id: `c${id}`, type: "function" },
  function: { name, arguments: args },
});
const result = (id: number, content: string) => ({ role: "tool", tool_call_id: `c${id}`, content });
const turn = (calls: readonly ReturnType<typeof call>[], content: string) => [
  { role: "assistant", content: null, tool_calls: calls },
  ...calls.map(({ id }) => result(Number(id.slice(1)), content)),
];
const oneTurn = (texts: readonly string[], argsOf: (text: string) => string, contentOf: (text: string) => string) => {
  const calls = texts.slice(0, 62).map((text, i) => call(i, "look", argsOf(text)));
  return [
    { role: "assistant", content: null, tool_calls: calls },
    ...calls.map((_, i) => result(i, contentOf(texts[i] ?? ""))),
  ];
};
const user = (content: string) => ({ role: "user", content });
const ok = () => "ok";
/** A text as an object of many keys, all different. */
const asKeys = (text: string) =>
  JSON.stringify(Object.fromEntries((text.match(/[\s\S]{1,8}/g) ?? []).map((key, i) => [key + i, 1])));
const asList = (text: string) =>
  `{"x":[${(text.match(/[\s\S]{1,8}/g) ?? []).map((key) => JSON.stringify(key)).join()}]}`;
const messages = (all: readonly unknown[]) => ({ messages: all });
const named = (name: string, schema: unknown) => ({ type: "json_schema", json_schema: { name, schema } });

/** What a request has of these texts, in one place. */
const places = {
  user: (texts) => messages(texts.flatMap((text) => [user(text), { role: "assistant", content: "ok" }])),
  "user at the end": (texts) =>
    messages([...texts.map((content) => ({ role: "assistant", content })), user(texts[0] ?? "")]),
  assistant: (texts) => messages(texts.flatMap((content) => [{ role: "assistant", content }, user("go on")])),
  system: (texts) => messages(texts.map((content) => ({ role: "system", content }))),
  "results of one turn": (texts) =>
    messages(
      oneTurn(
        texts,
        () => '{"q":1}',
        (text) => text,
      ),
    ),
  "results of turns": (texts) => messages(texts.flatMap((text, i) => turn([call(i, "look", `{"q":${i}}`)], text))),
  "results as JSON": (texts) => messages(oneTurn(texts, () => '{"q":1}', asKeys)),
  "arguments of one turn": (texts) => messages(oneTurn(texts, (text) => JSON.stringify({ q: text }), ok)),
  "raw arguments of one turn": (texts) => messages(oneTurn(texts, (text) => text, ok)),
  "keys of one turn": (texts) => messages(oneTurn(texts, asKeys, ok)),
  "lists of one turn": (texts) => messages(oneTurn(texts, asList, ok)),
  "commands of one turn": (texts) => messages(oneTurn(texts, (text) => JSON.stringify({ command: text }), ok)),
  "keys of turns": (texts) => messages(texts.flatMap((text, i) => turn([call(i, "look", asKeys(text))], "ok"))),
  "names of tools called": (texts) => messages(texts.flatMap((text, i) => turn([call(i, text, "{}")], "ok"))),
  "descriptions of tools": (texts) => ({
    ...messages([user("go"), { role: "assistant", content: "x" }, user("y")]),
    tools: texts.map((description, i) => ({ type: "function", function: { name: `t${i}`, description } })),
  }),
  "keys of a schema": (texts) => ({
    ...messages([user("go")]),
    response_format: named("x", {
      type: "object",
      properties: JSON.parse(asKeys(texts.join(""))),
      required: Object.keys(JSON.parse(asKeys(texts.join("")))),
    }),
  }),
  "branches of a tool's union": (texts) => {
    const branches = texts.slice(0, 1_000).map((text, i) => ({
      properties:
        i === 0 ? JSON.parse(asKeys(texts.join("").slice(0, MB / 10))) : { [text.slice(0, 40)]: { const: i } },
    }));
    const parameters = { type: "object", properties: { action: { anyOf: branches } } };
    const tools = [{ type: "function", function: { name: "act", parameters } }];
    return { ...messages([user("go")]), tools, tool_choice: "required" };
  },
  "words of a schema": (texts) => ({ ...messages([user("go")]), response_format: named("x", { enum: texts }) }),
  "user id": (texts) => ({ ...messages([user("go")]), metadata: { user_id: texts.join("") } }),
} satisfies Record<string, (texts: readonly string[]) => object>;

/** What parsers, scanners and patterns look for. */
const tokens =
  '{ } [ ] ( ) < > " \\ / : , . ; | * _ - = # @ ` ~ & % $ 0 7 a Z é ß ﷺ 漢 あ 한 🙂 á \u200b \u202e “ 」 — \t \n \r null true -1e9 "a":1, {"a":[ ]} <b> </b> <user_request> </user_request> <function=x> <parameter=y> <tool_call> {"name":"a","arguments":{}} Action: Observation: Thought: Final\u00a0Answer: action_input ```json ```python print( [[\u00a0##\u00a0 \u00a0##\u00a0]] Literal[ \'finish\' examples Respond\u00a0with\u00a0JSON. error: not\u00a0found 2024-01-01 12:30:59 10.0.0.1 https://a.b/c?d=e&f= user@host ../a/b.ts:12 $(ls) \u00a0&&\u00a0 sed\u00a0-i _session_ unloop [unloop] the und le 是 の 1. -\u00a0[x] |\u00a0a\u00a0| x=1 0x1f deadbeef0123 550e8400-e29b-41d4-a716-446655440000'
    .split(" ")
    .map((token) => token.replaceAll("\u00a0", " "))
    .concat(" ", "  ", "\n\n", "\\n", "\\u00e9", "\ud83d");

export function bodyOf({ place, shape, pieces, isEnded }: Dear): string {
  const { length, most } = shapes[shape];
  const one = pieces.join("") || "x";
  const count = Math.min(most, Math.ceil((3 * MB) / length));
  const texts = Array.from({ length: count }, (_, i) =>
    `${i} ${one.repeat(Math.ceil(length / one.length))}`.slice(0, length),
  );
  const { messages: told, ...more } = places[place](texts) as { messages: readonly unknown[] };
  const loop = Array.from({ length: isEnded ? 12 : 0 }, (_, i) =>
    turn([call(100_000 + i, "look", '{"q":1}')], "nothing"),
  );
  return JSON.stringify({ model: "m", messages: [user("go"), ...told, ...loop.flat()], ...more });
}

const cpuMs = () => Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;

/** The longest stretch of CPU between two turns of the event loop while one request is handled, in this process. */
export async function stretchOf(app: ReturnType<typeof unloop>, body: string): Promise<number> {
  let [longest, last, isOver] = [0, cpuMs(), false];
  const look = () => {
    const now = cpuMs();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isOver) setImmediate(look);
  };
  const request = new Request("http://guard/v1/chat/completions", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  await new Promise((resolve) => setImmediate(resolve));
  last = cpuMs();
  setImmediate(look);
  await (await app.request(request)).text();
  await new Promise((resolve) => setTimeout(resolve, 1));
  isOver = true;
  look();
  return longest;
}

/** A guard in this process whose model says the same to everybody. */
export function ownGuard() {
  const message = { role: "assistant", content: "ok" };
  const answer = JSON.stringify({ id: "a", choices: [{ index: 0, finish_reason: "stop", message }] });
  const transport = webTransport({
    fetch: async () => new Response(answer, { headers: { "content-type": "application/json" } }),
  });
  const policy = presetNamed("default");
  return unloop({ upstream: "http://model.invalid", transport, ...(policy && { policy }) });
}

/** Mulberry32. */
function chanceFrom(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** The dearest contents of each place and shape that were found within a time. */
export async function search(seconds: number, seed: number, only = "") {
  const below = chanceFrom(seed);
  const app = ownGuard();
  const token = () => tokens[below(tokens.length)] ?? "";
  const names = Object.keys(places).filter((name) => name.includes(only)) as (keyof typeof places)[];
  const pairs = names.flatMap((place) =>
    (Object.keys(shapes) as (keyof typeof shapes)[]).map((shape) => ({ place, shape })),
  );
  const best = pairs.map((pair) => ({ ...pair, pieces: ["lorem "] as readonly string[], isEnded: false, ms: 0 }));
  await stretchOf(app, bodyOf({ place: "user", shape: "one text", pieces: ["warm "], isEnded: true }));
  const until = performance.now() + seconds * 1_000;
  for (let round = 0; performance.now() < until; round++)
    for (const [at, known] of best.entries()) {
      if (performance.now() > until) break;
      const fresh = round < 6 || below(3) === 0;
      const pieces = fresh ? Array.from({ length: 1 + below(3) }, token) : changed(known.pieces);
      const tried = { ...known, pieces, isEnded: below(4) === 0 };
      const body = bodyOf(tried);
      const first = await stretchOf(app, body);
      // Once more, for a collection of garbage or the compiler may have come in between.
      const ms = first > known.ms ? Math.min(first, await stretchOf(app, body)) : first;
      if (ms > known.ms) best[at] = { ...tried, ms };
    }
  return best.toSorted((one, other) => other.ms - one.ms);

  function changed(pieces: readonly string[]): readonly string[] {
    const copy = [...pieces];
    const kind = below(3);
    if (kind === 0 && copy.length > 1) copy.splice(below(copy.length), 1);
    else if (kind === 1) copy[below(copy.length)] = token();
    else copy.splice(below(copy.length + 1), 0, token().repeat(below(2) === 0 ? 1 : 1 + below(60)));
    return copy;
  }
}
