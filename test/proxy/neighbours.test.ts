import { expect, it } from "vitest";
import { called, chatBody, type Message, repeated, user } from "../support/builders/chat-history.ts";
import { policyFrom } from "../../src/index.ts";
import { guardRig, post } from "./guard-rig.ts";

/* Many people behind one key: what one of them sends, by accident or on purpose, must never end another's run. */

type Messages = readonly Message[];

const GREETING = "Hello! How can I help you today?";
const system = { role: "system", content: "You are the shop's assistant." };
const assistant = (content: string) => ({ role: "assistant", content });
const read = (id: string, result = "no such file or directory: a.txt") => called(id, "read", { path: "a.txt" }, result);
const question = [user("hi"), assistant(GREETING), user("Where is my order 81723?")];
const task = user("Read a.txt and tell me what it says.");
const examples = [user("2+2?"), assistant("4"), user("3+3?"), assistant("6")];

/** What another one sends, request by request as it grows, and what a person sends then whose run is healthy. */
const stories: readonly { readonly name: string; readonly before: Messages; readonly healthy: readonly Messages[] }[] =
  [
    {
      name: "a looping run after the same greeting, users not told apart",
      before: [
        system,
        user("hi"),
        assistant(GREETING),
        user("."),
        ...repeated(9, () => [assistant(GREETING), user(".")]),
      ],
      healthy: [[system, ...question]],
    },
    {
      name: "an attacker who repeats the popular question as if it were the answer",
      before: [
        system,
        ...question.slice(0, 2),
        ...repeated(9, () => [user("Where is my order?"), assistant(GREETING)]),
        user("?"),
      ],
      healthy: [
        [system, ...question],
        [system, ...question, assistant("It is on its way."), user("Thanks. And 81724?")],
      ],
    },
    {
      name: "examples in front of a run that loops",
      before: [system, ...examples, user("Go."), ...repeated(10, () => [assistant("I am on it."), user("continue")])],
      healthy: [
        [system, ...examples, user("Name a colour.")],
        [system, ...examples, user("Go."), assistant("I am on it."), user("Thanks.")],
      ],
    },
  ];

it.each(stories)("another person's run stays healthy beside $name", async ({ before, healthy }) => {
  const { url } = await guardRig(() => ({ kind: "text", text: "Done." }));
  const ask = async (messages: Messages) =>
    (await post(url, chatBody(messages), { authorization: "Bearer the application's" })).headers;
  for (let end = 3; end <= before.length; end++) await ask(before.slice(0, end));
  for (const messages of healthy) expect((await ask(messages)).get("x-unloop-verdict")).toBe("ok");
});

it("two keys in the query are two tenants, whatever stands before them", async () => {
  const policy = policyFrom({ budget: { steps: 2 } });
  const { url } = await guardRig(() => ({ kind: "text", text: "Done." }), { policy });
  const verdictOf = async (key: string, ...messages: Messages) => {
    const at = `${url}/v1/chat/completions?redirect=/a?b&key=${key}`;
    const body = chatBody([task, ...messages]);
    const answer = await fetch(at, { method: "POST", headers: { "x-unloop-session": "run" }, body });
    await answer.text();
    return answer.headers.get("x-unloop-verdict");
  };
  const steps = [...read("call_1"), ...read("call_2", "it is there now")];
  const newest = read("call_3", "another");
  expect(await verdictOf("one", ...steps)).toBe("force-done");
  expect([await verdictOf("two", ...newest), await verdictOf("one", ...newest)]).toEqual(["ok", "short-circuit"]);
});
