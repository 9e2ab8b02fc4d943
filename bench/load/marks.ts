/**
 * How a run is written into what is prepared beforehand: its number stands in the task and in every call's id, always with
 * as many digits, so that another run's number takes its place without moving a byte.
 */

const DIGITS = 7;
const NO_RUN = "0".repeat(DIGITS);

/** `call_<run>_<turn>`, the run still open. */
export const callMark = (turn: number): string => `call_${NO_RUN}_${String(turn).padStart(4, "0")}`;

/** `task_<run>`, the run still open. */
export const TASK_MARK = `task_${NO_RUN}`;

/** Where runs' numbers go. */
export function marksIn(bytes: Buffer): Uint32Array {
  const found: number[] = [];
  for (const kind of ["task_", "call_"]) {
    const mark = `${kind}${NO_RUN}`;
    for (let at = bytes.indexOf(mark); at !== -1; at = bytes.indexOf(mark, at + 1)) found.push(at + kind.length);
  }
  return Uint32Array.from(found);
}

export function writeRun(bytes: Buffer, marks: Uint32Array, run: string): void {
  for (const at of marks) bytes.write(run, at, "latin1");
}

export const runNumber = (count: number): string => String(count).padStart(DIGITS, "0");

/** Which turn of which run a request asks for: the one after its newest call, or a run's first. Nothing is parsed. */
export function askedFor(body: Buffer): { run: string; turn: number } | undefined {
  // With its quote, for a result names its call in the field `tool_call_id`.
  const call = body.lastIndexOf('"call_');
  if (call !== -1) {
    const run = call + 6;
    const turn = run + DIGITS + 1;
    return {
      run: body.toString("latin1", run, run + DIGITS),
      turn: Number(body.toString("latin1", turn, turn + 4)) + 1,
    };
  }
  const task = body.lastIndexOf("task_");
  return task === -1 ? undefined : { run: body.toString("latin1", task + 5, task + 5 + DIGITS), turn: 0 };
}
