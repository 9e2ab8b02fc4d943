/** Longer instructions are read as far as this. In characters. */
const READ_MAX = 32_768;
/** How agents call the action that ends a run, told as a tool: quoted, with its parameters, or as an element. */
const LAST_ACTION =
  /[<"'`=\n ](attempt_completion|final_answer|final_result|finish(?:_\w{1,24})?|task_(?:done|complete)|complete_task|submit(?:_answer)?|done|final)(?=[("'`>])/;

/** The action by which these instructions say that a run is ended; undefined if they name none. */
export function lastActionIn(instructions: string): string | undefined {
  return LAST_ACTION.exec(instructions.slice(0, READ_MAX))?.[1];
}
