import { heardGemini } from "./gemini-heard.ts";
import type { RawAnswer } from "./scripted-answer.ts";
import type { Asking, ModelView, Said, SaidTool, Wire } from "./wire.ts";
import { inPieces, jsonAnswer, objectsIn, renderedBy, streamAnswer, tokensOf, type Turn } from "./writing.ts";

const MODELS = "/v1beta/models/gemini-2.5-flash";
const JSON_TYPE = "application/json; charset=UTF-8";

/** `POST …:generateContent`. */
export const geminiWire: Wire = wireAt(`${MODELS}:generateContent`, (answers) =>
  jsonAnswer(200, merged(answers), JSON_TYPE, 2),
);

/** `POST …:streamGenerateContent?alt=sse`. */
export const geminiStreamWire: Wire = wireAt(`${MODELS}:streamGenerateContent?alt=sse`, (answers) =>
  streamAnswer(
    answers.map((one) => `data: ${JSON.stringify(one)}\r\n\r\n`),
    "text/event-stream",
  ),
);

/** `POST …:streamGenerateContent`: a JSON array, as the API lays it out. */
export const geminiArrayWire: Wire = wireAt(`${MODELS}:streamGenerateContent`, (answers) => {
  const pieces = answers.map((one, i) => `${i === 0 ? "[" : ",\r\n"}${JSON.stringify(one, undefined, 2)}\n`);
  return streamAnswer([...pieces, "]\n"], JSON_TYPE);
});

/** The same API where neither calls nor results have ids: it pairs them by name and order. */
export function withoutIds(wire: Wire): Wire {
  const bare = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value), (key, inner: unknown) =>
      key === "functionCall" || key === "functionResponse" ? { ...Object(inner), id: undefined } : inner,
    );
  return {
    ...wire,
    namesCalls: false,
    body: (asking) => Object(bare(wire.body(asking))),
    rendered: (answer, view, nextId) => {
      const rendered = wire.rendered(answer, view, nextId);
      const pieces = rendered.pieces.map((piece) => String(piece).replace(/"id":\s*"call_[^"]*",?\s*/g, ""));
      return { ...rendered, pieces };
    },
  };
}

function wireAt(path: string, write: (answers: readonly GeminiAnswer[]) => RawAnswer): Wire {
  return {
    name: "gemini",
    path,
    fields: { "x-goog-api-key": "sk-test" },
    refersToAnswers: false,
    keepAlive: path.endsWith("?alt=sse") ? ": still there\n\n" : undefined,
    namesCalls: true,
    streamsArguments: false,
    refusalStatus: 400,
    body,
    view: (raw) => view(raw, path),
    rendered: renderedBy(
      (message, code) => ({ error: { code, message, status: code < 500 ? "INVALID_ARGUMENT" : "INTERNAL" } }),
      (turn, { raw }, nextId) => write(answersOf(turn, raw, nextId)),
      { type: JSON_TYPE, indent: 2 },
    ),
    heard: heardGemini,
  };
}

function body({ system, said, tools = [], demands, schema }: Asking): object {
  return {
    ...(system !== undefined && { systemInstruction: { parts: [{ text: system }], role: "user" } }),
    ...(tools.length > 0 && { tools: [{ functionDeclarations: tools.map(declared) }] }),
    ...(demands !== undefined && { toolConfig: { functionCallingConfig: choiceOf(demands) } }),
    ...(schema && { generationConfig: { responseMimeType: "application/json", responseJsonSchema: schema } }),
    contents: contentsOf(said),
  };
}

function choiceOf(demands: NonNullable<Asking["demands"]>): object {
  return { mode: "ANY", ...(demands !== "any" && { allowedFunctionNames: [demands.tool] }) };
}

function declared({ name, description, properties }: SaidTool): object {
  const members = Object.entries(properties).map(([key, { type }]: [string, { type?: unknown }]) => [
    key,
    { type: String(type).toUpperCase() },
  ]);
  const parameters = {
    type: "OBJECT",
    properties: Object.fromEntries(members),
    required: Object.keys(properties),
  };
  return { name, ...(description && { description }), parameters };
}

interface Content {
  readonly role: string;
  readonly parts: unknown[];
}

/** Results of one turn, and what the user says behind them, are one content. */
function contentsOf(said: readonly Said[]): readonly Content[] {
  const contents: Content[] = [];
  const tools = new Map<string, string>();
  for (const one of said) {
    if (one.who === "heard") {
      for (const content of one.entries as Content[]) {
        for (const call of callsIn(content)) tools.set(call.id ?? "", call.name);
        contents.push(content);
      }
    } else if (one.who === "assistant") {
      for (const { id, tool } of one.calls ?? []) tools.set(id, tool);
      contents.push({ role: "model", parts: madeParts(one) });
    } else {
      const part =
        one.who === "user"
          ? { text: one.text }
          : { functionResponse: { id: one.id, name: tools.get(one.id) ?? "search", response: { output: one.text } } };
      const last = contents.at(-1);
      if (last?.role === "user") last.parts.push(part);
      else contents.push({ role: "user", parts: [part] });
    }
  }
  return contents;
}

function madeParts({ text, calls = [] }: Extract<Said, { who: "assistant" }>): unknown[] {
  return [
    ...(text === undefined ? [] : [{ text }]),
    ...calls.map(({ id, tool, args }) => ({ functionCall: { id, name: tool, args: JSON.parse(args) } })),
  ];
}

const callsIn = ({ parts }: ReturnType<typeof Object>) =>
  objectsIn(parts).flatMap(({ functionCall }) => (functionCall === undefined ? [] : [Object(functionCall)]));

function view(raw: unknown, path: string): ModelView {
  const { systemInstruction, contents, tools, toolConfig } = Object(raw);
  const said = objectsIn(contents);
  const { mode, allowedFunctionNames: allowed = [] } = toolConfig?.functionCallingConfig ?? {};
  const [only] = allowed;
  return {
    raw,
    model: "gemini-2.5-flash",
    streams: path.includes(":stream"),
    turns: said.filter(({ role }, index) => role === "model" && said[index - 1]?.role !== "model").length,
    texts: [...(systemInstruction === undefined ? [] : [systemInstruction]), ...said].map(({ parts }) =>
      objectsIn(parts).map(textIn).join("\n"),
    ),
    called: said.flatMap((content) => callsIn(content).map(({ args }) => JSON.stringify(args))),
    offered: objectsIn(tools).flatMap(({ functionDeclarations: of }) => objectsIn(of).map(({ name }) => String(name))),
    forced: mode === "NONE" ? "none" : mode === "ANY" && only !== undefined ? { tool: only } : undefined,
  };
}

function textIn({ text = "", functionResponse }: ReturnType<typeof Object>): string {
  if (functionResponse === undefined) return text;
  const { output } = functionResponse.response;
  return typeof output === "string" ? output : JSON.stringify(functionResponse.response);
}

// --- How the API answers ---

type GeminiAnswer = ReturnType<typeof answersOf>[number];

/** A chunk for each piece of text and for each call; the last one says why it ends. */
function answersOf({ text, calls }: Turn, raw: unknown, nextId: () => string) {
  const parts: object[] = [
    ...inPieces(text).map((text) => ({ text })),
    // As newer models do it, the first call of a turn is signed.
    ...calls.map(({ id, tool: name, args }, index) => ({
      functionCall: { id, name, args: JSON.parse(args) },
      ...(index === 0 && { thoughtSignature: btoa(`signature ${nextId()}`) }),
    })),
  ];
  const responseId = `resp-${nextId()}`;
  const promptTokenCount = tokensOf(raw);
  return (parts.length === 0 ? [{ text: "" }] : parts).map((one, index) => {
    const candidatesTokenCount = tokensOf(parts.slice(0, index + 1));
    return {
      candidates: [
        {
          content: { parts: [one], role: "model" },
          ...(index >= parts.length - 1 && { finishReason: "STOP" }),
          index: 0,
        },
      ],
      usageMetadata: {
        promptTokenCount,
        candidatesTokenCount,
        totalTokenCount: promptTokenCount + candidatesTokenCount,
        promptTokensDetails: [{ modality: "TEXT", tokenCount: promptTokenCount }],
      },
      modelVersion: "gemini-2.5-flash",
      responseId,
    };
  });
}

/** The same without streaming. */
function merged(answers: readonly GeminiAnswer[]): object {
  const [first] = answers;
  const last = answers.at(-1);
  const parts = answers.flatMap(({ candidates }) => candidates.flatMap((one) => objectsIn(one.content.parts)));
  const texts = parts.flatMap(({ text }) => text ?? []);
  const whole = [
    ...(texts.length > 0 ? [{ text: texts.join("") }] : []),
    ...parts.filter(({ text }) => text === undefined),
  ];
  const [candidate] = last?.candidates ?? [];
  return { ...first, ...last, candidates: [{ ...candidate, content: { parts: whole, role: "model" } }] };
}
