import { Ollama } from "ollama";
import { describe, expect, it, vi } from "vitest";
import { guardRig, requestsOnly, standard } from "../proxy/guard-rig.ts";
import { ollamaWire } from "../support/wires/ollama.ts";
import type { Script } from "../support/servers/upstream.ts";

const messages = [{ role: "user", content: "Compare Paris and Rome." }];
const tools = [
  { type: "function", function: { name: "search", description: "finds", parameters: { type: "object" } } },
];

async function asking(script: Script, policy = standard()) {
  const rig = await guardRig(script, { policy }, ollamaWire);
  return { rig, sdk: new Ollama({ host: rig.url }) };
}

describe("Ollama's own client", () => {
  it.each(["content", "thinking"] as const)(
    "reads a chant in its %s that was cut off as a whole answer",
    async (part) => {
      const text = "I will check the file again. ".repeat(80);
      const { rig, sdk } = await asking(({ view }) => {
        const whole = ollamaWire.rendered({ kind: "text", text }, view, String);
        const pieces = whole.pieces.map((piece) => String(piece).replace('"content":"', `"${part}":"`));
        return { ...whole, pieces: pieces.slice(0, -20), ending: "hang" };
      });
      let heard = "";
      let done = false;
      for await (const line of await sdk.chat({ model: "qwen3", messages, stream: true })) {
        heard += line.message[part] ?? "";
        ({ done } = line);
      }
      expect(done).toBe(true);
      expect(text.startsWith(heard)).toBe(true);
      expect(heard.length).toBeLessThan(text.length / 2);
      await vi.waitFor(() => expect(rig.upstream.requests[0]?.aborted).toBe(true));
    },
  );

  it("is refused with an error that says why", async () => {
    const policy = { ...requestsOnly(), finalResponse: "error" as const };
    const { sdk } = await asking(() => ({ kind: "calls", calls: [{ tool: "search", args: "{}" }] }), policy);
    const turn = [
      { role: "assistant", content: "", tool_calls: [{ function: { name: "search", arguments: {} } }] },
      { role: "tool", tool_name: "search", content: "rain" },
    ];
    const said = [...messages, ...Array(8).fill(turn).flat()];
    await expect(sdk.chat({ model: "qwen3", messages: said, tools, stream: false })).rejects.toMatchObject({
      status_code: 400,
      error: expect.stringContaining("stopped"),
    });
  });
});
