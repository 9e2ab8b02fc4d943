import type { Page } from "playwright-core";
import { type Guard, startGuard } from "./guarded.ts";
import { type Script, scriptedUpstream } from "./upstream.ts";

export type Turn = readonly [tool: string, args: object, result: string];

export interface StagedRun {
  readonly session: string;
  readonly task: string;
  readonly agent?: string;
  readonly model?: string;
  readonly key?: string;
  readonly turns: readonly Turn[];
  readonly heeds?: true;
  readonly rambles?: string;
}

export interface Stage {
  readonly url: string;
  readonly page: string;
  play(run: StagedRun, most?: number): Promise<void>;
  close(): Promise<void>;
}

/** Tokens for acts, by the address of their guard. */
const tokens = new Map<string, string>();

export async function withToken(page: Page, url: string): Promise<void> {
  const token = url.startsWith("http") ? tokens.get(new URL(url).origin) : undefined;
  if (token === undefined) return;
  await page.addInitScript((value) => sessionStorage.setItem("unloop-admin-token", value), token);
}

type Message = {
  role: string;
  content?: string | null;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
};

export async function staged(
  env: Readonly<Record<string, string>> = {},
  instructions = "You are an agent.",
): Promise<Stage> {
  const runs = new Map<string, StagedRun>();
  const histories = new Map<string, Message[]>();
  const script: Script = ({ view: { texts, turns } }) => {
    const run = texts.flatMap((text) => runs.get(text) ?? [])[0];
    if (run?.rambles !== undefined) return { kind: "text", text: run.rambles };
    const turn = run?.heeds && texts.some((text) => text.includes("[unloop]")) ? undefined : run?.turns[turns];
    if (turn === undefined) return { kind: "text", text: "Done: it is as it should be." };
    return { kind: "calls", calls: [{ tool: turn[0], args: JSON.stringify(turn[1]) }] };
  };
  const upstream = await scriptedUpstream(script);
  const guard: Guard = await startGuard({ upstream: upstream.url, env });
  if (guard.adminToken !== undefined) tokens.set(guard.url, guard.adminToken);
  const ask = async (
    { session, agent = "agent/1", model = "gpt-5", key = "sk-test", rambles }: StagedRun,
    messages: object[],
  ) => {
    const answer = await fetch(`${guard.url}/v1/chat/completions`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "x-unloop-session": session,
        "user-agent": agent,
        authorization: `Bearer ${key}`,
      },
      body: JSON.stringify({ model, messages, stream: rambles !== undefined }),
    });
    // An answer that runs away is cut off in its stream.
    if (rambles !== undefined) return { role: "assistant", content: await answer.text() };
    return ((await answer.json()) as { choices: [{ message: Message }] }).choices[0].message;
  };
  return {
    url: guard.url,
    page: `${guard.url}/unloop/`,
    async play(run, most = 100) {
      runs.set(run.task, run);
      const name = `${run.session} ${run.task}`;
      const messages = histories.get(name) ?? [
        { role: "system", content: instructions },
        { role: "user", content: run.task },
      ];
      histories.set(name, messages);
      for (let i = 0; i < most; i++) {
        const message = await ask(run, messages);
        messages.push(message);
        for (const { id, function: made } of message.tool_calls ?? []) {
          const turn = run.turns.find(([tool, args]) => tool === made.name && JSON.stringify(args) === made.arguments);
          messages.push({ role: "tool", tool_call_id: id, content: turn?.[2] ?? "no such tool" } as Message);
        }
        if ((message.tool_calls ?? []).length === 0) return;
      }
    },
    close: async () => {
      await guard.close();
      await upstream.close();
    },
  };
}
