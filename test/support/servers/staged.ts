import type { Page } from "playwright-core";
import { type WireAgent, wireAgent } from "../agents/wire-agent.ts";
import { chatCompletionsWire } from "../wires/chat-completions.ts";
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

export async function staged(
  env: Readonly<Record<string, string>> = {},
  instructions = "You are an agent.",
): Promise<Stage> {
  const runs = new Map<string, StagedRun>();
  const agents = new Map<string, WireAgent>();
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
  const agentOf = ({ session, task, turns, agent = "agent/1", model = "gpt-5", key = "sk-test", rambles }: StagedRun) =>
    wireAgent(chatCompletionsWire, {
      ...{ url: guard.url, upstream, model, system: instructions, tools: [] },
      said: [{ who: "user", text: task }],
      // An answer that runs away is cut off in its stream.
      stream: rambles !== undefined,
      fields: { "x-unloop-session": session, "user-agent": agent, authorization: `Bearer ${key}` },
      result: (made) =>
        turns.find(([tool, args]) => tool === made.tool && JSON.stringify(args) === made.args)?.[2] ?? "no such tool",
    });
  return {
    url: guard.url,
    page: `${guard.url}/unloop/`,
    async play(run, most = 100) {
      runs.set(run.task, run);
      const name = `${run.session} ${run.task}`;
      const agent = agents.get(name) ?? agentOf(run);
      agents.set(name, agent);
      for (let i = 0; i < most; i++) if ((await agent.turn()).heard.calls.length === 0) return;
    },
    close: async () => {
      await guard.close();
      await upstream.close();
    },
  };
}
