import type { Attack } from "./attacks.ts";
import { chat, startTarget } from "./rig.ts";

const user = (content: string) => ({ role: "user", content });
const assistant = (content: string) => ({ role: "assistant", content });
const GREETING = "Hello! How can I help you today?";

const told = ({ verdict, detector, fields }: Awaited<ReturnType<typeof chat>>) =>
  detector === undefined ? verdict : `${verdict}(${detector} ${fields["x-unloop-count"]})`;

/** One user's run, or an attacker's, and another user's first question behind the same key. */
const greetings: Attack = {
  name: "2: a neighbour's runs",
  async run(dist) {
    const target = await startTarget(dist);
    const system = { role: "system", content: "You are the shop's assistant." };
    const loop = [
      assistant(GREETING),
      user("."),
      ...Array.from({ length: 9 }, () => [assistant(GREETING), user(".")]).flat(),
    ];
    const key = { authorization: "Bearer shared" };
    await chat(target, { model: "m", user: "mallory", messages: [system, user("hi"), ...loop] }, key);
    const victim = [system, user("hi"), assistant(GREETING), user("Where is my order 81723?")];
    const chats = await chat(target, { model: "m", user: "ann", messages: victim }, key);
    const turn = (path: string, result: string) => [
      {
        role: "assistant",
        content: null,
        tool_calls: [
          { id: "call_0", type: "function", function: { name: "read", arguments: JSON.stringify({ path }) } },
        ],
      },
      { role: "tool", tool_call_id: "call_0", content: result },
    ];
    const looping = Array.from({ length: 10 }, () => turn("a.txt", "no such file or directory: a.txt")).flat();
    await chat(target, { model: "m", user: "mallory", messages: [system, user("Read a.txt."), ...looping] }, key);
    const calls = await chat(
      target,
      {
        model: "m",
        user: "ann",
        messages: [system, user("Read a.txt."), ...turn("a.txt", "the text of a.txt, at last")],
      },
      key,
    );
    await target.stop();
    return [
      ["another user's first question after the same greeting", told(chats)],
      ["another user's first call, with another outcome, constant ids", told(calls)],
    ];
  },
};

/** An agent that tells its observations as user messages, on a page with a number in it. */
const pages: Attack = {
  name: "4: text on a page",
  async run(dist) {
    const target = await startTarget(dist);
    const firstAct = async (task: string, observation: string, calls: boolean): Promise<string> => {
      const messages: unknown[] = [user(task)];
      for (let turn = 1; turn <= 20; turn++) {
        messages.push(
          calls
            ? {
                role: "assistant",
                content: null,
                tool_calls: [
                  { id: `c${turn}`, type: "function", function: { name: "click", arguments: '{"index":5}' } },
                ],
              }
            : assistant('{"action":[{"click":{"index":5}}]}'),
        );
        if (calls) messages.push({ role: "tool", tool_call_id: `c${turn}`, content: observation });
        else messages.push(user(observation));
        const { verdict } = await chat(
          target,
          { model: "m", messages },
          { "x-unloop-session": `${task}${observation}`.replace(/\W/g, "") },
        );
        if (verdict !== "ok") return `${verdict} at turn ${turn}`;
      }
      return "nothing in 20 turns";
    };
    const task = "Buy the blue kettle.";
    const rows: [string, string][] = [
      ["“Out of stock.” as observation", await firstAct(task, "Out of stock.", false)],
      ["“Out of stock. Viewed 1500 times.”", await firstAct(task, "Out of stock. Viewed 1500 times.", false)],
      [
        "task: “I told you a hundred times”",
        await firstAct(`${task} I told you a hundred times.`, "Out of stock.", true),
      ],
      ["task: “make it 10x faster”", await firstAct("Make it 10x faster.", "Out of stock.", true)],
      ["task: “7 runs”", await firstAct("Look at the 7 runs.", "Out of stock.", true)],
      ["task: “click it 10 times”", await firstAct("Click the button 10 times.", "Out of stock.", true)],
    ];
    await target.stop();
    return rows;
  },
};

/** Users behind one key with the same examples in front and the same popular question. */
const crowds: Attack = {
  name: "9: other people as retries",
  async run(dist) {
    const target = await startTarget(dist);
    const messages = [user("2+2?"), assistant("4"), user("3+3?"), assistant("6"), user("What is the weather?")];
    const verdicts: string[] = [];
    for (let i = 0; i < 8; i++)
      verdicts.push(told(await chat(target, { model: "m", messages }, { authorization: "Bearer shared" })));
    await target.stop();
    return [["8 users, one question", verdicts.join(", ")]];
  },
};

export const misleading: readonly Attack[] = [greetings, pages, crowds];
