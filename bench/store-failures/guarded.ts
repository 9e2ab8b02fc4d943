import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { createInterface } from "node:readline";

const ROOT = resolve(import.meta.dirname, "../..");

/** A server process with what stands around it. */
export interface Guarded {
  readonly url: string;
  readonly pid: number;
  /** How much later Redis answers from now on. */
  late(ms: number): void;
  /** The log's lines about the store, in order, with the seconds since then. */
  changes(since: number): readonly string[];
  /** How long after `since` the store was used again. */
  back(since: number): Promise<number | undefined>;
  /** Whether a loop is caught that each request tells only the last turn of. */
  remembers(): Promise<boolean>;
  stop(): Promise<void>;
}

/** @param env settings beside the usual ones; an empty one is unset */
export async function startGuarded(redis: number, env: Readonly<Record<string, string>> = {}): Promise<Guarded> {
  const surroundings = fork(resolve(import.meta.dirname, "surroundings.ts"), { execArgv: ["--import", "tsx"] });
  surroundings.send(redis);
  const [{ model, redisPort }] = await once(surroundings, "message");
  const server = spawn(process.execPath, ["--import", "tsx", "src/cli/cli.ts", "serve", "--port", "0"], {
    cwd: ROOT,
    env: {
      ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("UNLOOP_"))),
      UNLOOP_UPSTREAM: model,
      UNLOOP_SECRET: "the secret of this benchmark",
      // What is caught is counted by what requests show.
      UNLOOP_POLICY: '{"extends":"default","intercept":"off"}',
      REDIS_URL: `redis://127.0.0.1:${redisPort}`,
      ...env,
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const changes: { readonly event: string; readonly at: number }[] = [];
  const lines = createInterface({ input: server.stderr });
  const [banner] = await once(lines, "line");
  lines.on("line", (line) => {
    const event = /"event":"(store-(?:lost|back))"/.exec(line)?.[1];
    if (event !== undefined) changes.push({ event, at: performance.now() });
  });
  const url = /http:\/\/127\.0\.0\.1:\d+(?=\/v1$)/.exec(String(banner))?.[0];
  if (url === undefined) throw new Error(`No address in ${banner}`);
  return {
    url,
    pid: server.pid ?? 0,
    late: (ms) => void surroundings.send(ms),
    changes: (since) => changes.map(({ event, at }) => `${event} ${((at - since) / 1_000).toFixed(1)} s`),
    back: (since) => back(url, since),
    remembers: () => remembers(url),
    stop: async () => {
      await Promise.all([ended(server), ended(surroundings)]);
    },
  };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}

async function back(url: string, since: number): Promise<number | undefined> {
  while (performance.now() - since < 30_000) {
    const { verdict } = await asked(url, crypto.randomUUID(), [{ role: "user", content: "hello" }]);
    if (verdict === "ok") return performance.now() - since;
    await new Promise((again) => setTimeout(again, 10));
  }
  return undefined;
}

async function remembers(url: string): Promise<boolean> {
  const session = crypto.randomUUID();
  const task = { role: "user", content: "What is the weather?" };
  let last: object[] = [];
  const verdicts: string[] = [];
  for (let turn = 0; turn < 5; turn += 1) {
    const { verdict, message } = await asked(url, session, [task, ...last]);
    verdicts.push(verdict);
    last = [message, { role: "tool", tool_call_id: message.tool_calls?.[0]?.id, content: "rain" }];
  }
  return verdicts.includes("nudge");
}

async function asked(url: string, session: string, messages: readonly object[]) {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: "Bearer sk-probe", "x-agent": "looping", "x-unloop-session": session },
    body: JSON.stringify({ model: "m", messages }),
  });
  const { choices } = JSON.parse(await response.text());
  return { verdict: response.headers.get("x-unloop-verdict") ?? "none", message: choices[0].message };
}
