import type { Asking, ModelView, Said, SaidTool, Wire } from "./wire.ts";
import { forcedBy, objectsIn, textOf } from "./writing.ts";
import { renderedResponse } from "./responses-answer.ts";
import { type Item, messageOf, responsesRequestOf } from "./responses-body.ts";
import { heardResponse } from "./responses-heard.ts";

/** `POST /v1/responses`, with an API that keeps what it has answered. */
export const responsesWire: Wire = {
  name: "responses",
  path: "/v1/responses",
  fields: { authorization: "Bearer sk-test" },
  refersToAnswers: true,
  keepAlive: ": still there\n\n",
  namesCalls: true,
  streamsArguments: true,
  refusalStatus: 400,
  body: ({ model = "gpt-5", system, said, tools = [], stream = false, previousAnswerId, demands, schema }: Asking) => ({
    model,
    ...(system !== undefined && { instructions: system }),
    ...(tools.length > 0 && { tools: tools.map(toolOf) }),
    ...(stream && { stream }),
    ...(demands !== undefined && {
      tool_choice: demands === "any" ? "required" : { type: "function", name: demands.tool },
    }),
    ...(previousAnswerId !== undefined && { previous_response_id: previousAnswerId }),
    ...(schema !== undefined && { text: { format: { type: "json_schema", name: "answer", schema, strict: true } } }),
    input: said.flatMap(itemsOf),
    // As Codex does: what it says of itself comes last.
    client_metadata: { turn: String(said.length) },
  }),
  view,
  rendered: renderedResponse,
  heard: heardResponse,
};

function toolOf({ name, description, properties }: SaidTool): object {
  const parameters = { type: "object", properties, required: Object.keys(properties), additionalProperties: false };
  return { type: "function", name, ...(description && { description }), parameters, strict: false };
}

function itemsOf(said: Said): readonly unknown[] {
  switch (said.who) {
    case "user":
      return [{ role: "user", content: said.text }];
    case "tool":
      return [{ type: "function_call_output", call_id: said.id, output: said.text }];
    case "heard":
      return said.entries;
    case "assistant":
      return [
        ...(said.text === undefined ? [] : [messageOf("assistant", [{ type: "output_text", text: said.text }])]),
        ...(said.calls ?? []).map(({ id, tool, args }) => ({
          type: "function_call",
          call_id: id,
          name: tool,
          arguments: args,
        })),
      ];
  }
}

function view(raw: unknown): ModelView {
  const { body, items } = responsesRequestOf(raw);
  const { model, stream, instructions, tools, tool_choice: choice } = body;
  const texts = items.map(({ content, output }) => content ?? output).filter((text) => text !== undefined);
  return {
    raw,
    model: String(model ?? "scripted"),
    streams: stream === true,
    turns: turnsOf(items),
    texts: [...(instructions ? [instructions] : []), ...texts].map(textOf),
    called: items.filter(isCall).map((item) => String(item.arguments)),
    offered: objectsIn(tools).flatMap((tool) => objectsIn(tool.tools ?? [tool]).map(({ name }) => String(name))),
    forced: forcedBy(choice),
  };
}

function isCall({ type }: Item): boolean {
  return type === "function_call";
}

/** A turn begins where the model makes something behind what it did not make. */
function turnsOf(items: readonly Item[]): number {
  const made = items.map((item) => isCall(item) || item.role === "assistant");
  return made.filter((is, index) => is && made[index - 1] !== true).length;
}
