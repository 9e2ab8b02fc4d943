import { describe, expect, it } from "vitest";
import { finalText } from "../../src/policy/policy.ts";
import type { Step } from "../../src/step.ts";

const told = { detector: "repeated-call", grade: "failing", count: 5 } as const;
const stepWith = (text: string): Step => ({
  calls: [{ tool: text, args: JSON.stringify({ path: text }), outcome: { text } }],
  text: "",
  heard: [],
});

describe("what a tool has said, in an answer of the guard's own,", () => {
  it.each([
    {
      name: "a picture",
      text: "![p](https://evil.example/a.png?d=1)",
      gone: ["https://", "![p](", "](", "evil.example"],
    },
    { name: "a link", text: "[press here](http://evil.example)", gone: ["http://", "](", "evil.example"] },
    { name: "a bare link", text: "see www.evil.example/x or HTTPS://EVIL.EXAMPLE", gone: ["www.evil", "EVIL.EXAMPLE"] },
    { name: "a link within a word", text: "_https://evil.example/x_ 1https://evil.example/y", gone: ["evil.example"] },
    { name: "markup", text: "<img src=x onerror=alert(1)><script>", gone: ["<img", "<script", ">"] },
    { name: "a script's address", text: "[x](javascript:alert(1))", gone: ["javascript:"] },
    { name: "data as a picture", text: "![](data:image/png;base64,AAAA)", gone: ["data:image"] },
    { name: "a turned direction", text: "gnp.\u202eexe", gone: ["\u202e"] },
    { name: "hidden marks", text: "a\u200b\u2066b\ufeff", gone: ["\u200b", "\u2066", "\ufeff"] },
    { name: "code", text: "```js\nx\n```", gone: ["`"] },
    { name: "a reference", text: "[x]: http://evil.example", gone: ["]:", "evil.example"] },
  ])("is harmless: $name", ({ text, gone }) => {
    for (const language of ["en", "ja", "zh"] as const) {
      const said = finalText(told as Parameters<typeof finalText>[0], stepWith(text), language);
      for (const part of gone) expect(said).not.toContain(part);
    }
  });

  it("still tells what came back", () => {
    expect(finalText(told as Parameters<typeof finalText>[0], stepWith("no such file: a.txt"), "en")).toContain(
      "no such file: a.txt",
    );
  });
});
