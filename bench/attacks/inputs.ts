import type { Dear } from "./search.ts";

/** Bodies that make a guard work much for little. Sizes in bytes of what repeats. */
export interface Input {
  readonly name: string;
  readonly body: (bytes: number) => string;
  /** The sizes that it is sent in. */
  readonly bytes: readonly number[];
}

const KB = 1_000;
const MB = 1_000_000;

const asked = (messages: readonly unknown[], more: object = {}): string =>
  JSON.stringify({ model: "m", messages, ...more });
const user = (content: string) => ({ role: "user", content });
const assistant = (content: string) => ({ role: "assistant", content });
const calling = (name: string, args: string, id?: string) => ({
  ...(id === undefined ? {} : { id }),
  type: "function",
  function: { name, arguments: args },
});
/** A run that is ended before an upstream has seen its key: all of its answer is worded from what the client sent. */
const ended = (more: object) => {
  const laps = Array.from({ length: 12 }, (_, i) => [
    { role: "assistant", content: null, tool_calls: [calling("look", '{"q":1}', `c${i}`)] },
    { role: "tool", tool_call_id: `c${i}`, content: "nothing here" },
  ]);
  return asked([user("go"), ...laps.flat()], more);
};
/** One turn of calls, each of these arguments and this result. */
const oneTurn = (count: number, args: string, content: string) => {
  const calls = Array.from({ length: count }, (_, i) => calling("look", args, `c${i}`));
  const results = calls.map((_, i) => ({ role: "tool", tool_call_id: `c${i}`, content }));
  return asked([user("go"), { role: "assistant", content: null, tool_calls: calls }, ...results]);
};
const keys = (count: number, name: (i: number) => string) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [name(i), 1]));

const manyTold = (count: number, text: string) =>
  Array.from({ length: count }, (_, i) => [user(`${i} ${text}`), assistant("ok")]).flat();

export const inputs: readonly Input[] = [
  {
    name: "blanks before a word of another script",
    body: (bytes) => asked([user(`${" ".repeat(bytes)}“x”`)]),
    bytes: [40 * KB, 4 * MB],
  },
  {
    name: "tabs before a word of another script",
    body: (bytes) => asked([user(`${"\t".repeat(bytes / 2)}“x”`)]),
    bytes: [160 * KB, 4 * MB],
  },
  {
    name: "metadata.user_id of many `_session_`",
    body: (bytes) => asked([user("hi")], { metadata: { user_id: `user_${"_session_".repeat(bytes / 9)}!` } }),
    bytes: [160 * KB, 4 * MB],
  },
  {
    name: "a shell command of many `-SED`",
    body: (bytes) => {
      const command = JSON.stringify({ command: "\t-SED".repeat(bytes / 5) });
      const messages = [
        user("go"),
        { role: "assistant", tool_calls: [calling("bash", command, "c1")] },
        { role: "tool", tool_call_id: "c1", content: "ok" },
      ];
      return asked(messages);
    },
    bytes: [160 * KB, 4 * MB],
  },
  {
    name: "one turn of many calls, results without ids",
    body: (bytes) => {
      const count = Math.floor(bytes / 100);
      const calls = Array.from({ length: count }, (_, i) => calling("a", `{"i":${i}}`));
      const results = Array.from({ length: count }, () => ({ role: "tool", content: "r" }));
      return asked([user("go"), { role: "assistant", tool_calls: calls }, ...results]);
    },
    bytes: [1 * MB, 4 * MB, 30 * MB],
  },
  {
    name: "texts of 2 KB with many marks of calls",
    body: (bytes) => asked(Array.from({ length: bytes / 2_000 }, () => assistant(")<tool_call>」".repeat(150)))),
    bytes: [1 * MB, 4 * MB],
  },
  {
    name: "a ReAct text of many actions",
    body: (bytes) =>
      asked([user("go"), assistant("Action: a\nAction Input: b\n".repeat(bytes / 27)), user("Observation: ok")]),
    bytes: [1 * MB, 4 * MB, 30 * MB],
  },
  {
    name: "a JSON answer of many actions",
    body: (bytes) => {
      const action = Array.from({ length: Math.floor(bytes / 32) }, () => ({ click: { index: 1 } }));
      return asked([user("go"), assistant(JSON.stringify({ action })), user("Action result: ok")]);
    },
    bytes: [1 * MB, 4 * MB, 30 * MB],
  },
  {
    name: "very many short turns",
    body: (bytes) => {
      const one = '{"role":"assistant","content":"x"}';
      const count = Math.floor(bytes / (one.length + 1));
      return `{"model":"m","messages":[{"role":"user","content":"go"},${Array(count).fill(one).join(",")}]}`;
    },
    bytes: [27 * MB],
  },
  {
    name: "very many calls, each another",
    body: (bytes) => {
      const messages: unknown[] = [user("go")];
      for (let i = 0; i * 230 < bytes; i++) {
        messages.push({
          role: "assistant",
          content: null,
          tool_calls: [calling("read", `{"path":"file-${i}"}`, `call_${i}`)],
        });
        messages.push({ role: "tool", tool_call_id: `call_${i}`, content: `text of file ${i}` });
      }
      return asked(messages);
    },
    bytes: [30 * MB],
  },
  {
    name: "letters that become eighteen each (U+FDFA)",
    body: (bytes) => asked([user("go"), assistant("\ufdfa".repeat(bytes / 3)), user("and now?")]),
    bytes: [900 * KB, 30 * MB],
  },
  {
    name: "the same in many messages of users",
    body: (bytes) => asked(manyTold(bytes / 60_000, "\ufdfa".repeat(20_000))),
    bytes: [3 * MB, 12 * MB],
  },
  {
    name: "users' messages of blank lines",
    body: (bytes) => asked(manyTold(bytes / 16_384, "\n".repeat(8_192))),
    bytes: [1.6 * MB, 11.5 * MB],
  },
  {
    name: "60,000 dashes behind the guard's own mark",
    body: (bytes) => {
      const other = Array.from({ length: (bytes - 200 * KB) / (90 * KB) }, (_, i) =>
        assistant(`${i} `.repeat(30 * KB)),
      );
      return asked([user("y".repeat(140 * KB)), ...other, user(`unloop-left-out-${"-".repeat(60 * KB)}`)]);
    },
    bytes: [560 * KB, 4.4 * MB],
  },
  {
    name: "nothing but brackets",
    body: (bytes) => `{"model":"m","messages":[{"role":"user","content":"go"}],"x":[${"[],".repeat(bytes / 3)}0]}`,
    bytes: [31 * MB],
  },
  {
    name: "nothing but tools",
    body: (bytes) => {
      const tools = Array.from({ length: Math.floor(bytes / 90) }, (_, i) => ({
        type: "function",
        function: { name: `t${i}`, parameters: { type: "object", properties: {} } },
      }));
      return asked([user("go"), assistant("x"), user("y")], { tools });
    },
    bytes: [30 * MB],
  },
  {
    name: "texts of 64 KB that look like actions",
    body: (bytes) => {
      const action = 'Thought: Action: a\nAction Input: {"q":[1,2]}\nObservation: ';
      const told = (i: number) => `${i} ${action.repeat(1_000)}`.slice(0, 65_000);
      return asked(Array.from({ length: bytes / 66_000 }, (_, i) => (i % 2 ? assistant(told(i)) : user(told(i)))));
    },
    bytes: [30 * MB],
  },
  {
    name: "4,096 texts",
    body: (bytes) => {
      const told = (i: number) => `lorem ipsum dolor ${i} sit amet `.repeat(bytes / 4_096 / 32);
      return asked(Array.from({ length: 4_096 }, (_, i) => (i % 2 ? assistant(told(i)) : user(told(i)))));
    },
    bytes: [30 * MB],
  },
  {
    name: "one long text",
    body: (bytes) => asked([user("go"), assistant("lorem ipsum ".repeat(bytes / 12)), user("and now?")]),
    bytes: [31 * MB],
  },
  {
    name: "an end in the form of a schema that refers to itself",
    body: (bytes) => {
      const schema = { allOf: [{ $ref: "#" }, { $ref: "#" }], ...keys(bytes / 10, (i) => `k${i}`) };
      return ended({ response_format: { type: "json_schema", json_schema: { name: "x", schema } } });
    },
    bytes: [5 * KB, 50 * KB],
  },
  {
    name: "an end where one of many tools is demanded",
    body: (bytes) => {
      const tools = Array.from({ length: bytes / 120 }, (_, i) => ({
        type: "function",
        function: { name: `A${i}`, description: "Use this to finish with the final answer." },
      }));
      return ended({ tools, tool_choice: "required" });
    },
    bytes: [500 * KB, 8 * MB],
  },
  {
    name: "one turn of arguments with many keys",
    body: (bytes) => oneTurn(31, JSON.stringify(keys(bytes / 31 / 14, (i) => `${i * 7_919}abcd`)), "ok"),
    bytes: [2 * MB],
  },
  {
    name: "one turn of nested arguments and results",
    body: (bytes) => {
      const deep = "[".repeat(bytes / 124) + "]".repeat(bytes / 124);
      return oneTurn(31, `{"x":${deep}}`, deep);
    },
    bytes: [3.7 * MB],
  },
  {
    name: "one turn of results that are numbers",
    body: (bytes) => oneTurn(60, "{}", Array.from({ length: bytes / 360 }, (_, i) => i).join(" ")),
    bytes: [3.6 * MB],
  },
  {
    name: "names that are longer than what may be read",
    body: (bytes) =>
      asked(
        [user("go"), assistant("x"), user("y")],
        keys(bytes / 2_000, (i) => `${i}${"n".repeat(2_000)}`),
      ),
    bytes: [30 * MB],
  },
];

/** What searches have found to be the dearest of its place and shape. */
export const dear: readonly Dear[] = [
  { place: "user at the end", shape: "texts of 2 KB", pieces: ["\n\n", "#", "Thought:"], isEnded: true },
  { place: "results as JSON", shape: "texts of 64 KB", pieces: ["../a/b.ts:12", "🙂"], isEnded: false },
  { place: "keys of turns", shape: "texts of 2 KB", pieces: ["の", "[[ ## "], isEnded: false },
  { place: "keys of one turn", shape: "texts of 64 KB", pieces: ["Respond with JSON.", "」"], isEnded: false },
  { place: "assistant", shape: "one text", pieces: ["\u200b"], isEnded: true },
  { place: "keys of turns", shape: "texts of 64 KB", pieces: ["あ", '{"a":[', "  "], isEnded: true },
  { place: "keys of turns", shape: "texts of 2 KB", pieces: ["*", "```python"], isEnded: true },
  { place: "keys of a schema", shape: "texts of 64 KB", pieces: ["한", "\n\n"], isEnded: false },
  { place: "keys of one turn", shape: "texts of 2 KB", pieces: ["(", "und", "12:30:59"], isEnded: true },
  { place: "results as JSON", shape: "texts of 64 KB", pieces: ["```python", "\t"], isEnded: false },
  { place: "assistant", shape: "texts of 64 KB", pieces: ["\n\n"], isEnded: false },
  { place: "lists of one turn", shape: "texts of 64 KB", pieces: ["あ"], isEnded: false },
  { place: "results of one turn", shape: "one text", pieces: ["ﷺ"], isEnded: false },
];
