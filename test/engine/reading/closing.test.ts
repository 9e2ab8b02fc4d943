import { describe, expect, it } from "vitest";
import { closingLength } from "../../../src/engine/reading/closing.ts";

describe("nothing but a farewell", () => {
  it.each([
    "You're welcome! Have a great day! 😊",
    "Thank you, you too! Have a great day. 😊",
    "THANK YOU!!! HAVE A NICE DAY",
    "Ｔｈａｎｋ ｙｏｕ！",
    "You’re very welcome, take care!",
    "Goodbye, Jon, take care!",
    "Bye bye!",
    "No, that’s all I needed. Thanks for your help!",
    "You're welcome! Let me know if you need anything.",
    "You're welcome. If you have any other questions, feel free to ask!",
    "どういたしまして。また何かありましたらお知らせください。",
    "不客气！如果您还有其他需要，请随时联系我。",
    "My pleasure. Feel free to reach out if you need anything else. Bye!",
    "どういたしまして。良い一日をお過ごしください！",
    "ありがとうございました。失礼いたします。",
    "不客气！祝您生活愉快！",
    "谢谢您，再见👋",
    "¡De nada! ¡Que tenga un buen día!",
    "Muchas gracias, hasta luego.",
    "Gern geschehen! Einen schönen Tag noch!",
    "Vielen Dank, auf Wiedersehen!",
    "Je vous en prie. Bonne journée !",
    "Merci beaucoup, au revoir",
  ])("%s", (text) => expect(closingLength(text)).toBe(Array.from(text).length));
});

describe("more than a farewell", () => {
  it.each([
    "",
    "😊",
    "Okay.",
    "Thanks, and also cancel order 5",
    "Thanks, and also cancel the order",
    "Thank you, that's all I needed? One more thing",
    "Thank you. My user ID is lucas_brown_4047.",
    "Thank you! But the address is wrong",
    "Thanks, I need help",
    "Yes, thank you.",
    "Let me know if you need anything.",
    "Thanks. Let me know when it ships",
    "谢谢，请随时通知我订单的状态",
    "Thank you for calling! How can I help you",
    "Thank you. Your flight leaves from gate seven at noon tomorrow",
    "You're welcome! Is there anything else?",
    "Yes, please proceed with the exchange. Thank you.",
    "###STOP###",
    "Thanks! ###STOP###",
    "bytes and cooldown",
    "ありがとうございます。もう一つ教えてください",
    "ありがとうございます。注文を取り消してください",
    "谢谢，请帮我取消订单",
    "谢谢，还有别的航班吗",
    "Gracias, pero quiero cambiar mi vuelo",
    "Danke, aber ich möchte noch etwas ändern",
    "Merci, mais je voudrais annuler ma commande",
    `Thank you. ${"Have a great day! ".repeat(20)}`,
  ])("%s", (text) => expect(closingLength(text)).toBeUndefined());
});

it("is told in a moment, however the text was made", () => {
  const texts = ["thank you ".repeat(39), "have a ".repeat(57), "bis ".repeat(99), "祝您".repeat(199)];
  for (const text of texts) expect(closingLength(text) ?? 0).toBeLessThanOrEqual(200);
});
