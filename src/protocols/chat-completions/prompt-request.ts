/** A question of the guard's own. */
export interface PromptRequest {
  readonly model: string;
  readonly system: string;
  readonly text: string;
  /** The schema of its answer; undefined where the endpoint takes none. */
  readonly answer: { readonly name: string; readonly schema: object } | undefined;
}

/** Where a question of the guard's own is sent. */
export const promptTarget = "/v1/chat/completions";

/** Its body. */
export function chatPromptBody({ model, system, text, answer }: PromptRequest): string {
  const messages = [
    { role: "system", content: system },
    { role: "user", content: text },
  ];
  const format = answer && {
    response_format: { type: "json_schema", json_schema: { name: answer.name, strict: true, schema: answer.schema } },
  };
  return JSON.stringify({ model, messages, ...format });
}
