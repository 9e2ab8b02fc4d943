import { describe, expect, it } from "vitest";
import { guardRig } from "../proxy/guard-rig.ts";
import { addedTo, dialogue, type Heard, saying } from "./dialogue.ts";
import { passes, presetRig, type Rig, told } from "./rig.ts";

const simulator = "You are a user talking to an agent. When your goal is met, send ###STOP### to end the conversation.";
const agent = "You are a customer service agent of an airline.";
const welcome = "You're welcome! Have a great day! 😊";
const thanks = "Thank you, you too! Have a great day. 😊";
const booking = "I want to cancel my booking please.";

type Said = readonly string[];

const forced = (policy: object = {}) => ({ extends: "user-simulator", ...policy });
const lines = (said: string | Said, count: number): Said => {
  const all = typeof said === "string" ? [said] : said;
  return Array.from({ length: count }, (_, i) => all[i % all.length] ?? "");
};

/** A dialogue whose guarded side says `ours`, and hears `theirs`; of either the last is said again. */
async function play(ours: string | Said, theirs: Said, { system = simulator, policy = {} as object } = {}) {
  const rig = presetRig(saying(typeof ours === "string" ? [ours] : ours), forced(policy));
  return heardIn(rig, system, theirs);
}

async function heardIn(rig: Rig, system: string, theirs: Said, extra: object = {}) {
  const run = dialogue(rig, system, extra);
  const turns: Heard[] = [];
  for (const said of theirs) turns.push(await run.turn(said));
  return turns;
}

const questions = ["Which booking?", "I need your booking number.", "Is it under your own name?", "Anything else?"];

interface Row {
  readonly says: string;
  readonly ours: string | Said;
  readonly theirs: Said;
  readonly turns: string;
  readonly system?: string;
  readonly policy?: object;
}

describe("a conversation that has come to nothing but politeness", () => {
  it.each<Row>([
    { says: "two rounds of courtesies end it", ours: thanks, theirs: lines(welcome, 4), turns: "ok ok end end" },
    {
      says: "two rounds end it where the agent is guarded, too",
      ...{ system: agent, ours: welcome, theirs: lines(thanks, 4), turns: "ok ok end end" },
    },
    {
      says: "anything else between sets the count back",
      ...{ ours: [thanks, "Oh wait, can you also book a window seat for me?", thanks, thanks], turns: passes(4) },
      theirs: [welcome, welcome, "Seat 12A is booked for you.", welcome],
    },
    {
      says: "three similar messages in a row end it: without emoji, case and punctuation",
      ours: [booking, "I WANT to cancel my booking, please! 🙏", "I want to cancel my booking please…"],
      ...{ theirs: questions, turns: "ok ok ok end" },
    },
    {
      says: "turns without a tool call end it, as many as a policy says",
      ours: ["Let me see about that.", "It takes a while.", "Nothing found in Rome.", "There may be one in Oslo."],
      ...{ system: agent, theirs: ["A flight?", "Any news?", "There?", "So?", "Well?"], turns: passes(4, "end") },
      policy: { ladders: { "repeated-message:no-call": { "short-circuit": 4 } } },
    },
  ])("$says", async ({ ours, theirs, turns, ...terms }) => expect(told(await play(ours, theirs, terms))).toBe(turns));

  it.each([
    ["🙏", "😊😊"],
    ["Great!", "Perfect!"],
    ["はい。", "了解です。"],
  ])("ends an exchange of nothing but %s and %s, without a word of a loop", async (ours, theirs) => {
    const turns = await play(ours, ["Your room is booked.", ...lines(theirs, 3)], { system: agent });
    expect(told(turns)).toBe("ok ok ok end");
    expect(turns[3]?.content).not.toMatch(/circles|繰り返し|兜圈子|unloop/);
  });
  it.each<[string, string | Said, string | Said]>([
    ["one answer to different questions", "Yes.", ["A seat?", "Breakfast?", "For two?", "Nights?", "Card?", "When?"]],
    ["other answers to one question", ["A car.", "A hotel.", "A dinner.", "A guide.", "A boat.", "No."], "What else?"],
    [
      "a game of one word each",
      ["Rock.", "Paper.", "Scissors.", "Rock.", "Paper.", "Paper."],
      ["Paper.", "Paper.", "Rock.", "Rock.", "Scissors.", "Paper."],
    ],
  ])("goes on where short words are %s", async (_, ours, theirs) => {
    const policy = { ladders: { "repeated-message:heard": {} } };
    expect(told(await play(lines(ours, 6), lines(theirs, 6), { system: agent, policy }))).toBe(passes(6));
  });

  it.each([
    ["Hello, I have a question.", welcome, thanks, "come to its end"],
    ["どういたしまして。", "ありがとうございました。", "どういたしまして。", "この会話は終了です"],
  ])("ends like any conversation behind %s: a reader sees no word of a loop", async (first, ours, theirs, says) => {
    const turns = await play(["Okay: 12.", ours], [first, theirs, theirs, theirs], { system: agent });
    const { content = "", finish } = turns[3] ?? {};
    expect(content).toContain(says);
    expect(content).not.toMatch(/unloop|circles|stopped|unfinished|繰り返し|未完了|循环|未完成|Kreis|rond|círculo/i);
    expect(finish).toBe("stop");
  });
});

describe("what the model is told in its system prompt", () => {
  it("is when to stop, only where it was told of the signal; and nothing else is changed", async () => {
    const [ours] = await play(thanks, ["Hello, how can I help?"]);
    const [theirs] = await play(welcome, ["Hi, I need help."], { system: agent });
    expect(addedTo(ours === undefined ? [] : [ours], simulator)[0]).toMatch(/'###STOP###' as a standalone message/);
    expect(String(theirs?.received[0]?.bytes)).toBe(theirs?.sent);
  });
});

describe("over HTTP", () => {
  it.each([{}, { stream: true }])(
    "two rounds end, and an environment that goes on is answered without the model: %j",
    async (extra) => {
      const rig = await guardRig(saying([thanks]), { policy: "user-simulator" });
      const turns = await heardIn(rig, simulator, lines(welcome, 5), extra);
      expect(told(turns)).toBe("ok ok end end end");
      expect(new Set(addedTo(turns, simulator)).size).toBe(1);
      const ended = turns.slice(2).map(({ content, finish, received }) => [content, finish, received.length]);
      expect(ended).toEqual(Array(3).fill(["###STOP###", "stop", 0]));
    },
  );
});
