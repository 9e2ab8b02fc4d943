import { randomUUID } from "node:crypto";
import { expect, vi } from "vitest";
import { memoryStores, type Stores, type UnloopOptions } from "../../../src/index.ts";
import { called, type Message, user } from "../../support/builders/chat-history.ts";
import { inPieces, inProcess } from "../../support/builders/in-process.ts";
import { chatCompletionsWire } from "../../support/wires/chat-completions.ts";
import type { ScriptedAnswer } from "../../support/wires/scripted-answer.ts";
import { type Given, logInto, type LogLine, standard } from "../guard-rig.ts";

const args = JSON.stringify({ text: "The database is healthy." });
const sendTool = {
  type: "function",
  function: { name: "send_message", parameters: { type: "object", properties: { text: { type: "string" } } } },
};

export const sending: ScriptedAnswer = { kind: "calls", calls: [{ tool: "send_message", args }] };
export const sayingSo: ScriptedAnswer = { ...sending, text: "I will tell them. " };
export const resting: ScriptedAnswer = { kind: "text", text: "They know already." };

export const healthy = [user("Tell the team how the database is.")];
export const sent = (id: string) => called(id, "send_message", args, "Sent.");
/** One more message of the same text completes a loop. */
export const armed: readonly Message[] = [...healthy, ...sent("call_before")];

export function interceptRig(says: readonly (ScriptedAnswer | Response)[], options: Partial<UnloopOptions> = {}) {
  const logged: LogLine[] = [];
  const answers: string[] = [];
  const stores: Stores = options.stores ?? memoryStores();
  const { fetch, asked } = inProcess(
    async ({ body }, index) => {
      const said = says[index];
      if (said === undefined) throw new Error(`asked ${index + 1} times`);
      if (said instanceof Response) return said;
      const { status, fields, pieces } = chatCompletionsWire.rendered(
        said,
        chatCompletionsWire.view(JSON.parse(body)),
        () => `${index}`,
      );
      answers[index] = pieces.join("");
      return new Response(inPieces(pieces), { status, headers: { ...fields, "x-request-id": `req-${index}` } });
    },
    { policy: standard(), log: logInto(logged), stores, ...options },
  );
  let asks = 0;
  return {
    asked,
    logged,
    answers,
    async ask(
      messages: readonly Message[],
      extra: object = {},
      session: string = randomUUID(),
      whenHeard: () => unknown = () => undefined,
    ): Promise<Given> {
      const response = await fetch("http://guard/v1/chat/completions", {
        method: "POST",
        headers: { "x-unloop-session": session },
        body: JSON.stringify({ model: "gpt-4o", tools: [sendTool], ...extra, messages }),
      });
      const given = { status: response.status, headers: response.headers, text: await response.text() };
      whenHeard();
      asks += 1;
      const recorded = () => logged.filter(({ event }) => event === "recorded");
      await vi.waitFor(() => expect(recorded()).toHaveLength(asks), { interval: 1 });
      return given;
    },
    journal: async (): Promise<readonly Message[]> =>
      (await stores.journal.page(100)).map(({ entry }) => JSON.parse(entry)).filter(({ type }) => type !== "warning"),
  };
}
