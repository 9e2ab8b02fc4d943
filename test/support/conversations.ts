/** Builders of recorded conversations in the wire's own shape, short enough that a row tells a story. */
export type Message = Readonly<Record<string, unknown>>;
type Args = Readonly<Record<string, unknown>>;

let ids = 0;
const callOf = (tool: string, args: Args | string) => ({
  id: `call_${ids++}`,
  type: "function",
  function: { name: tool, arguments: typeof args === "string" ? args : JSON.stringify(args) },
});
const written = (result: unknown): unknown => (typeof result === "string" ? result : JSON.stringify(result));

export const user = (content: string): Message => ({ role: "user", content });
export const said = (content: string): Message => ({ role: "assistant", content });

/** One call with what came back, and what was said beside it. */
export function did(tool: string, args: Args | string, result: unknown, text: string | null = null): Message[] {
  return together([[tool, args, result]], text);
}

/** Several calls in one turn. */
export function together(
  calls: readonly (readonly [string, Args | string, unknown])[],
  text: string | null = null,
): Message[] {
  const made = calls.map(([tool, args, result]) => ({ call: callOf(tool, args), result }));
  return [
    { role: "assistant", content: text, tool_calls: made.map(({ call }) => call) },
    ...made.map(({ call, result }) => ({ role: "tool", tool_call_id: call.id, content: written(result) })),
  ];
}

/** A turn whose action is in its text; a user message brings what came of it. */
export const acted = (text: string, observation: string): Message[] => [said(text), user(observation)];

/** The same again, `i` counting from 0. */
export const times = (count: number, turn: (i: number) => readonly Message[]): Message[] =>
  Array.from({ length: count }, (_, i) => turn(i)).flat();

/** One turn for each. */
export const each = <T>(all: readonly T[], turn: (one: T, i: number) => readonly Message[]): Message[] =>
  all.flatMap(turn);

export const words = [
  ...["river", "stone", "cloud", "ember", "velvet", "harbor"],
  ...["copper", "signal", "meadow", "lantern", "cedar", "falcon"],
] as const;

/** Another row of digits for each `i`, always the same for the same one. */
export function hex(i: number, length = 8): string {
  const digit = (at: number) => "0123456789abcdef"[(i * 7919 + at * 104729 + i * at * 31 + 5) % 16];
  return Array.from({ length }, (_, at) => digit(at)).join("");
}

export const uuid = (i: number): string =>
  `${hex(i + 1)}-${hex(i + 3, 4)}-4${hex(i + 5, 3)}-a${hex(i + 7, 3)}-${hex(i + 11, 12)}`;
