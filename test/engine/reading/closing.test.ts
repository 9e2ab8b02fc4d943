import { describe, expect, it } from "vitest";
import { closingLength } from "../../../src/engine/reading/closing.ts";

describe("nothing but a farewell", () => {
  it.each([
    "Thank you, you too! Have a great day. 😊",
    "Ｔｈａｎｋ ｙｏｕ！",
    "No, that’s all I needed. Thanks for your help!",
    "You're welcome! Let me know if you need anything.",
    "どういたしまして。また何かありましたらお知らせください。",
    "¡De nada! ¡Que tenga un buen día!",
    "Je vous en prie. Bonne journée !",
  ])("%s", (text) => expect(closingLength(text)).toBe(Array.from(text).length));
});

describe("more than a farewell", () => {
  it.each([
    "",
    "Thanks, and also cancel the order",
    "Yes, thank you.",
    "Thanks. Let me know when it ships",
    "Thank you. Your flight leaves from gate seven at noon tomorrow",
    "You're welcome! Is there anything else?",
    "ありがとうございます。注文を取り消してください",
    "Merci, mais je voudrais annuler ma commande",
    `Thank you. ${"Have a great day! ".repeat(20)}`,
  ])("%s", (text) => expect(closingLength(text)).toBeUndefined());
});

it("is told in a moment, however the text was made", () => {
  const texts = ["thank you ".repeat(39), "have a ".repeat(57), "bis ".repeat(99), "祝您".repeat(199)];
  for (const text of texts) expect(closingLength(text) ?? 0).toBeLessThanOrEqual(200);
});
