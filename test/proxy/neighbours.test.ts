import { expect, it } from "vitest";
import { guardRig, post } from "./guard-rig.ts";

/*
 * Many people behind one key: an application's users, or no key at all. What one of them sends, by accident or on purpose,
 * must never end another's run.
 */

const system = { role: "system", content: "You are the shop's assistant." };
const user = (content: string) => ({ role: "user", content });
const assistant = (content: string) => ({ role: "assistant", content });
const GREETING = "Hello! How can I help you today?";

type Messages = readonly object[];

/** One call and what came of it. */
const called = (path: string, result: string, id: string | undefined): Messages => [
  {
    role: "assistant",
    content: null,
    tool_calls: [
      {
        ...(id === undefined ? {} : { id }),
        type: "function",
        function: { name: "read", arguments: JSON.stringify({ path }) },
      },
    ],
  },
  { role: "tool", ...(id === undefined ? {} : { tool_call_id: id }), content: result },
];

const times = (count: number, one: (i: number) => Messages): Messages =>
  Array.from({ length: count }, (_, i) => one(i)).flat();
const missing = "no such file or directory: a.txt";
const looping = (count: number, id: (i: number) => string | undefined): Messages =>
  times(count, (i) => called("a.txt", missing, id(i)));

const greetingLoop = [user("hi"), assistant(GREETING), user("."), ...times(9, () => [assistant(GREETING), user(".")])];
const question = [user("hi"), assistant(GREETING), user("Where is my order 81723?")];
const task = user("Read a.txt and tell me what it says.");
const examples = [user("2+2?"), assistant("4"), user("3+3?"), assistant("6")];

interface Story {
  readonly name: string;
  /** What the others send, in order. */
  readonly before: readonly { readonly messages: Messages }[];
  /** What a person sends then whose run is healthy. */
  readonly healthy: readonly { readonly messages: Messages }[];
}

const constant = () => "call_0";
const numbered = (i: number) => `call_${i}`;

const stories: readonly Story[] = [
  {
    name: "a looping run after the same greeting, users not told apart",
    before: [{ messages: [system, ...greetingLoop] }],
    healthy: [{ messages: [system, ...question] }],
  },
  {
    name: "an attacker who repeats the popular question as if it were the answer",
    before: [
      {
        messages: [
          system,
          ...question.slice(0, 2),
          ...times(9, () => [user("Where is my order?"), assistant(GREETING)]),
          user("?"),
        ],
      },
    ],
    healthy: [
      { messages: [system, ...question] },
      { messages: [system, ...question, assistant("It is on its way."), user("Thanks. And 81724?")] },
    ],
  },
  {
    name: "a run that loops with one id for every call",
    before: [{ messages: [system, task, ...looping(10, constant)] }],
    healthy: [{ messages: [system, task, ...called("a.txt", "the text of a.txt, at last", "call_0")] }],
  },
  {
    name: "a run that loops with numbered ids, and one of another task that has come to the same number",
    before: [{ messages: [system, task, ...looping(10, numbered)] }],
    healthy: [
      {
        messages: [
          { role: "system", content: "Summary of what was done so far." },
          user("Go on."),
          ...times(2, (i) => called("a.txt", missing, numbered(8 + i))),
        ],
      },
    ],
  },
  {
    name: "examples in front of a run that loops",
    before: [
      {
        messages: [system, ...examples, user("Go."), ...times(10, () => [assistant("I am on it."), user("continue")])],
      },
    ],
    healthy: [
      { messages: [system, ...examples, user("Name a colour.")] },
      { messages: [system, ...examples, user("Go."), assistant("I am on it."), user("Thanks.")] },
    ],
  },
];

const bodyOf = ({ messages }: Story["healthy"][number]) => JSON.stringify({ model: "m", messages });
const shared = { authorization: "Bearer the application's" };

async function verdictOf(url: string, told: Story["healthy"][number]): Promise<string> {
  const { headers } = await post(url, bodyOf(told), shared);
  return [headers.get("x-unloop-verdict"), headers.get("x-unloop-detector")].filter(Boolean).join(" ");
}

it.each(stories)("another person's run stays healthy beside $name", async ({ before, healthy }) => {
  const { url } = await guardRig(() => ({ kind: "text", text: "Done." }));
  for (const other of before)
    for (let end = 3; end <= other.messages.length; end++)
      await verdictOf(url, { ...other, messages: other.messages.slice(0, end) });
  for (const told of healthy) expect(await verdictOf(url, told)).toBe("ok");
});
