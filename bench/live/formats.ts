import { chatCompletionsWire } from "../../test/support/wires/chat-completions.ts";
import { messagesWire } from "../../test/support/wires/messages.ts";
import { responsesWire } from "../../test/support/wires/responses.ts";
import type { ScriptedAnswer } from "../../test/support/wires/scripted-answer.ts";
import type { Wire } from "../../test/support/wires/wire.ts";
import { callsOf, type RecordedMessage, type RecordedRun, type RecordedTool, saidIn, textOf } from "./recorded.ts";

/** A wire format in which a recorded run is asked for and answered. */
export interface LiveFormat {
  readonly name: string;
  readonly path: string;
  /** The request that carries the first messages of a run. */
  body(run: RecordedRun, messages: number, streams: boolean): object;
  /** Bytes of an answer, piece by piece, with their type. */
  answer(message: RecordedMessage, streams: boolean, id: string): LiveAnswer;
  /** What the API would not let pass: the recorded turn calls tools, and the request forbids them or allows one alone. */
  forcedTurn(body: string): RecordedMessage | undefined;
}

export interface LiveAnswer {
  readonly contentType: string;
  readonly pieces: readonly Uint8Array[];
}

const MODEL = "recorded";

/** Chat completions carry the recorded messages as they are. */
const chat: LiveFormat = {
  ...spoken(chatCompletionsWire),
  body: ({ messages, tools }, count, stream) => ({
    model: MODEL,
    ...(stream && { stream, stream_options: { include_usage: true } }),
    ...(tools.length > 0 && { tools: tools.map((tool) => ({ type: "function", function: tool })) }),
    messages: messages.slice(0, count),
  }),
};

const responses = converted(responsesWire, (tool) => ({ type: "function", ...tool, strict: false }));
const messages = converted(messagesWire, ({ parameters, ...tool }) => ({ ...tool, input_schema: parameters }));

export const liveFormats: readonly LiveFormat[] = [chat, responses, messages];

function converted(wire: Wire, toolOf: (tool: RecordedTool) => object): LiveFormat {
  return {
    ...spoken(wire),
    body(run, count, stream) {
      const { tools } = run;
      const offered = tools.map((tool) => toolOf({ ...tool, name: tool.name.replaceAll(".", "_") }));
      const body = wire.body({ model: MODEL, ...saidIn(run.messages.slice(0, count)), stream });
      // What is said comes last, as a client sends it: requests of a run begin alike.
      return { ...(offered.length > 0 && { tools: offered }), ...body };
    },
  };
}

function spoken(wire: Wire): Omit<LiveFormat, "body"> {
  return {
    name: wire.name,
    path: wire.path,
    forcedTurn(body) {
      const { forced } = body.includes('"tool_choice"') ? wire.view(JSON.parse(body)) : { forced: undefined };
      if (forced === undefined) return undefined;
      if (forced === "none") return { role: "assistant", content: "Done." };
      return { role: "assistant", tool_calls: [{ function: { name: forced.tool, arguments: "{}" } }] };
    },
    answer(message, streams, id) {
      let count = 0;
      const raw = { model: MODEL, stream: streams, stream_options: { include_usage: true } };
      const view = wire.view(raw);
      const rendered = wire.rendered(scripted(message, wire === chatCompletionsWire), view, () => `${id}_${count++}`);
      if (rendered.kind !== "raw") throw new Error("A rendered answer is raw.");
      return {
        contentType: rendered.fields["content-type"] ?? "application/json",
        pieces: rendered.pieces.map((piece) => Buffer.from(piece)),
      };
    },
  };
}

/** @param asIs names and arguments may be anything */
function scripted({ content, tool_calls = [] }: RecordedMessage, asIs: boolean): ScriptedAnswer {
  const text = textOf(content) ?? "";
  if (tool_calls.length === 0) return { kind: "text", text };
  const calls = asIs
    ? tool_calls.map(({ id, function: { name, arguments: args } }) => ({ ...(id && { id }), tool: name, args }))
    : callsOf({ tool_calls });
  return { kind: "calls", text, calls };
}
