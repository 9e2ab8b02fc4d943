import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { historyOf, promptStep } from "../../../src/protocols/dialects/history.ts";
import type { Message } from "../../../src/protocols/dialects/dialect.ts";
import type { Step } from "../../../src/step.ts";
import { requestWork } from "../../../src/work.ts";

const rowsOf = (name: string) => parse(readFileSync(`test/fixtures/protocols/dialects/${name}.yaml`, "utf8"));
const user = (text: string): Message => ({ part: "user", text });
const said = (text: string): Message => ({ part: "assistant", text, calls: [] });
const system = (text: string): Message => ({ part: "instruction", text });

const texts: readonly { readonly text: string; readonly calls: readonly string[] }[] = rowsOf("texts");

it.each(texts.filter(({ calls }) => calls.length > 0))("the calls of a text: $text", ({ text, calls }) => {
  expect(promptStep(text, [], requestWork()).calls.map(({ tool, args }) => `${tool}(${args})`)).toEqual(calls);
});

it.each(texts.filter(({ calls }) => calls.length === 0))("prose is no call: $text", ({ text }) => {
  const { steps } = historyOf([user("Go."), said(text), user("Thanks.")], requestWork()).conversation;
  expect(steps.map(({ calls }) => calls)).toEqual([[]]);
});

interface History {
  readonly name: string;
  readonly isWithoutTools?: true;
  readonly messages: readonly { readonly user?: string; readonly said?: string; readonly system?: string }[];
  readonly opening: readonly string[];
  readonly steps: readonly (readonly string[])[];
}

const histories: readonly History[] = rowsOf("histories");

it.each(histories)("$name", ({ isWithoutTools, messages, opening, steps }) => {
  const told = messages.map((one) =>
    one.user !== undefined ? user(one.user) : one.said !== undefined ? said(one.said) : system(one.system ?? ""),
  );
  const { conversation } = historyOf(told, requestWork(), isWithoutTools && { isWithoutTools });
  expect({ opening: conversation.opening, steps: conversation.steps.map(written) }).toEqual({ opening, steps });
});

it("looks for the form of very many examples once", () => {
  const example = [user("Example:"), said("Action: a\nAction Input: b")];
  const told = [system('action {"a": "x" } command '.repeat(1_300)), ...Array(6_000).fill(example).flat(), user("Go.")];
  const work = requestWork();
  expect(historyOf(told, work, { isWithoutTools: true }).conversation.steps).toEqual([]);
  expect(work.isSpent()).toBe(false);
});

function written({ calls, heard, isUntold }: Step): readonly string[] {
  const untold = isUntold ? " (untold)" : "";
  return [
    ...calls.map(({ tool, args, outcome }) => `${tool}(${args}) -> ${outcome?.text ?? "?"}${untold}`),
    ...heard.map((text) => `heard: ${text}`),
  ];
}

it.each([
  { name: "labelled lines", text: "Action: a\nAction Input: b\n".repeat(2_048) },
  { name: "a JSON list", text: `{"action":[${Array(2_048).fill('{"a":{}}').join()}]}` },
])(
  "very many actions in the texts of one request, as $name, are read up to their work, and the texts behind it are words",
  ({ text }) => {
    const turns = Array.from({ length: 32 }, (_, i) => [said(text), user(`Observation: ${i}`)]).flat();
    const { steps } = historyOf([user("Go."), ...turns], requestWork()).conversation;
    const told = steps.findIndex(({ calls }) => calls.length === 0);
    expect([4, 5, 6, 7, 8]).toContain(told);
    expect(steps.map(({ calls }) => calls.length)).toEqual([...Array(told).fill(2_048), ...Array(32 - told).fill(0)]);
    expect(steps.at(-1)).toMatchObject({ text, heard: ["Observation: 31"] });
  },
);
