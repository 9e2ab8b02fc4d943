import { randomUUID } from "node:crypto";
import type { UnloopOptions } from "../../../src/index.ts";
import { called, type Message, user } from "../../support/builders/chat-history.ts";
import { inPieces } from "../../support/builders/in-process.ts";
import { chatCompletionsWire } from "../../support/wires/chat-completions.ts";
import type { ScriptedAnswer } from "../../support/wires/scripted-answer.ts";
import { chatRig } from "../chat-rig.ts";
import { standard } from "../guard-rig.ts";

const args = JSON.stringify({ text: "The database is healthy." });
export const sendTool = {
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
  const answers: string[] = [];
  const rig = chatRig(
    ({ body }, index) => {
      const said = says[index];
      if (said === undefined) throw new Error(`asked ${index + 1} times`);
      if (said instanceof Response) return said;
      const view = chatCompletionsWire.view(JSON.parse(body));
      const { status, fields, pieces } = chatCompletionsWire.rendered(said, view, () => `${index}`);
      answers[index] = pieces.join("");
      return new Response(inPieces(pieces), { status, headers: { ...fields, "x-request-id": `req-${index}` } });
    },
    { policy: standard(), ...options },
  );
  return {
    ...rig,
    answers,
    ask: (messages: readonly Message[], extra: object = {}, session: string = randomUUID()) =>
      rig.ask(messages, { tools: [sendTool], ...extra }, { "x-unloop-session": session }),
    journal: async () => (await rig.journal()).filter(({ type }) => type !== "warning"),
  };
}
