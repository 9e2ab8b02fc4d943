import { describe, expect, it } from "vitest";
import { isNews } from "../../../src/engine/engine.ts";

describe("automated feedback is no user's word", () => {
  it.each([
    "Observation: Invalid format: missing 'Action:' after 'Thought:'.",
    "Observation: nothing special here, value unchanged",
    "Error in code parsing: make sure to provide correct code blobs.",
    "Invalid format: follow the thought-action-input form.",
    "Your previous response failed the application's validation (this is automated feedback, not a message from the user):\n[…]",
    '2 validation errors:\n[{"type": "missing"}]\n\nFix the errors and try again.',
    "Stop hook feedback:\nRun the tests first.",
    "Error: Could not parse output. Please follow the format.",
    "Your last answer was not valid JSON.",
    "Analyze the tool result. If it is enough, give the final answer.",
    "PLANNING NUDGE: you have taken 6 steps without a plan.",
    "[SYSTEM NOTIFICATION - NOT USER INPUT] the sub-agent is done",
  ])("%s", (text) => expect(isNews(text)).toBe(false));

  it.each([
    "Please validate the form on the page.",
    "Write a parser that could not be simpler.",
    "The hook in src/hooks.ts is broken, fix it.",
    "Review the tool and tell me what you think.",
    "What did your last report say?",
  ])("a user's own word is no automated feedback: %s", (text) => expect(isNews(text)).toBe(true));
});
