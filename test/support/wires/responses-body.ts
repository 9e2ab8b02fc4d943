import { objectsIn } from "./writing.ts";

export type Item = Readonly<Record<string, unknown>> & { readonly type: string };

const kept = new Map<string, readonly Item[]>();

export function keep(id: string, items: readonly Item[]): void {
  kept.set(id, items);
}

export interface ResponsesRequest {
  readonly body: ReturnType<typeof Object>;
  readonly items: readonly Item[];
  readonly refusal: string | undefined;
}

/** Everything empty for what is no such request. */
export function responsesRequestOf(json: unknown): ResponsesRequest {
  const body = Object(json);
  const { input, previous_response_id: previous, conversation } = body;
  const told = objectsIn(input).map((item): Item => ({ ...item, type: item.type ?? "message" }));
  const added = typeof input === "string" ? [messageOf("user", input)] : told;
  const before = kept.get(previous ?? conversation?.id ?? conversation ?? "");
  const items = [...(before ?? []), ...added];
  if (typeof previous === "string" && before === undefined)
    return { body, items, refusal: `Previous response with id '${previous}' not found.` };
  // What stands in one request alone is the tests' own affair.
  return { body, items, refusal: before === undefined ? undefined : loneIn(items) };
}

function loneIn(items: readonly Item[]): string | undefined {
  const ids = (ending: string) =>
    items.filter(({ type }) => type.endsWith(ending)).map(({ call_id }) => String(call_id));
  const [called, answered] = [ids("_call"), ids("_output")];
  const open = called.find((id) => !answered.includes(id));
  if (open !== undefined) return `No tool output found for function call ${open}.`;
  const stray = answered.find((id) => !called.includes(id));
  return stray === undefined ? undefined : `No tool call found for function call output with call_id ${stray}.`;
}

export function messageOf(role: string, content: unknown): Item {
  return { type: "message", role, content };
}
