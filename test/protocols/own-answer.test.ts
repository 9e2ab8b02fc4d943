import { requestWork } from "../../src/work.ts";
import { describe, expect, it } from "vitest";
import { saysNothing } from "../../src/protocols/protocols.ts";

const note =
  '[unloop] Tools are no longer available. Give your final answer now. The task was: "Who is in Lisbon?"\n\nWrite your whole answer behind the label "Final Answer:".';
const isEnd = (tool: string) => tool === "done";
const said = (text: string, ...calls: readonly (readonly [tool: string, args: string])[]) =>
  saysNothing({ text, heard: [], calls: calls.map(([tool, args]) => ({ tool, args })) }, isEnd, note, requestWork());

describe("a last answer", () => {
  it.each([
    ...["", " \n", "<your answer>", "<あなたの回答>", "[Your answer here]", "{answer}", "...", "Final Answer:"],
    ...["Thought: I know.\nFinal Answer: <your answer>", "<answer><your answer></answer>"],
    '{"explanation":"<what you have found out>","actions":[],"complete":true}',
    'Thought: I know.\n<code>\nfinal_answer("<your answer as a Python string>")\n</code>',
    "Give your final answer now.",
    'Write your whole answer behind the label "Final Answer:".',
  ])("says nothing: %j", (text) => expect(said(text)).toBe(true));

  it.each([
    ...["42", "Who is in Lisbon?", "<br>", "[1, 2, 3]", "No.", '{"answer":42}', "Final Answer: 7"],
    "I don't know the answer.",
  ])("says something: %j", (text) => expect(said(text)).toBe(false));

  it.each([
    ["a placeholder in a call that ends the run", said("", ["done", '{"text":"<your answer>","success":true}']), true],
    ["a placeholder beside such a call", said("<your answer>", ["done", "{}"]), true],
    ["a placeholder in code", said("I know.", ["python", 'final_answer("...")']), true],
    ["a call without words", said("", ["done", "{}"]), false],
    ["an answer in a call", said("", ["done", '{"text":"Paris"}']), false],
    ["another call", said("<your answer>", ["find", "{}"]), false],
  ])("is known: %s", (_, nothing, is) => expect(nothing).toBe(is));
});
