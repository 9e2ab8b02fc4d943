import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Guard, startGuard } from "../support/servers/guarded.ts";
import { chatCompletionsWire } from "../support/wires/chat-completions.ts";
import { geminiWire } from "../support/wires/gemini.ts";
import type { Wire } from "../support/wires/wire.ts";
import { throughDecide } from "./decide-front.ts";
import { played } from "./played.ts";
import { stories } from "./stories.ts";
import { type StoryWay, throughProxy } from "./way.ts";

let guard: Guard;

const ways: readonly { readonly name: string; readonly way: StoryWay; readonly wires: readonly Wire[] }[] = [
  { name: "the proxy", way: throughProxy, wires: [chatCompletionsWire] },
  {
    name: "decide",
    way: throughDecide(() => guard.url),
    wires: [chatCompletionsWire, geminiWire],
  },
];

beforeAll(async () => {
  guard = await startGuard({ upstream: "http://127.0.0.1:9" });
});
afterAll(() => guard.close());

describe.each(ways)("through $name", ({ way, wires }) => {
  describe.each(wires)("in $name", (wire) => {
    it.each(stories)("$name has the same rungs at the same turns", async (story) => {
      expect(await played(story, wire, way)).toEqual(story.verdicts);
    });
  });
});
