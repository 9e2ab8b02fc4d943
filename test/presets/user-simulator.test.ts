import { describe, expect, it } from "vitest";
import { policyFrom } from "../../src/policy/policy.ts";
import { guardRig } from "../proxy/guard-rig.ts";
import { addedTo, dialogue, type Heard, saying } from "./dialogue.ts";

const simulator = "You are a user talking to an agent. When your goal is met, send ###STOP### to end the conversation.";
const agent = "You are a customer service agent of an airline.";

const welcome = "You're welcome! Have a great day! 😊";
const thanks = "Thank you, you too! Have a great day. 😊";

const verdicts = (turns: readonly Heard[]) => turns.map(({ headers }) => headers.get("x-unloop-verdict"));

describe("a dialogue", () => {
  /** The guarded side says `lines`; it hears `heard`, one for each turn. */
  async function play(
    system: string,
    lines: readonly string[],
    heard: readonly string[],
    policy: unknown = "user-simulator",
  ): Promise<readonly Heard[]> {
    const rig = await guardRig(saying(lines), { policy: typeof policy === "string" ? policy : policyFrom(policy) });
    const run = dialogue(rig, system, {});
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

  it.each([
    { name: "okay", ours: "Okay!", theirs: "Okay!" },
    { name: "a sign alone", ours: "👍", theirs: "👍" },
    { name: "two signs", ours: "🙏", theirs: "😊😊" },
    { name: "praise of each other", ours: "Great!", theirs: "Perfect!" },
    { name: "a question and its answer", ours: "Anything else?", theirs: "No." },
    { name: "one word in Chinese", ours: "好的。", theirs: "好的。" },
    { name: "one word each in Japanese", ours: "はい。", theirs: "了解です。" },
  ])("ends an exchange that has come to nothing but $name", async ({ ours, theirs }) => {
    const asked = ["Your room is booked.", ...Array(4).fill(theirs)];
    const [simulated, serving] = [await play(simulator, [ours], asked), await play(agent, [ours], asked)];
    expect(verdicts(simulated)).toEqual(["ok", "ok", "ok", "short-circuit", "short-circuit"]);
    expect(simulated[3]?.content).toBe("###STOP###");
    expect(verdicts(serving)).toEqual(["ok", "ok", "ok", "short-circuit", "short-circuit"]);
    for (const { content } of serving.slice(3)) expect(content).not.toMatch(/circles|繰り返し|兜圈子|unloop/);
  });

  it.each([
    {
      language: "Italian",
      ours: ["Grazie mille, arrivederci!", "Altrettanto, a presto!", "Buona giornata anche a Lei!", "Arrivederci!"],
      theirs: ["Prego, buona giornata!", "Arrivederci e grazie!", "A presto, grazie ancora!", "Buona giornata!"],
    },
    { language: "Portuguese", ours: ["Obrigado, até logo!"], theirs: ["De nada, tenha um bom dia!"] },
    { language: "Russian", ours: ["Спасибо, до свидания!"], theirs: ["Пожалуйста, хорошего дня!"] },
    { language: "Korean", ours: ["감사합니다, 안녕히 계세요!"], theirs: ["천만에요, 좋은 하루 되세요!"] },
    { language: "Arabic", ours: ["شكرا جزيلا، مع السلامة!"], theirs: ["عفوا، يوم سعيد!"] },
    { language: "Turkish", ours: ["Teşekkürler, hoşça kalın!"], theirs: ["Rica ederim, iyi günler!"] },
    { language: "Thai", ours: ["ขอบคุณครับ ลาก่อน"], theirs: ["ด้วยความยินดี ขอให้เป็นวันที่ดี"] },
  ])("ends farewells in $language, for which it has no list", async ({ ours, theirs }) => {
    const heard = Array.from({ length: 9 }, (_, i) => theirs[i % theirs.length] ?? "");
    const turns = await play(
      simulator,
      Array.from({ length: 9 }, (_, i) => ours[i % ours.length] ?? ""),
      heard,
    );
    const at = verdicts(turns).indexOf("short-circuit");
    expect(at).toBeGreaterThanOrEqual(3);
    expect(at).toBeLessThanOrEqual(5);
    expect(turns[at]?.content).toBe("###STOP###");
  });

  it.each([
    {
      name: "one answer to different questions",
      ours: ["Yes."],
      theirs: ["A window seat?", "With breakfast?", "For two?", "Two nights?", "Paid by card?", "By Friday?"],
    },
    {
      name: "different answers to one question",
      ours: ["A car.", "A hotel.", "A dinner.", "A guide.", "A boat.", "No."],
      theirs: ["Anything else?"],
    },
    {
      name: "an acknowledgement of each of many wishes",
      ours: ["Okay!"],
      theirs: ["A car, please.", "And a room.", "A table for two.", "And a guide.", "A boat, too.", "And a bike."],
    },
    {
      name: "a game of one word each",
      ours: ["Rock.", "Paper.", "Scissors.", "Rock.", "Paper.", "Paper."],
      theirs: ["Paper.", "Paper.", "Rock.", "Rock.", "Scissors.", "Paper."],
    },
    {
      name: "short wishes in a language without a list",
      ours: ["Va bene.", "Certo.", "Subito.", "Fatto.", "Sì.", "Ecco."],
      theirs: [
        "Vorrei un tavolo.",
        "Per due persone.",
        "Domani sera.",
        "Vicino alla finestra.",
        "E un vino.",
        "Il conto.",
      ],
    },
  ])("goes on where short words are $name", async ({ ours, theirs }) => {
    const cycled = (lines: readonly string[]) => Array.from({ length: 6 }, (_, i) => lines[i % lines.length] ?? "");
    const policy = { extends: "user-simulator", ladders: { "repeated-message:heard": {} } };
    expect(verdicts(await play(agent, cycled(ours), cycled(theirs), policy))).toEqual(Array(6).fill("ok"));
  });

  it.each([
    { language: "English", ours: welcome, theirs: thanks, says: "Goodbye" },
    {
      language: "German",
      ours: "Gern geschehen, tschüss!",
      theirs: "Vielen Dank, auf Wiedersehen!",
      says: "Gespräch ist abgeschlossen",
    },
    {
      language: "Japanese",
      ours: "ありがとうございました。",
      theirs: "どういたしまして。",
      says: "この会話はこれで終了です",
    },
    { language: "Chinese", ours: "不客气,再见!", theirs: "谢谢您,再见!", says: "正常结束" },
    {
      language: "Spanish",
      ours: "De nada, ¡hasta luego!",
      theirs: "¡Gracias, adiós!",
      says: "conversación ha terminado",
    },
    {
      language: "French",
      ours: "De rien, au revoir !",
      theirs: "Merci, bonne journée !",
      says: "conversation est terminée",
    },
  ])("ends like any conversation behind goodbyes in $language: a reader sees no word of a loop", async (row) => {
    const { language, ours, theirs, says } = row;
    // In short words alone no language shows: it is that of what was asked.
    const asked = { German: "Bitte storniere mein Zimmer in dem Hotel.", French: "Je voudrais annuler ma chambre." };
    const first = language === "German" || language === "French" ? asked[language] : theirs;
    const turns = await play(agent, ["Okay: 12.", ours], [first, theirs, theirs, theirs]);
    const { content = "", finish } = turns[3] ?? {};
    expect(content).toContain(says);
    expect(content).not.toMatch(/unloop|circles|stopped|unfinished|繰り返し|未完了|循环|未完成|Kreis|rond|círculo/i);
    expect(finish).toBe("stop");
  });

  it("ends plainly where both sides insist, too, and says what lets it go on", async () => {
    const turns = await play(
      agent,
      ["Please give me the number of your booking."],
      ["Hello there.", ...Array(3).fill("I want to cancel my booking right now.")],
    );
    expect(turns.at(-1)?.headers.get("x-unloop-verdict")).toBe("short-circuit");
    expect(turns.at(-1)?.content).toMatch(/nothing new.*new message/);
    expect(turns.at(-1)?.content).not.toMatch(/circles|unloop/);
  });

  it("answers an environment that goes on without asking the model, or with an error where a policy says so", async () => {
    const heard = [...Array(8).fill(welcome)];
    const silent = await play(simulator, [thanks], heard);
    expect(silent.slice(2).map(({ content, received }) => [content, received.length])).toEqual(
      Array(6).fill(["###STOP###", 0]),
    );
    const rig = await guardRig(saying([thanks]), {
      policy: policyFrom({ extends: "user-simulator", finalResponse: "answer-then-error" }),
    });
    const run = dialogue(rig, simulator, {});
    for (const said of heard.slice(0, 2)) await run.turn(said);
    expect(await run.turn(welcome)).toMatchObject({ status: 200, content: "###STOP###" });
    await expect(run.turn(welcome)).rejects.toThrow();
    expect(rig.upstream.requests).toHaveLength(2);
  });

  it("is told when to stop in the language of its own instructions, whoever greets it", async () => {
    const system = "你是一个用户,正在与客服对话。目标达成后发送 ###STOP### 结束对话。";
    const rig = await guardRig(saying([thanks]), { policy: "user-simulator" });
    const turn = await dialogue(rig, system, {}).turn("Hello, how can I help you today?");
    const [asked] = JSON.parse(String(turn.received[0]?.bytes)).messages;
    expect(asked.content).toMatch(/必须立即单独回复“###STOP###”/);
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
