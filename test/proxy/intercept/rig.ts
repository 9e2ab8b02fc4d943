import { randomUUID } from "node:crypto";
import { expect, vi } from "vitest";
import { memoryStores, type Stores, type UnloopOptions } from "../../../src/index.ts";
import { chatBodyOf, rendered } from "../../support/wires/chat-wire.ts";
import type { RawAnswer, ScriptedAnswer } from "../../support/wires/scripted-answer.ts";
import { type Asked, inPieces, inProcess } from "../../support/builders/in-process.ts";
import { logInto, type LogLine, standard } from "../guard-rig.ts";

export const text = "The database is healthy.";
export const args = JSON.stringify({ text });
const sendTool = {
  type: "function",
  function: { name: "send_message", parameters: { type: "object", properties: { text: { type: "string" } } } },
};

/** The message that has gone out already. */
export const sending: ScriptedAnswer = { kind: "calls", calls: [{ tool: "send_message", args }] };
/** The same with a word before it. */
export const sayingSo: ScriptedAnswer = { ...sending, text: "I will tell them. " };
export const resting: ScriptedAnswer = { kind: "text", text: "They know already." };

const user = { role: "user", content: "Tell the team how the database is." };
export const sent = (id: string) => [
  { role: "assistant", tool_calls: [{ id, type: "function", function: { name: "send_message", arguments: args } }] },
  { role: "tool", tool_call_id: id, content: "Sent." },
];
/** One more message of the same text completes a loop. */
export const armed: readonly object[] = [user, ...sent("call_before")];
export const healthy: readonly object[] = [user];

/** Says one thing after the other. */
export type Said = ScriptedAnswer | Response | Error | ((asked: Asked) => Promise<Response>);

export interface Rig {
  /** One request of a session of its own unless that is told. */
  ask(messages: readonly object[], extra?: object, more?: { session?: string; whenHeard?: () => void }): Promise<Heard>;
  readonly asked: readonly Asked[];
  readonly logged: readonly LogLine[];
  /** What upstream answered, as bytes. */
  readonly answers: readonly string[];
  journal(): Promise<readonly Record<string, unknown>[]>;
}

export interface Heard {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** The guard in-process in front of a model that says what it is told, in order. */
export function interceptRig(says: readonly Said[], options: Partial<UnloopOptions> = {}): Rig {
  const logged: LogLine[] = [];
  const answers: string[] = [];
  const stores: Stores = options.stores ?? memoryStores();
  const guard = inProcess(
    async (asked, index) => {
      const said = says[index];
      if (said === undefined) throw new Error(`asked ${index + 1} times`);
      if (said instanceof Error) throw said;
      if (said instanceof Response) return said;
      if (typeof said === "function") return said(asked);
      const raw = rendered(said, chatBodyOf(JSON.parse(asked.body)), () => `${index}`);
      answers[index] = raw.kind === "raw" ? raw.pieces.join("") : "";
      return responseOf(raw, index);
    },
    { policy: standard(), log: logInto(logged), stores, ...options },
  );
  let asks = 0;
  const recorded = () => logged.filter(({ event }) => event === "recorded").length;
  return {
    asked: guard.asked,
    logged,
    answers,
    async ask(messages, extra = {}, { session = randomUUID(), whenHeard } = {}) {
      const response = await guard.fetch("http://guard/v1/chat/completions", {
        method: "POST",
        headers: { "x-unloop-session": session },
        body: JSON.stringify({ model: "gpt-4o", tools: [sendTool], ...extra, messages }),
      });
      const given = { status: response.status, headers: response.headers, text: await response.text() };
      whenHeard?.();
      asks += 1;
      // What was done is kept behind the last byte.
      await vi.waitFor(() => expect(recorded()).toBe(asks), { interval: 1 });
      return given;
    },
    journal: async () =>
      (await stores.journal.page(100)).map(({ entry }) => JSON.parse(entry)).filter(({ type }) => type !== "warning"),
  };
}

/** `x-request-id` says which answer of the model it is. */
export function responseOf({ status, fields, pieces }: RawAnswer, index: number): Response {
  return new Response(inPieces(pieces), { status, headers: { ...fields, "x-request-id": `req-${index}` } });
}

/** What a streamed answer is made of, for the rules that every stream keeps. */
export function told(stream: string) {
  const data = stream.split("\n").flatMap((line) => (line.startsWith("data: ") ? [line.slice(6)] : []));
  const chunks = data.filter((one) => one !== "[DONE]").map((one) => JSON.parse(one));
  const choices = chunks.flatMap((chunk) => chunk.choices ?? []);
  return {
    ids: [...new Set(chunks.map(({ id }) => id))],
    roles: choices.filter(({ delta }) => delta.role !== undefined).length,
    finishes: choices.flatMap(({ finish_reason }) => finish_reason ?? []),
    dones: data.filter((one) => one === "[DONE]").length,
    content: choices.map(({ delta }) => delta.content ?? "").join(""),
    arguments: choices
      .flatMap(({ delta }) => delta.tool_calls ?? [])
      .map((call) => call.function?.arguments ?? "")
      .join(""),
    calls: choices.flatMap(({ delta }) => delta.tool_calls ?? []).filter((call) => call.id !== undefined).length,
    usages: chunks.flatMap(({ usage }) => usage ?? []),
    errors: chunks.flatMap(({ error }) => error ?? []),
  };
}
