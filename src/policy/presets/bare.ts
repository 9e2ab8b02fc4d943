import type { Policy } from "../policy-type.ts";

/** What agents call the tool that ends their run. */
const usualDoneTools: readonly string[] = [
  "done",
  "finish",
  "submit",
  "final_answer",
  "final_result",
  "StructuredOutput",
  "attempt_completion",
  "complete_task",
  "task_complete",
  "end_task",
  "finish_task",
  "submit_answer",
  "terminate",
  "exit",
];

/** Tools that a policy takes for ends by their names. */
export function doneNames({ doneTools = usualDoneTools }: Policy): readonly string[] {
  return doneTools;
}

/** What every preset builds on: no detector has a ladder yet. */
export const bare: Policy = {
  name: "bare",
  ladders: {},
  finalResponseAfterFailure: true,
  whenBudgetUnknown: "allow",
  intercept: "on",
  maxReasks: 1,
  runaway: "off",
  finalResponse: "answer",
  language: "auto",
  tools: {},
};
