import fc from "fast-check";
import type { Call, Conversation, Step } from "../../../src/step.ts";

/** One of these, which come about often, or now and then anything else. */
const usual = (weight: number, few: readonly string[], ...others: readonly fc.Arbitrary<string>[]) =>
  fc.oneof(
    { weight, arbitrary: fc.constantFrom(...few) },
    ...[...others, fc.string({ unit: "binary" })].map((arbitrary) => ({ weight: 1, arbitrary })),
  );

/* Few words, so that repeats, cycles and failures come about by chance. */
const tool = usual(9, "read search edit_file send_message job_status think todo_write bash".split(" "));
const args = usual(
  6,
  ['{"path":"a"}', '{"path":"b"}', "{}", '{"q":"x","reason":"y"}', '{"command":"sleep 5"}'],
  fc.json(),
);
const outcome = usual(
  6,
  ["", "ok", "the text of a", "Error: no such file", "503 Service Unavailable", "running", '{"rows":[1,2]}'],
  fc.json(),
);
const words = usual(5, ["", "Let me look.", "I cannot do this because the server is down again.", "Done."]);
const user = usual(3, ["continue", "Use the other file.", "続けて", "Run it 3 times."]);

const call: fc.Arbitrary<Call> = fc
  .record({
    tool,
    args,
    text: fc.option(outcome, { nil: undefined, freq: 9 }),
    failed: fc.option(fc.boolean(), { nil: undefined, freq: 2 }),
  })
  .map(({ text, failed, ...one }) => ({
    ...one,
    ...(text !== undefined && { outcome: { text, ...(failed !== undefined && { failed }) } }),
  }));

const step: fc.Arbitrary<Step> = fc.record({
  calls: fc.array(call, { maxLength: 3 }),
  text: words,
  heard: fc.oneof(
    { weight: 5, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(user, { maxLength: 2 }) },
  ),
});

const steps: fc.Arbitrary<readonly Step[]> = fc
  .tuple(fc.array(step, { minLength: 1, maxLength: 4 }), fc.array(fc.nat(3), { minLength: 1, maxLength: 40 }))
  .map(([kinds, walk]) => walk.flatMap((i) => kinds[i % kinds.length] ?? []));

export const conversations: fc.Arbitrary<Conversation> = fc.record({
  system: fc.constant("You are an agent."),
  opening: fc.array(user, { maxLength: 2 }),
  steps,
});
