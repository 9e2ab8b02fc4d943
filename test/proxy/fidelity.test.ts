import { describe, expect, it } from "vitest";
import { guardRig, post } from "./guard-rig.ts";

/** A call and its result as JSON text, written in a way of its own. */
type Write = (turn: number) => string;

const plainTurn: Write = (turn) =>
  `{"role":"assistant","content":null,"tool_calls":[{"id":"c${turn}","type":"function","function":{"name":"read","arguments":"{\\"path\\":\\"a\\"}"}}]},` +
  `{"role":"tool","tool_call_id":"c${turn}","content":"the file says hello"}`;

const bodyOf = (before: string, turns: readonly string[], after: string) => `${before}[${turns.join(",")}]${after}`;

const oddities: readonly { readonly name: string; readonly body: (turns: readonly string[]) => string }[] = [
  {
    name: "integers beyond 2^53",
    body: (turns) => bodyOf('{"seed":12345678901234567890123,"n":1.10,"t":1E400,"messages":', turns, "}"),
  },
  {
    name: "keys that look like integers, out of order",
    body: (turns) =>
      bodyOf('{"metadata":{"b":1,"10":2,"9":3,"a":4},"messages":', turns, ',"logit_bias":{"50256":-100,"7":1}}'),
  },
  {
    name: "odd spacing",
    body: (turns) => bodyOf(' \n{ "messages"\t:\r\n ', turns, ' ,\n"model" : "m"\n}\n\n').replaceAll("},{", "} ,\n\t{"),
  },
  {
    name: "lone surrogates",
    body: (turns) => bodyOf('{"user":"\\ud800","metadata":{"\\udfff":"\\udc00\\ud800"},"messages":', turns, "}"),
  },
  { name: "__proto__ as a key", body: (turns) => bodyOf('{"__proto__":{"messages":[]},"messages":', turns, "}") },
  {
    name: "deep nesting",
    body: (turns) => bodyOf(`{"metadata":${"[".repeat(20_000)}${"]".repeat(20_000)},"messages":`, turns, "}"),
  },
];

const turnsOf = (count: number, write: Write) => [
  '{"role":"user","content":"What does it say?"}',
  ...Array.from({ length: count }, (_, i) => write(i)),
];

async function sent(body: string) {
  const { url, upstream } = await guardRig(() => ({ kind: "text", text: "hello" }));
  const given = await post(url, body);
  return { verdict: given.headers.get("x-unloop-verdict"), received: upstream.requests[0]?.bytes.toString() ?? "" };
}

/** What was put into a text, if putting in one piece is all that happened to it. */
function insertedInto(original: string, changed: string): string | undefined {
  let from = 0;
  while (from < original.length && original[from] === changed[from]) from += 1;
  const inserted = changed.slice(from, from + changed.length - original.length);
  return original.slice(0, from) + inserted + original.slice(from) === changed ? inserted : undefined;
}

describe.each(oddities)("a body with $name", ({ body }) => {
  it("passes untouched while the run is healthy", async () => {
    const text = body(turnsOf(2, plainTurn));
    expect(await sent(text)).toEqual({ verdict: "ok", received: text });
  });

  it("is nudged by one insertion; all else stays as it came", async () => {
    const text = body(turnsOf(3, plainTurn));
    const { verdict, received } = await sent(text);
    expect(verdict).toBe("nudge");
    expect(insertedInto(text, received)).toContain("[unloop] You have made the same call 3 times");
  });

  it("is forced to end by changes to its end and to the choice of tools alone", async () => {
    const tools =
      '"tools" : [ {"type":"function","function":{"name":"read","x":1.50}} , {"type":"function","function":{"name":"done","y":12345678901234567890}} ]';
    const whole = body(turnsOf(5, plainTurn));
    const text = whole.replace(/\}\s*$/, (end) => `,${tools}${end}`);
    const { verdict, received } = await sent(text);
    expect(verdict).toBe("force-done");
    expect(JSON.parse(received).tools).toHaveLength(1);
    expect(received).toContain('"y":12345678901234567890');
    expect(received).not.toContain('"x":1.50');
    const restored = received
      .replace(/(?:\\n)*\[unloop\](?:[^"\\]|\\.)*(?=")/g, "")
      .replace(/"tools" : \[.*?\}\}\]/s, tools)
      .replace(/,"tool_choice":\{[^{}]*\{[^{}]*\}\}/, "");
    expect(restored).toBe(text);
  });
});
