import { z } from "zod";
import type { Heard } from "./wire.ts";
import { nothing, strictly } from "./writing.ts";

const failure = z.strictObject({
  error: z.object({
    code: z.number(),
    message: z.string(),
    status: z.string().regex(/^[A-Z_]+$/),
    details: z.array(z.looseObject({ "@type": z.string() })).optional(),
  }),
});
const part = z.union([
  z.strictObject({ text: z.string(), thought: z.literal(true).optional(), thoughtSignature: z.string().optional() }),
  z.strictObject({
    functionCall: z.strictObject({
      id: z.string().min(1).optional(),
      name: z.string().min(1),
      args: z.record(z.string(), z.unknown()),
    }),
    thoughtSignature: z.string().optional(),
  }),
]);
const answer = z.strictObject({
  candidates: z.tuple([
    z.strictObject({
      content: z.strictObject({ role: z.literal("model"), parts: z.array(part).min(1) }),
      finishReason: z.string().optional(),
      finishMessage: z.string().optional(),
      index: z.literal(0),
    }),
  ]),
  usageMetadata: z
    .looseObject({ promptTokenCount: z.number(), candidatesTokenCount: z.number(), totalTokenCount: z.number() })
    .transform(({ promptTokenCount: input, candidatesTokenCount: output }) => ({ input, output })),
  modelVersion: z.string(),
  responseId: z.string(),
});

type Answer = z.infer<typeof answer>;

/** Reads an answer as a strict client of `generateContent` does. @throws where it breaks a rule of the format */
export function heardGemini(text: string, contentType: string): Heard {
  const payloads = contentType.includes("event-stream") ? eventsIn(text) : [JSON.parse(text)].flat();
  const failed = payloads.map((one) => failure.safeParse(one)).find(({ success }) => success)?.data;
  const chunks = payloads.filter((one) => !failure.safeParse(one).success).map((one) => answer.parse(one));
  const heard = chunks.length === 0 ? nothing : heardOf(chunks);
  if (failed !== undefined) return { ...heard, error: errorOf(failed.error) };
  strictly(chunks.length > 0, "an answer or an error");
  strictly(chunks.at(-1)?.candidates[0].finishReason !== undefined, "the last chunk says why it ends");
  return heard;
}

function eventsIn(text: string): readonly unknown[] {
  const blocks = text.split(/\r?\n\r?\n/).filter((block) => block !== "" && !block.startsWith(":"));
  return blocks.map((block): unknown => {
    strictly(block.startsWith("data: ") && !block.includes("\n"), "an event is one line of data");
    return JSON.parse(block.slice(6));
  });
}

function heardOf(chunks: readonly Answer[]): Heard {
  strictly(new Set(chunks.map(({ responseId }) => responseId)).size === 1, "one id");
  const candidates = chunks.map(({ candidates: [one] }) => one);
  strictly(
    candidates.slice(0, -1).every(({ finishReason }) => finishReason === undefined),
    "nothing behind an end",
  );
  const parts = candidates.flatMap(({ content }) => content.parts);
  let calls = 0;
  return {
    id: chunks[0]?.responseId,
    text: parts.map((one) => ("text" in one && one.thought !== true ? one.text : "")).join(""),
    calls: parts.flatMap((one) => {
      if (!("functionCall" in one)) return [];
      const { id = `unnamed_${calls++}`, name: tool, args } = one.functionCall;
      return [{ id, tool, args: JSON.stringify(args) }];
    }),
    finish: candidates.at(-1)?.finishReason,
    usage: chunks.at(-1)?.usageMetadata,
    // As the SDKs keep them: the content of each chunk.
    entries: candidates.map(({ content }) => content),
  };
}

/** In the words that the stories use for all formats. */
function errorOf({ code, message }: z.infer<typeof failure>["error"]): NonNullable<Heard["error"]> {
  return { message, type: code < 500 ? "invalid_request_error" : "api_error" };
}
