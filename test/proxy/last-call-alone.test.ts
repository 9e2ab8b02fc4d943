import { describe, expect, it } from "vitest";
import { postTo, searchTool } from "../support/agents/wire-agent.ts";
import { looping } from "../support/agents/scripts.ts";
import { chatCompletionsWire } from "../support/wires/chat-completions.ts";
import { messagesWire } from "../support/wires/messages.ts";
import type { Said } from "../support/wires/wire.ts";
import { guardRig, standard } from "./guard-rig.ts";

/** An agent that sends its task and the call it made last, and nothing of what came of it. */
const task: Said = { who: "user", text: "Wait until the build has passed." };

describe("a history that holds the last call alone", () => {
  it("is no loop, for nothing tells what came of the call", async () => {
    const rig = await guardRig(looping("nothing"), { policy: standard() });
    const verdicts: (string | null)[] = [];
    let said: readonly Said[] = [task];
    for (let turn = 0; turn < 14; turn++) {
      const body = JSON.stringify(chatCompletionsWire.body({ said, tools: [searchTool] }));
      const { headers, heard } = await postTo(chatCompletionsWire, rig.url, body);
      verdicts.push(headers.get("x-unloop-verdict"));
      said = [task, { who: "heard", entries: heard.entries }];
    }
    expect(new Set(verdicts)).toEqual(new Set(["ok"]));
  });

  it("is read from a user's message, too", async () => {
    const rig = await guardRig(looping("nothing"), { policy: standard() }, messagesWire);
    const call = { type: "tool_use", id: "toolu_01ab23cd45ef67", name: "search", input: { q: "Paris" } };
    const body = {
      model: "m",
      max_tokens: 9,
      messages: [
        { role: "user", content: "Go." },
        { role: "user", content: [call] },
      ],
    };
    const { headers } = await postTo(messagesWire, rig.url, JSON.stringify(body));
    expect(headers.get("x-unloop-steps")).toBe("1");
  });
});
