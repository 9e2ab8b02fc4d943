export type Message = Readonly<Record<string, unknown>>;

export const user = (content: string): Message => ({ role: "user", content });

/** One call and what came back, as the chat format tells them. Arguments that are no text are written as JSON. */
export function called(id: string, name: string, args: unknown, content: string) {
  const written = typeof args === "string" ? args : JSON.stringify(args);
  const call = { id, type: "function", function: { name, arguments: written } };
  const turn: readonly (Message & { readonly role: string })[] = [
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: id, content },
  ];
  return turn;
}

export const repeated = (count: number, one: (i: number) => readonly Message[]): readonly Message[] =>
  Array.from({ length: count }, (_, i) => one(i)).flat();

export const laps = (count: number, content = "no such file"): readonly Message[] =>
  repeated(count, (i) => called(`c${i}`, "read", { path: "a" }, content));

export const chatBody = (messages: readonly Message[], more: object = {}): string =>
  JSON.stringify({ model: "m", ...more, messages });
