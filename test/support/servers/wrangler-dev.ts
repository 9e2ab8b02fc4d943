import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../..", import.meta.url));

export interface WranglerDev {
  /** Without `/v1`. */
  readonly url: string;
  /** What it has printed, the Worker's log lines included. */
  output(): string;
  /** Ends it as a crash would: nothing gets to say goodbye. */
  kill(): Promise<void>;
}

/** `npm run dev:worker` as a user starts it, on a free port; `state` is the folder where its objects live. */
export async function startWranglerDev({
  state,
  env,
}: {
  readonly state: string;
  readonly env: Readonly<Record<string, string>>;
}): Promise<WranglerDev> {
  const vars = Object.entries(env).flatMap(([name, value]) => ["--var", `${name}:${value}`]);
  const options = ["--port", "0", "--inspector-port", "0", "--persist-to", state, ...vars];
  // A group of its own: npm, wrangler and workerd can then be ended together.
  const child = spawn("npm", ["run", "--silent", "dev:worker", "--", ...options], { cwd: root, detached: true });
  const exited = once(child, "exit");
  const kill = async () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGKILL");
    await exited;
  };
  let said = "";
  return new Promise((resolve, reject) => {
    const hear = (text: string) => {
      said += text;
      const url = /Ready on (http:\/\/[\d.:]+)/.exec(said)?.[1];
      if (url !== undefined) resolve({ url, output: () => said, kill });
    };
    child.stdout.setEncoding("utf8").on("data", hear);
    child.stderr.setEncoding("utf8").on("data", hear);
    child.once("exit", () => reject(new Error(`wrangler dev ended: ${said}`)));
  });
}
