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
    "",
    " \n",
    "<your answer>",
    "<あなたの回答>",
    "<what you have found out>",
    "[Your answer here]",
    "{answer}",
    "...",
    "Final Answer",
    "Final Answer:",
    "Thought: I know.\nFinal Answer: <your answer>",
    "Final Answer: the answer",
    "<answer><your answer></answer>",
    '{"explanation":"<what you have found out>","actions":[],"complete":true}',
    'Thought: I know.\n<code>\nfinal_answer("<your answer as a Python string>")\n</code>',
    "Give your final answer now.",
    'Write your whole answer behind the label "Final Answer:".',
  ])("says nothing: %j", (text) => expect(said(text)).toBe(true));

  it.each([
    "Paris",
    "42",
    "Who is in Lisbon?",
    "<br>",
    "[1, 2, 3]",
    "No.",
    '{"answer":42}',
    '{"ok":true}',
    "Final Answer: 7",
    "I don't know the answer.",
  ])("says something: %j", (text) => expect(said(text)).toBe(false));

  it.each([
    {
      name: "a placeholder in a call that ends the run",
      nothing: said("", ["done", '{"text":"<your answer>","success":true}']),
    },
    { name: "a placeholder beside such a call", nothing: said("<your answer>", ["done", "{}"]) },
    { name: "a placeholder in code", nothing: said("I know.", ["python", 'final_answer("...")']) },
    { name: "a call without words", nothing: said("", ["done", "{}"]), is: false },
    { name: "an answer in a call", nothing: said("", ["done", '{"text":"Paris"}']), is: false },
    { name: "another call", nothing: said("<your answer>", ["find", "{}"]), is: false },
  ])("is known: $name", ({ nothing, is = true }) => expect(nothing).toBe(is));
});
