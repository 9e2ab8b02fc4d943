import type { Policy } from "../policy-type.ts";

const doneTools = [
  "done",
  "finish",
  "submit",
  "final_answer",
  "attempt_completion",
  "complete_task",
  "task_complete",
  "end_task",
  "finish_task",
  "submit_answer",
  "terminate",
  "exit",
];

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
  doneTools,
  language: "auto",
  tools: {},
};
