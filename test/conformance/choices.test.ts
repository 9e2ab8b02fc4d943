import { expect, it } from "vitest";
import { ask, loopOf, ways } from "./rig.ts";

it.each([1, 3])("the guard's own answer has as many choices as were asked for (%i)", async (n) => {
  const { guard } = await ways((_, outgoing) => outgoing.end("{}"));
  const whole = await ask(guard, { path: "/v1/chat/completions", body: loopOf(9, { n }) });
  expect(whole.fields["x-unloop-verdict"]).toBe("short-circuit");
  const { choices } = JSON.parse(String(whole.bytes));
  expect(choices.map(({ index }: { index: number }) => index)).toEqual(Array.from({ length: n }, (_, index) => index));
  expect(new Set(choices.map(({ message }: { message: object }) => JSON.stringify(message))).size).toBe(1);

  const streamed = await ask(guard, { path: "/v1/chat/completions", body: loopOf(9, { n, stream: true }) });
  const finished = [...String(streamed.bytes).matchAll(/^data: (\{.*)$/gm)].flatMap(([, json = ""]) =>
    JSON.parse(json).choices.filter((choice: { finish_reason: unknown }) => choice.finish_reason !== null),
  );
  expect(finished.map(({ index }) => index)).toEqual(Array.from({ length: n }, (_, index) => index));
});
