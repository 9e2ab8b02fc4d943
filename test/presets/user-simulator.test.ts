import { describe, expect, it } from "vitest";
import { policyFrom } from "../../src/policy/policy.ts";
import { guardRig } from "../proxy/guard-rig.ts";
import { addedTo, dialogue, type Heard, saying, ways } from "./dialogue.ts";

const simulator = "You are a user talking to an agent. When your goal is met, send ###STOP### to end the conversation.";
const agent = "You are a customer service agent of an airline.";

const welcome = "You're welcome! Have a great day! 😊";
const thanks = "Thank you, you too! Have a great day. 😊";

const verdicts = (turns: readonly Heard[]) => turns.map(({ headers }) => headers.get("x-unloop-verdict"));

describe.each(ways)("a dialogue whose guarded side answers with $kind", ({ extra }) => {
  /** The guarded side says `lines`; it hears `heard`, one for each turn. */
  async function play(
    system: string,
    lines: readonly string[],
    heard: readonly string[],
    policy: unknown = "user-simulator",
  ): Promise<readonly Heard[]> {
    const rig = await guardRig(saying(lines), { policy: typeof policy === "string" ? policy : policyFrom(policy) });
    const run = dialogue(rig, system, extra);
    const turns: Heard[] = [];
    for (const said of heard) turns.push(await run.turn(said));
    const added = new Set(addedTo(turns, system));
    expect([...added].map((text) => text !== "")).toEqual([system === simulator]);
    return turns;
  }

  it("ends with the stop signal alone after two rounds of courtesies, where it plays the user", async () => {
    const turns = await play(simulator, [thanks], Array(5).fill(welcome));
    expect(verdicts(turns).slice(0, 3)).toEqual(["ok", "ok", "short-circuit"]);
    expect(turns[2]?.content).toBe("###STOP###");
    expect(turns[2]?.finish).toBe("stop");
    expect(turns[2]?.received).toEqual([]);
    expect(turns.slice(0, 2).map(({ text }) => text)).toEqual(
      turns.slice(0, 2).map(({ received }) => String(received[0]?.answer)),
    );
  });

  it("ends plainly after two rounds, where it is the agent", async () => {
    const turns = await play(agent, [welcome], Array(4).fill(thanks));
    expect(verdicts(turns).slice(0, 3)).toEqual(["ok", "ok", "short-circuit"]);
    expect(turns[2]?.content).not.toContain("###STOP###");
    expect(turns[2]?.content).not.toBe("");
    expect(turns[2]?.received).toEqual([]);
  });

  it("goes on where the simulator sends its stop signal by itself", async () => {
    const turns = await play(simulator, ["###STOP###"], ["The task is complete! Have a great day! 😊"]);
    expect(turns.map(({ content }) => content)).toEqual(["###STOP###"]);
    expect(verdicts(turns)).toEqual(["ok"]);
  });

  it("counts rounds afresh after anything else was said", async () => {
    const lines = [thanks, "Oh wait, can you also book a window seat for me?", thanks, thanks];
    const turns = await play(simulator, lines, [welcome, welcome, "Seat 12A is booked for you.", welcome]);
    expect(verdicts(turns)).toEqual(["ok", "ok", "ok", "ok"]);
  });

  it.each([
    { name: "a closing of 50 characters or more", said: "Thank you so much, you have been really very kind today" },
    { name: "a closing that asks for more", said: "Thanks! And could you cancel order 5?" },
    { name: "no closing at all", said: "I need the other flight." },
  ])("does not take for a farewell: $name", async ({ said }) => {
    const lines = [said, `${said} `, `${said}  `];
    const turns = await play(simulator, lines.slice(0, 2), [welcome, welcome, welcome], {
      extends: "user-simulator",
      ladders: { "repeated-message:similar": {}, "repeated-message:heard": {} },
    });
    expect(verdicts(turns)).toEqual(["ok", "ok", "ok"]);
  });

  it.each([
    { language: "Japanese", ours: "ありがとうございました。さようなら!", theirs: "どういたしまして。良い一日を!" },
    { language: "Chinese", ours: "谢谢您,再见!", theirs: "不客气,祝您有美好的一天!" },
    { language: "Spanish", ours: "¡Muchas gracias, hasta luego!", theirs: "De nada, ¡que tenga un buen día!" },
    { language: "German", ours: "Vielen Dank, tschüss!", theirs: "Gern geschehen, einen schönen Tag!" },
    { language: "French", ours: "Merci beaucoup, au revoir !", theirs: "De rien, bonne journée !" },
    { language: "English in capitals and wide letters", ours: "THANK YOU!!! ｂｙｅ 👋", theirs: "TAKE CARE 🙂" },
  ])("knows a farewell in $language", async ({ ours, theirs }) => {
    const turns = await play(simulator, [ours], [theirs, theirs, theirs]);
    expect(turns[2]?.content).toBe("###STOP###");
  });

  it("ends at the third similar message, whatever hears it, but for emoji, case and punctuation", async () => {
    const lines = [
      "I want to cancel my booking please.",
      "I WANT to cancel my booking, please! 🙏",
      "I want to cancel my booking please…",
    ];
    const heard = ["Which booking?", "I need your booking number.", "Is it under your own name?", "Anything else?"];
    const turns = await play(simulator, lines, heard);
    expect(verdicts(turns)).toEqual(["ok", "ok", "ok", "short-circuit"]);
    expect(turns[3]?.content).toBe("###STOP###");
  });

  it("ends at the third similar message of the other side", async () => {
    const heard = ["How can I help?", ...Array(3).fill("Please tell me your reservation number first.")];
    const turns = await play(simulator, ["My name is Ann.", "It is about Paris.", "Fine with me."], heard);
    expect(verdicts(turns)).toEqual(["ok", "ok", "ok", "short-circuit"]);
  });

  it.each([2, 4, 5])("ends at as many similar messages as a policy says: %d", async (count) => {
    const policy = { extends: "user-simulator", ladders: { "repeated-message:similar": { "short-circuit": count } } };
    const heard = ["Which one?", "From where?", "When was that?", "Who booked it?", "Is that all?", "Hello?"];
    const turns = await play(simulator, ["I want to cancel my booking please."], heard.slice(0, count + 1), policy);
    expect(verdicts(turns)).toEqual([...Array(count).fill("ok"), "short-circuit"]);
  });

  it("is told in the system prompt when to stop, only where it was told of the signal", async () => {
    const [ours] = await play(simulator, [thanks], ["Hello, how can I help?"]);
    const [theirs] = await play(agent, [welcome], ["Hi, I need help."]);
    const asked = JSON.parse(String(ours?.received[0]?.bytes));
    expect(asked.messages[0].content).toContain(simulator);
    expect(asked.messages[0].content).toMatch(/'###STOP###' as a standalone message/);
    expect(String(theirs?.received[0]?.bytes)).toBe(theirs?.sent);
  });

  it("ends after 30 steps at the latest", async () => {
    const words = "ash birch cedar dogwood elm fir gum hazel ivy juniper kapok larch maple nutmeg oak pine".split(" ");
    const sentence = (n: number) => Array.from({ length: 5 }, (_, i) => words[(n * (i + 1) + i * i) % 16]).join(" ");
    const lines = Array.from({ length: 40 }, (_, n) => `Is ${sentence(n)} in reach?`);
    const heard = Array.from({ length: 31 }, (_, n) => `Rather ${sentence(n * 3 + 1)} then?`);
    const turns = await play(simulator, lines, heard);
    expect(verdicts(turns)).toEqual([...Array(30).fill("ok"), "short-circuit"]);
    expect(turns.at(-1)?.content).toBe("###STOP###");
  });

  it("ends after turns without a tool call, as many as a policy says", async () => {
    const policy = { extends: "user-simulator", ladders: { "repeated-message:no-call": { "short-circuit": 4 } } };
    const lines = [
      "Let me see about that.",
      "It takes a while.",
      "Nothing found in Rome.",
      "There may be one in Oslo.",
    ];
    const heard = ["Find me a flight.", "Any news?", "And elsewhere?", "So?", "Well?"];
    const turns = await play(agent, lines, heard, policy);
    expect(verdicts(turns)).toEqual([...Array(4).fill("ok"), "short-circuit"]);
  });
});
