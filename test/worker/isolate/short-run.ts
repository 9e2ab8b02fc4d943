import type { Fetcher } from "@cloudflare/workers-types";
import { post } from "../../proxy/guard-rig.ts";
import { chatBody, type Message, user } from "../../support/builders/chat-history.ts";
import { openHost } from "../seams/network.ts";

export async function shortRun(session: string, urlOf: (turn: number) => string | Promise<string>) {
  const history: Message[] = [];
  const verdicts: (string | null)[] = [];
  for (let turn = 0; turn < 7; turn += 1) {
    const body = chatBody([user("What is the weather in Paris?"), ...history.slice(-4)]);
    const given = await post(await urlOf(turn), body, { "x-unloop-session": session });
    const message = JSON.parse(given.text).choices[0].message;
    verdicts.push(given.headers.get("x-unloop-verdict"));
    history.push(message, { role: "tool", tool_call_id: message.tool_calls?.[0]?.id, content: "rain till noon" });
  }
  return verdicts;
}

export function urlOf(worker: Fetcher): string {
  const asked = worker as unknown as { fetch(request: Request): Promise<Response> };
  return openHost((request) => asked.fetch(request)).url;
}
