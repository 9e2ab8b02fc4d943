import { expect, it } from "vitest";
import { followed } from "../../src/config-file/config-file.ts";
import { UnloopError } from "../../src/errors.ts";

/** What is followed of a text that changes, looked at 40 seconds apart. */
function following() {
  let now = 0;
  let kept: string | undefined = "good";
  const refused: string[] = [];
  const look = followed<string>(
    {
      get: async () => {
        if (kept === undefined) throw new Error("away");
        return kept;
      },
    },
    {
      make(text) {
        if (text.startsWith("bad")) throw new UnloopError("bad_setting", `"${text}" is refused.`);
        return text;
      },
      onRefused: ({ message }) => refused.push(message),
      outlive: () => undefined,
      now: () => now,
    },
  );
  return {
    refused,
    async after(text: string | undefined, times: number) {
      kept = text;
      for (let i = 0; i < times; i++) {
        now += 40_000;
        await look();
      }
      return await look();
    },
  };
}

it("a kept text with a mistake is told of once, and once more when it has changed or come back, as is a namespace that is away", async () => {
  const { refused, after } = following();
  await after("good", 1);
  expect(await after("bad", 5)).toBe("good");
  expect(refused).toEqual(['"bad" is refused.']);
  await after("bad again", 5);
  expect(await after("better", 2)).toBe("better");
  await after("bad again", 5);
  expect(refused).toEqual(['"bad" is refused.', '"bad again" is refused.', '"bad again" is refused.']);
  await after(undefined, 5);
  expect(refused.slice(3)).toEqual([expect.stringContaining("cannot be read")]);
});
