import { describe, expect, it } from "vitest";
import { finalText, policyFrom, preambleFor } from "../../src/policy/policy.ts";
import { languages } from "../../src/policy/wording/wording.ts";
import { preset } from "../support/builders/detection.ts";
import { call, said } from "../support/builders/steps.ts";

const told = { detector: "repeated-call", count: 3 } as const;
const agent = "You are an agent.";
const simulator = "You are a user. If the goal is met, generate '###STOP###' as a standalone message.";
const step = { ...call("message", { text: "hi" }, "ok"), text: "⚙️ Checking database..." };

describe("the last words of a run", () => {
  it("are brief, or the reason", () => {
    const run = { system: simulator };
    expect(finalText(told, step, "en", preset("default"), run)).not.toContain("message(");
    const policy = { ...preset("default"), finalText: "reason" } as const;
    expect(finalText(told, step, "en", policy, run)).toBe(finalText(told, step, "en"));
    expect(finalText(told, step, "en")).toContain("message(");
  });

  it("are the stop signal alone where the guarded side was told to say it", () => {
    const policy = preset("user-simulator");
    expect(finalText(told, step, "en", policy, { system: simulator })).toBe("###STOP###");
    expect(finalText(told, step, "en", policy, { system: agent })).toContain("stopped");
  });

  it("are the turn's own text where the policy prefers it", () => {
    const policy = preset("duplicate-calls");
    expect(finalText(told, step, "en", policy, { system: agent })).toBe("⚙️ Checking database...");
  });

  it.each([
    { language: "en", text: "I've completed processing but have no new response to give." },
    { language: "ja", text: "処理は完了しましたが、新しくお伝えすることはありません。" },
    { language: "zh", text: "处理已完成,但没有新的内容可以回复。" },
  ] as const)("are a plain sentence in $language where there is no such text", ({ language, text }) => {
    const policy = preset("duplicate-calls");
    expect(finalText(told, said("  "), language, policy, { system: agent })).toBe(text);
  });
});

describe("the preamble", () => {
  it.each(languages)("tells an agent on pages in %s what to look at before it acts", (language) => {
    const text = preambleFor({ policy: preset("web-actions"), system: agent, language });
    const words = {
      en: /history.*fields already filled.*stage/s,
      ja: /履歴.*入力済み.*段階/s,
      zh: /历史.*已填写.*阶段/s,
      es: /historial.*campos ya rellenados.*etapa/s,
      de: /verlauf.*ausgefüllten Felder.*Stand/s,
      fr: /historique.*champs déjà remplis.*étape/s,
      pt: /histórico.*campos já preenchidos.*etapa/s,
      ko: /기록.*이미 채운 입력란.*단계/s,
    };
    expect(text).toMatch(words[language]);
  });

  it.each([
    { told: simulator, word: "standalone" },
    { told: "目標が達成されたら ###STOP### とだけ答えてください。", word: "単独" },
    { told: "目标达成后,请单独发送 ###STOP###。", word: "必须" },
    { told: "Cuando se cumpla el objetivo, responde solo con ###STOP###.", word: "mensaje único" },
    { told: "Wenn das Ziel erreicht ist, antworte nur mit ###STOP### und nichts anderem.", word: "alleiniger" },
    { told: "Quand le but est atteint, réponds par ###STOP### et rien d'autre.", word: "message unique" },
    {
      told: "Quando o objetivo for alcançado, responda com ###STOP### e nada mais, por favor.",
      word: "mensagem única",
    },
    { told: "목표가 달성되면 ###STOP### 만 보내세요.", word: "단독" },
  ])("tells one who plays the user to stop at once, in the language of its own prompt: $word", (row) => {
    const policy = preset("user-simulator");
    const text = preambleFor({ policy, system: row.told, language: "en" });
    expect(text).toContain("###STOP###");
    expect(text).toContain(row.word);
    expect(preambleFor({ policy, system: agent, language: "de" })).toBeUndefined();
  });

  it("names the policy's own signal", () => {
    const policy = policyFrom({ extends: "user-simulator", stopSignal: "<end>" });
    const text = preambleFor({ policy, system: "Say <end> when you are done.", language: "en" });
    expect(text).toContain("<end>");
    expect(text).not.toMatch(/###STOP###|\{/);
  });

  it("may be one text for all languages, or lack some", () => {
    const one = policyFrom({ preamble: { text: "Look first." } });
    expect(preambleFor({ policy: one, system: agent, language: "ja" })).toBe("Look first.");
    const some = policyFrom({ preamble: { text: { ja: "まず見ること。" } } });
    expect(preambleFor({ policy: some, system: agent, language: "zh" })).toBe("まず見ること。");
  });

  it("is not said twice, and not at all where there is none", () => {
    const policy = policyFrom({ preamble: { text: "Look first." } });
    expect(preambleFor({ policy, system: `${agent} Look first.`, language: "en" })).toBeUndefined();
    expect(preambleFor({ policy: preset("default"), system: agent, language: "en" })).toBeUndefined();
  });
});
