import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";

/** How an agent's process ended. */
export interface AgentRun {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

export interface AgentCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Settings in its home, by their paths. */
  readonly settings?: Readonly<Record<string, string>>;
}

const MAX_MS = 60_000;

/** Runs an agent to its end in a project of its own, with a home of its own and nothing of this machine's settings. */
export async function runAgent({ file, args, env, settings = {} }: AgentCommand): Promise<AgentRun> {
  const root = await mkdtemp(join(tmpdir(), "unloop-agent-"));
  try {
    await writeFile(join(root, "notes.txt"), "one\ntwo\n");
    for (const [path, contents] of Object.entries(settings)) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), contents);
    }
    const child = spawn(file, args, {
      cwd: root,
      env: { PATH: process.env.PATH ?? "", HOME: root, ...env },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: MAX_MS,
    });
    const code = new Promise<number | null>((resolve, reject) => child.on("error", reject).on("close", resolve));
    const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { code: await code, output, errors };
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}
