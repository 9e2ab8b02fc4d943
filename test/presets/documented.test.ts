import { describe, expect, it } from "vitest";
import { policyFrom } from "../../src/policy/policy.ts";
import { agent, doneTool, verdictsOf } from "../proxy/agent.ts";
import { guardRig } from "../proxy/guard-rig.ts";
import type { ScriptedAnswer, ScriptedCall } from "../support/wires/scripted-answer.ts";
import { dialogue, saying } from "./dialogue.ts";

/** What is played, and what becomes of each turn: `ok`, or what the guard did. */
interface Row {
  /** What the system's document says, in our words. */
  readonly says: string;
  readonly play: (extra: object) => Promise<readonly (string | null)[]>;
  readonly turns: string;
}

type Said = readonly string[];

const simulator = "You play a user. When your goal is met, send ###STOP### to end the conversation.";
const server = "You are a customer service agent.";
const thanks = "Thank you, you too! Have a great day. 😊";
const welcome = "You're welcome! Have a great day! 😊";

/** A dialogue whose guarded side says `ours`; the last of either is said again. */
const talk =
  (ours: Said, theirs: Said, { system = simulator, policy = {} }: { system?: string; policy?: object } = {}) =>
  async (extra: object) => {
    const rig = await guardRig(saying(ours), { policy: policyFrom({ extends: "user-simulator", ...policy }) });
    const run = dialogue(rig, system, extra);
    const verdicts: (string | null)[] = [];
    for (const said of theirs) verdicts.push((await run.turn(said)).headers.get("x-unloop-verdict"));
    return verdicts;
  };

interface Act {
  readonly calls: readonly ScriptedCall[];
  readonly result: string;
  readonly text?: string;
}

/** An agent that does this in turn, and hears of each call what came of it. */
const acts =
  (preset: string, turns: readonly Act[], policy: object = {}) =>
  async (extra: object) => {
    const answers = turns.map(({ calls, text }): ScriptedAnswer => ({ kind: "calls", calls, ...(text && { text }) }));
    const rig = await guardRig(
      (_, index) => answers[Math.min(index, answers.length - 1)] ?? { kind: "text", text: "" },
      {
        policy: policyFrom({ extends: preset, ...policy }),
      },
    );
    let turn = 0;
    const tools = [doneTool, ...["click", "type", "message", "check"].map(named)];
    const run = agent({ ...rig, extra, tools, result: () => turns[turn]?.result ?? "" });
    const taken = [];
    for (; turn < turns.length; turn += 1) taken.push(await run.turn());
    return verdictsOf(taken);
  };

const named = (name: string) => ({ type: "function", function: { name, parameters: { type: "object" } } });
const click = (index: number, result: string): Act => ({
  calls: [{ tool: "click", args: JSON.stringify({ index }) }],
  result,
});
const fails = (index: number) => click(index, "Element not found");
const works = (index: number) => click(index, `Clicked element ${index}`);
const message = (text: string): ScriptedCall => ({ tool: "message", args: JSON.stringify({ text }) });
const sends = (...texts: Said): Act => ({ calls: texts.map(message), result: "sent" });
const raw = (args: string): Act => ({ calls: [{ tool: "message", args }], result: "sent" });
const six = [1, 2, 3, 4, 5, 6];

const phrases = [
  "Have a great day!",
  "Have a nice day!",
  "You're welcome!",
  "Thank you!",
  "Thanks!",
  "Goodbye!",
  "Bye!",
  "Take care!",
];
const long = "Your refund of forty dollars has been issued to your card, and you will see it there by Friday.";

/** The system with two sides that thank each other for ever (001). */
const politeness: readonly Row[] = [
  {
    says: "both sides go on being polite although all is done: two rounds, and it ends",
    play: talk([thanks], Array(4).fill(welcome)),
    turns: "ok ok short-circuit short-circuit",
  },
  {
    says: "a simulator that sends its stop signal by itself is left alone",
    play: talk(["###STOP###"], ["The task is complete! Have a great day! 😊"]),
    turns: "ok",
  },
  {
    says: "messages are compared without emoji and punctuation, and three in a row are a loop",
    play: talk(
      [
        "I want to cancel my booking please.",
        "I want to cancel my booking, please! 🙏",
        "I want to cancel my booking please…",
      ],
      ["Which one?", "From where?", "When was that?", "Who booked it?"],
    ),
    turns: "ok ok ok short-circuit",
  },
  {
    says: "highly similar messages are one message",
    play: talk(
      [
        "Please cancel my booking for the flight to Rome now.",
        "Please cancel my booking for the flight to Rome today.",
      ],
      ["Which one?", "From where?", "When was that?", "Who booked it?"],
    ),
    turns: "ok ok ok short-circuit",
  },
  {
    says: "two similar messages are no loop yet",
    play: talk(
      ["I want to cancel my booking please.", "I want to cancel my booking please.", "It is the one to Rome."],
      ["Which one?", "From where?", "When was that?", "Cancelled it is."],
    ),
    turns: "ok ok ok ok",
  },
  {
    says: "the threshold may be two",
    play: talk(["I want to cancel my booking please."], ["Which one?", "From where?", "When?"], {
      policy: { ladders: { "repeated-message:similar": { "short-circuit": 2 } } },
    }),
    turns: "ok ok short-circuit",
  },
  ...phrases.map((phrase) => ({
    says: `"${phrase}" on both sides closes`,
    play: talk([phrase], [phrase, phrase, phrase]),
    turns: "ok ok short-circuit",
  })),
  {
    says: "one side alone does not close",
    play: talk([thanks], ["Which seat do you want?", "By the window?", "And on the way back?", "Row 12 or 13?"], {
      policy: { ladders: { "repeated-message:similar": "off" } },
    }),
    turns: "ok ok ok ok",
  },
  {
    says: "a long answer with a closing phrase does not close",
    play: talk(
      [`${long} Thank you!`, "Thanks, how long is that valid?"],
      [`${long} Bye!`, "For 30 days. Bye!", "Thanks!"],
    ),
    turns: "ok ok ok",
  },
  {
    says: "any other round resets the count",
    play: talk([thanks, "And a window seat, is that possible?", thanks], [welcome, "Yes: 12A.", welcome]),
    turns: "ok ok ok",
  },
  {
    says: "at most 30 steps, 15 to 20 as a stricter choice",
    play: talk(
      six.map((n) => `Is number ${n * 7} free?`),
      six.map((n) => `No, but ${n * 11} is.`),
      { policy: { ladders: { "budget:steps": { "short-circuit": 4 } } } },
    ),
    turns: "ok ok ok ok short-circuit short-circuit",
  },
  {
    says: "optionally it ends after turns without a tool call",
    play: talk(
      ["Let me see.", "It takes a while.", "Nothing in Rome.", "One in Oslo."],
      six.slice(0, 4).map((n) => `So? ${n}`),
      {
        system: server,
        policy: { ladders: { "repeated-message:no-call": { "short-circuit": 3 } } },
      },
    ),
    turns: "ok ok ok short-circuit",
  },
];

/** The browser agent that fails in a row (003). */
const failures: readonly Row[] = [
  {
    says: "a failure counts one, and a success sets the count back",
    play: acts("consecutive-failures", [fails(1), fails(2), works(3), fails(4), fails(5), works(6)]),
    turns: "ok ok ok ok ok ok",
  },
  {
    says: "a step of several actions sets it back, though they fail",
    play: acts("consecutive-failures", [
      fails(1),
      fails(2),
      { calls: [...fails(3).calls, ...fails(4).calls], result: "Element not found" },
      fails(5),
      fails(6),
    ]),
    turns: "ok ok ok ok ok",
  },
  {
    says: "three in a row force the end, and after one more attempt the run is stopped: four in all",
    play: acts("consecutive-failures", six.map(fails)),
    turns: "ok ok ok force-done short-circuit short-circuit",
  },
  {
    says: "the number of failures may be set",
    play: acts("consecutive-failures", six.slice(0, 4).map(fails), {
      ladders: { "consecutive-failures:any": { "force-done": 2, "short-circuit": 3 } },
    }),
    turns: "ok ok force-done short-circuit",
  },
  {
    says: "there may be no final attempt",
    play: acts("consecutive-failures", six.slice(0, 4).map(fails), {
      finalResponseAfterFailure: false,
      ladders: { "consecutive-failures:any": { "short-circuit": 3 } },
    }),
    turns: "ok ok ok short-circuit",
  },
  {
    says: "the same action on the same index ends at the third time, whatever the page shows",
    play: acts("consecutive-failures", [click(5, "Clicked: page 1"), click(5, "Clicked: page 2"), click(5, "Clicked")]),
    turns: "ok ok short-circuit",
  },
  {
    says: "another index between sets that count back",
    play: acts("consecutive-failures", [works(5), works(5), works(6), works(5), works(5)]),
    turns: "ok ok ok ok ok",
  },
  {
    says: "another action on the same index sets it back",
    play: acts("consecutive-failures", [
      works(5),
      works(5),
      { calls: [{ tool: "type", args: '{"index":5,"text":"Rome"}' }], result: "Typed" },
      works(5),
      works(5),
    ]),
    turns: "ok ok ok ok ok",
  },
  {
    says: "the steps have a limit",
    play: acts("consecutive-failures", six.map(works), { ladders: { "budget:steps": { "short-circuit": 4 } } }),
    turns: "ok ok ok ok short-circuit short-circuit",
  },
];

/** The agent that sent one message fifteen times (004). */
const duplicates: readonly Row[] = [
  {
    says: "the same call of a tool is found, and the third in a row ends the run",
    play: acts("duplicate-calls", Array(5).fill(sends("⚙️ Checking database..."))),
    turns: "ok ok short-circuit short-circuit short-circuit",
  },
  {
    says: "other arguments do not trigger",
    play: acts(
      "duplicate-calls",
      six.map((n) => sends(`Message ${n}`)),
    ),
    turns: "ok ok ok ok ok ok",
  },
  {
    says: "arguments are compared by meaning, in any order of keys, at any depth",
    play: acts("duplicate-calls", [
      raw('{"a":1,"b":{"x":[1,{"p":1,"q":2}]},"c":true}'),
      raw('{"c":true,"b":{"x":[1,{"q":2,"p":1}]},"a":1}'),
      raw('{"b": {"x": [1, {"p": 1, "q": 2}]}, "a": 1, "c": true}'),
    ]),
    turns: "ok ok short-circuit",
  },
  {
    says: "the order within a list counts",
    play: acts("duplicate-calls", [raw('{"to":["a","b"]}'), raw('{"to":["b","a"]}'), raw('{"to":["a","b"]}')]),
    turns: "ok ok ok",
  },
  {
    says: "arguments that cannot be read break nothing, and are equal as texts",
    play: acts("duplicate-calls", [raw('{"text": "hel'), raw('{"text": "hel'), raw('{"text": "hel')]),
    turns: "ok ok short-circuit",
  },
  {
    says: "all calls of a turn are compared, not the first alone",
    play: acts("duplicate-calls", [sends("a", "b"), sends("a", "c"), sends("a", "d")]),
    turns: "ok ok ok",
  },
  {
    says: "all calls of a turn are equal: that is a duplicate",
    play: acts("duplicate-calls", Array(3).fill(sends("a", "b"))),
    turns: "ok ok short-circuit",
  },
  {
    says: "a turn with more calls is another",
    play: acts("duplicate-calls", [sends("a"), sends("a"), sends("a", "a2"), sends("a")]),
    turns: "ok ok ok ok",
  },
  {
    says: "another call between starts afresh",
    play: acts("duplicate-calls", [sends("a"), sends("a"), sends("b"), sends("a"), sends("a")]),
    turns: "ok ok ok ok ok",
  },
  {
    says: "what came back does not matter",
    play: acts(
      "duplicate-calls",
      six.slice(0, 3).map((n) => ({ ...sends("a"), result: `sent as number ${n * 17}` })),
    ),
    turns: "ok ok short-circuit",
  },
  {
    says: "the number may be set, also for a tool",
    play: acts("duplicate-calls", Array(4).fill(sends("a")), {
      tools: { message: { ladders: { "repeated-call": { "short-circuit": 4 } } } },
    }),
    turns: "ok ok ok short-circuit",
  },
];

describe.each([
  { system: "a conversation that has come to nothing but politeness", rows: politeness },
  { system: "a browser agent that fails in a row", rows: failures },
  { system: "an agent that makes the same calls again", rows: duplicates },
])("the document of $system says:", ({ rows }) => {
  it.each(rows)("$says", async ({ play, turns }) => expect((await play({})).join(" ")).toBe(turns));
});
