import { describe, expect, it } from "vitest";
import { isNews } from "../../../src/engine/engine.ts";

describe("automated feedback is no user's word", () => {
  it.each([
    "Observation: Invalid format: missing 'Action:' after 'Thought:'.",
    "Your previous response failed the application's validation (this is automated feedback, not a message from the user):\n[…]",
    "Stop hook feedback:\nRun the tests first.",
    "Your last answer was not valid JSON.",
    "PLANNING NUDGE: you have taken 6 steps without a plan.",
    "[SYSTEM NOTIFICATION - NOT USER INPUT] the sub-agent is done",
  ])("%s", (text) => expect(isNews(text)).toBe(false));

  it.each([
    "Please validate the form on the page.",
    "The hook in src/hooks.ts is broken, fix it.",
    "What did your last report say?",
  ])("a user's own word is no automated feedback: %s", (text) => expect(isNews(text)).toBe(true));
});
