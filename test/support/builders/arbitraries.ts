import fc from "fast-check";
import type { Call, Conversation, Step } from "../../../src/step.ts";

/** Few words, so that repeats, cycles and failures come about by chance. */
const tool = fc.constantFrom(
  "read",
  "search",
  "edit_file",
  "send_message",
  "job_status",
  "think",
  "todo_write",
  "bash",
);
const args = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom('{"path":"a"}', '{"path":"b"}', "{}", '{"q":"x","reason":"y"}', '{"command":"sleep 5"}'),
  },
  { weight: 1, arbitrary: fc.json() },
  { weight: 1, arbitrary: fc.string({ unit: "binary" }) },
);
const outcome = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      "",
      "ok",
      "the text of a",
      "Error: no such file",
      "503 Service Unavailable",
      "running",
      '{"rows":[1,2]}',
    ),
  },
  { weight: 1, arbitrary: fc.json() },
  { weight: 1, arbitrary: fc.string({ unit: "binary" }) },
);

const call: fc.Arbitrary<Call> = fc
  .record({
    tool: fc.oneof({ weight: 9, arbitrary: tool }, { weight: 1, arbitrary: fc.string({ unit: "binary" }) }),
    args,
    text: fc.option(outcome, { nil: undefined, freq: 9 }),
    failed: fc.option(fc.boolean(), { nil: undefined, freq: 2 }),
  })
  .map(({ tool, args, text, failed }) => ({
    tool,
    args,
    ...(text === undefined ? {} : { outcome: { text, ...(failed === undefined ? {} : { failed }) } }),
  }));

const words = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.constantFrom("", "Let me look.", "I cannot do this because the server is down again.", "Done."),
  },
  { weight: 1, arbitrary: fc.string({ unit: "binary" }) },
);
const user = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom("continue", "Use the other file.", "続けて", "Run it 3 times.") },
  { weight: 1, arbitrary: fc.string({ unit: "binary" }) },
);

const step: fc.Arbitrary<Step> = fc.record({
  calls: fc.array(call, { maxLength: 3 }),
  text: words,
  heard: fc.oneof(
    { weight: 5, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(user, { maxLength: 2 }) },
  ),
});

/** A few different steps, and a walk among them: real loops in most conversations. */
const steps: fc.Arbitrary<readonly Step[]> = fc
  .tuple(fc.array(step, { minLength: 1, maxLength: 4 }), fc.array(fc.nat(3), { minLength: 1, maxLength: 40 }))
  .map(([kinds, walk]) => walk.flatMap((i) => kinds[i % kinds.length] ?? []));

export const conversations: fc.Arbitrary<Conversation> = fc.record({
  system: fc.constant("You are an agent."),
  opening: fc.array(user, { maxLength: 2 }),
  steps,
});
