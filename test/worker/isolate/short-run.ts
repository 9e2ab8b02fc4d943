import type { Fetcher } from "@cloudflare/workers-types";
import type { Message } from "../../proxy/agent.ts";
import { post } from "../../proxy/guard-rig.ts";
import { openHost } from "../seams/network.ts";

/** A run of which each request tells only the task and the last two turns: the guard's memory alone shows the loop. */
export async function shortRun(
  turns: number,
  session: string,
  urlOf: (turn: number) => string | Promise<string>,
  key = "sk-test",
): Promise<readonly (string | null)[]> {
  const history: Message[] = [];
  const verdicts: (string | null)[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    const messages = [{ role: "user", content: "What is the weather in Paris?" }, ...history.slice(-4)];
    const given = await post(await urlOf(turn), JSON.stringify({ model: "m", messages }), {
      "x-unloop-session": session,
      authorization: `Bearer ${key}`,
    });
    const message = JSON.parse(given.text).choices[0].message;
    verdicts.push(given.headers.get("x-unloop-verdict"));
    history.push(message, { role: "tool", tool_call_id: message.tool_calls?.[0]?.id, content: "rain till noon" });
  }
  return verdicts;
}

/** A Worker's address in the isolate's own network. */
export function urlOf(worker: Fetcher): string {
  const asked = worker as unknown as { fetch(request: Request): Promise<Response> };
  return openHost((request) => asked.fetch(request)).url;
}
