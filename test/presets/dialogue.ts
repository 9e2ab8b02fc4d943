import { expect } from "vitest";
import { post } from "../proxy/guard-rig.ts";
import type { Script } from "../support/servers/upstream.ts";
import type { Rig } from "./rig.ts";

export function dialogue({ url, upstream, ask = post }: Rig, system: string, extra: object = {}) {
  const messages: object[] = [{ role: "system", content: system }];
  return {
    async turn(said: string | undefined) {
      if (said !== undefined) messages.push({ role: "user", content: said });
      const sent = JSON.stringify({ model: "gpt-4o", ...extra, messages });
      const before = upstream.requests.length;
      const given = await ask(url, sent);
      const { content, finish } = answerIn(given.text);
      messages.push({ role: "assistant", content });
      return { ...given, sent, received: upstream.requests.slice(before), content, finish };
    },
  };
}

export type Heard = Awaited<ReturnType<ReturnType<typeof dialogue>["turn"]>>;

/**
 * The model saw what was sent, but for what was added behind the system text; and where nothing was done, what it
 * answered came through byte for byte. Gives what was added to each request.
 */
export function addedTo(turns: readonly Heard[], system: string): readonly string[] {
  const passed = turns.filter(({ headers }) => headers.get("x-unloop-verdict") === "ok");
  expect(passed.map(({ text }) => text)).toEqual(passed.map(({ received }) => String(received[0]?.answer)));
  return turns.flatMap(({ sent, received }) =>
    received.map(({ bytes }) => {
      const got = String(bytes);
      const at = sent.indexOf(system) + system.length;
      const end = at + got.length - sent.length;
      expect(got.slice(0, at) + got.slice(end)).toBe(sent);
      return got.slice(at, end);
    }),
  );
}

/** What is said and called in an answer, whole or streamed. */
function answerIn(text: string): { content: string; args: string; finish: string | undefined } {
  const whole = text.startsWith("{") ? [JSON.parse(text).choices[0]] : [];
  const chunks = [...text.matchAll(/^data: (\{.*\})$/gm)].map(([, json]) => JSON.parse(json ?? "{}").choices[0]);
  const choices = [...whole, ...chunks].map((choice) => ({ ...choice, said: choice?.message ?? choice?.delta }));
  return {
    content: choices.map(({ said }) => said?.content ?? "").join(""),
    args: choices.map(({ said }) => said?.tool_calls?.[0]?.function?.arguments ?? "").join(""),
    finish: choices.findLast(({ finish_reason }) => finish_reason)?.finish_reason,
  };
}

export function saying(lines: readonly string[]): Script {
  return (_, index) => ({ kind: "text", text: lines[Math.min(index, lines.length - 1)] ?? "" });
}

export function contentOf(text: string): string {
  const { content, args } = answerIn(text);
  return content || args;
}
