import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Guard, startGuard } from "../support/servers/guarded.ts";
import { chatCompletionsWire } from "../support/wires/chat-completions.ts";
import { geminiWire } from "../support/wires/gemini.ts";
import { throughDecide } from "./decide-front.ts";
import { played, stories } from "./stories.ts";

let guard: Guard;
beforeAll(async () => {
  guard = await startGuard({ upstream: "http://127.0.0.1:9" });
});
afterAll(() => guard.close());

describe.each([chatCompletionsWire, geminiWire])("through decide, in $name", (wire) => {
  it.each(stories)("$name has the rungs at the turns that it has through the proxy", async (story) => {
    const front = throughDecide(() => guard.url);
    expect(await played(story, wire, front)).toEqual(story.verdicts);
  });
});
