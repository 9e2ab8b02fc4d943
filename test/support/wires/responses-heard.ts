import { z } from "zod";
import type { Heard } from "./wire.ts";
import { errorOf, failure, nothing, strictly } from "./writing.ts";

const message = z.looseObject({
  type: z.literal("message"),
  id: z.string().min(1),
  role: z.literal("assistant"),
  status: z.literal("completed"),
  content: z.array(
    z.looseObject({ type: z.literal("output_text"), text: z.string(), annotations: z.array(z.unknown()) }),
  ),
});
const call = z.looseObject({
  type: z.literal("function_call"),
  id: z.string().min(1),
  call_id: z.string().min(1),
  name: z.string().min(1),
  arguments: z.string(),
});
const thought = z.looseObject({
  type: z.literal("reasoning"),
  id: z.string().min(1),
  summary: z.array(z.looseObject({ type: z.literal("summary_text"), text: z.string() })),
});
const item = z.discriminatedUnion("type", [message, call, thought]);
const usage = z
  .object({
    input_tokens: z.number(),
    input_tokens_details: z.object({ cached_tokens: z.number() }),
    output_tokens: z.number(),
    output_tokens_details: z.object({ reasoning_tokens: z.number() }),
    total_tokens: z.number(),
  })
  .transform(({ input_tokens: input, output_tokens: output }) => ({ input, output }));
const head = z.object({
  id: z.string().min(1),
  object: z.literal("response"),
  created_at: z.number(),
  model: z.string(),
  parallel_tool_calls: z.boolean(),
  tool_choice: z.unknown(),
  tools: z.array(z.unknown()),
  metadata: z.unknown(),
});
const response = head.extend({ status: z.literal("completed"), output: z.array(item), usage: usage.nullish() });

/** Reads an answer as a strict client of the Responses API does. @throws where it breaks a rule of the format */
export function heardResponse(text: string, contentType: string): Heard {
  return contentType.includes("event-stream") ? streamed(text) : whole(JSON.parse(text));
}

function whole(json: unknown): Heard {
  const failed = failure.safeParse(json);
  if (failed.success && !response.safeParse(json).success) return { ...nothing, error: errorOf(failed.data.error) };
  return heardOf(response.parse(json));
}

function heardOf({ id, output, status, usage: used }: z.infer<typeof response>): Heard {
  return {
    id,
    text: output.flatMap((one) => (one.type === "message" ? one.content.map(({ text }) => text) : [])).join("\n"),
    calls: output.flatMap((one) =>
      one.type === "function_call" ? [{ id: one.call_id, tool: one.name, args: one.arguments }] : [],
    ),
    finish: status,
    usage: used ?? undefined,
    entries: output,
  };
}

const event = z.looseObject({ type: z.string(), sequence_number: z.number() });
type Event = z.infer<typeof event>;

const errorEvent = z.object({ type: z.literal("error"), message: z.string(), code: z.string().nullish() });

function streamed(text: string): Heard {
  const blocks = text.split("\n\n").filter((block) => /^(event|data):/m.test(block));
  const events = blocks.map((block) => {
    const data: unknown = JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? "");
    const told = event.parse(data);
    strictly(/^event: (.*)$/m.exec(block)?.[1] === told.type, "events are named like their type");
    return told;
  });
  const failed = events.map((one) => errorEvent.safeParse(one)).find(({ success }) => success);
  if (failed?.data !== undefined) return { ...nothing, error: errorOf(failed.data) };
  return put(events);
}

function put(events: readonly Event[]): Heard {
  const [created] = events;
  const completed = events.at(-1);
  strictly(created?.type === "response.created", "response.created comes first");
  strictly(completed?.type === "response.completed", "response.completed comes last");
  const numbers = events.map(({ sequence_number }) => sequence_number);
  strictly(
    numbers.every((number, at) => at === 0 || number > (numbers[at - 1] ?? 0)),
    "events are numbered upwards",
  );
  strictly(events.filter(({ type }) => type === "response.created").length === 1, "one beginning");
  const heard = heardOf(response.parse(completed?.response));
  strictly(head.parse(created?.response).id === heard.id, "one id");
  const done = events.filter(({ type }) => type === "response.output_item.done");
  expectSame(
    done.map((one) => item.parse(one.item)),
    heard.entries,
    "all items that were done are listed",
  );
  for (const one of done) itemRules(events, one);
  return heard;
}

function itemRules(events: readonly Event[], { output_index: index, item: told }: Event): void {
  const done = item.parse(told);
  const own = events.filter(({ output_index }) => output_index === index);
  strictly(own[0]?.type === "response.output_item.added", "an item is announced");
  strictly(own.at(-1)?.type === "response.output_item.done", "nothing comes behind an item's end");
  const deltas = own
    .filter(({ type }) => type.endsWith(".delta"))
    .map(({ delta }) => String(delta))
    .join("");
  const texts = done.type === "message" ? done.content : done.type === "reasoning" ? done.summary : undefined;
  const said = done.type === "function_call" ? done.arguments : texts?.map(({ text }) => text).join("");
  expectSame(deltas, said, "an item's deltas are what it says in the end");
}

function expectSame(one: unknown, other: unknown, rule: string): void {
  strictly(JSON.stringify(one) === JSON.stringify(other), rule);
}
