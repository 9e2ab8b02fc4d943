import { describe, expect, it } from "vitest";
import { guardRig, post } from "./guard-rig.ts";

const turnsOf = (count: number) =>
  [
    '{"role":"user","content":"What does it say?"}',
    ...Array.from(
      { length: count },
      (_, turn) =>
        `{"role":"assistant","content":null,"tool_calls":[{"id":"c${turn}","type":"function","function":{"name":"read","arguments":"{\\"path\\":\\"a\\"}"}}]},{"role":"tool","tool_call_id":"c${turn}","content":"the file says hello"}`,
    ),
  ].join(",");

const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;

describe.each([
  { name: "integers beyond 2^53", before: '{"seed":12345678901234567890123,"n":1.10,"t":1E400,"messages":[' },
  {
    name: "keys that look like integers, out of order",
    before: '{"metadata":{"b":1,"10":2,"9":3,"a":4},"messages":[',
    after: '],"logit_bias":{"50256":-100,"7":1}}',
  },
  { name: "odd spacing", before: ' \n{ "messages"\t:\r\n [', after: '] ,\n"model" : "m"\n}\n\n', between: "} ,\n\t{" },
  { name: "lone surrogates", before: '{"user":"\\ud800","metadata":{"\\udfff":"\\udc00\\ud800"},"messages":[' },
  { name: "__proto__ as a key", before: '{"__proto__":{"messages":[]},"messages":[' },
  { name: "deep nesting", before: `{"metadata":${deep},"messages":[` },
])("a body with $name", ({ before, after = "]}", between = "},{" }) => {
  const bodyOf = (turns: number) => `${before}${turnsOf(turns).replaceAll("},{", between)}${after}`;

  async function sent(body: string) {
    const { url, upstream } = await guardRig(() => ({ kind: "text", text: "hello" }));
    const { headers } = await post(url, body);
    return { verdict: headers.get("x-unloop-verdict"), received: upstream.requests[0]?.bytes.toString() ?? "" };
  }

  it("passes untouched while the run is healthy", async () => {
    const text = bodyOf(2);
    expect(await sent(text)).toEqual({ verdict: "ok", received: text });
  });

  it("is nudged by one insertion; all else stays as it came", async () => {
    const text = bodyOf(3);
    const { verdict, received } = await sent(text);
    expect(verdict).toBe("nudge");
    let from = 0;
    while (from < text.length && text[from] === received[from]) from += 1;
    const inserted = received.slice(from, from + received.length - text.length);
    expect(text.slice(0, from) + inserted + text.slice(from)).toBe(received);
    expect(inserted).toContain("[unloop] The same call was made 3 times");
  });

  it("is forced to end by changes to its end and to the choice of tools alone", async () => {
    const tools =
      '"tools" : [ {"type":"function","function":{"name":"read","x":1.50}} , {"type":"function","function":{"name":"done","y":12345678901234567890}} ]';
    const text = bodyOf(5).replace(/\}\s*$/, (end) => `,${tools}${end}`);
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
