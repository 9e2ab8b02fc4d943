import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { agent } from "../proxy/guard-rig.ts";
import { builtCli } from "../support/processes/built-cli.ts";
import { freePort } from "../support/servers/http.ts";
import { isInstalled } from "../support/processes/installed.ts";
import { healthy, looping } from "../support/agents/scripts.ts";
import { newFolder, upstreamOf } from "../support/servers/of-test.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const page = readFileSync(join(ROOT, "docs/start/platform-team.md"), "utf8");

interface Block {
  readonly kind: string;
  readonly text: string;
}

const sections = page.split(/^## /m).map((section) => ({
  heading: section.slice(0, section.indexOf("\n")),
  blocks: [...section.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(
    ([, kind = "", text = ""]): Block => ({ kind, text }),
  ),
}));

function shell(folder: string, env: Readonly<Record<string, string>>) {
  const child = spawn("bash", ["-m"], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let out = "";
  let err = "";
  child.stdout.on("data", (bytes) => {
    out += bytes;
  });
  child.stderr.on("data", (bytes) => {
    err += bytes;
  });
  let blocks = 0;
  const run = async (script: string): Promise<string> => {
    blocks += 1;
    const mark = `the end of block ${blocks}`;
    out = "";
    child.stdin.write(`${script}\necho "${mark}"\n`);
    await expect.poll(() => out, { timeout: 60_000, message: `${script}\n${err}` }).toContain(mark);
    return out.slice(0, out.indexOf(mark));
  };
  return { run, end: () => void child.stdin.end("kill %1; wait\n") };
}

function contains(actual: unknown, expected: unknown): boolean {
  if (Array.isArray(expected))
    return Array.isArray(actual) && expected.every((one) => actual.some((other) => contains(other, one)));
  if (typeof expected !== "object" || expected === null) return actual === expected;
  return Object.entries(expected).every(
    ([name, value]) => typeof actual === "object" && actual !== null && contains(Reflect.get(actual, name), value),
  );
}

it.skipIf(!["bash", "curl", "openssl"].every(isInstalled))(
  "the platform team's page says what its commands do (left out without bash, curl and openssl)",
  { timeout: 180_000 },
  async () => {
    const upstream = await upstreamOf((request, index) =>
      request.fields["x-loops"] === undefined ? healthy(1)(request, index) : looping("nothing")(request, index),
    );
    const folder = newFolder();
    const port = await freePort();
    const bin = join(folder, "bin");
    mkdirSync(bin);
    writeFileSync(join(bin, "unloop"), `#!/bin/sh\nexec "${process.execPath}" "${builtCli}" "$@"\n`);
    chmodSync(join(bin, "unloop"), 0o755);
    const { run, end } = shell(folder, {
      PATH: `${bin}:${process.env.PATH}`,
      UNLOOP_PORT: String(port),
      UNLOOP_UPSTREAM: upstream.url,
      // On which side of the rollout a session is goes by its key.
      UNLOOP_SECRET: "the secret of this page",
      NO_COLOR: "1",
    });
    onTestFinished(end);

    const url = `http://127.0.0.1:${port}`;
    const session = (name: string, turns: number, more: Readonly<Record<string, string>> = {}) =>
      agent({ url, upstream, headers: { "x-unloop-agent": "researcher", "x-unloop-session": name, ...more } }).turns(
        turns,
      );
    const withKey = async () => ({ authorization: `Bearer ${(await run('echo "$RESEARCH_KEY"')).trim()}` });
    const meanwhile: Readonly<Record<string, () => Promise<unknown>>> = {
      "Look at what would have been done": () => session("first", 5, { "x-loops": "yes" }),
      "Compare both halves": async () => {
        for (let i = 0; i < 90; i += 1) await session(`half-${i}`, 2, i % 10 === 0 ? { "x-loops": "yes" } : {});
      },
      "End one run, then release it": () => session("nightly", 2),
      "Show each team its own figures": async () => session("weekly", 2, await withKey()),
      "Read the audit": () =>
        expect.poll(async () => (await session("late", 1, await withKey()))[0]?.status, { timeout: 20_000 }).toBe(401),
    };

    const sh = (text: string) => run(text.replaceAll("127.0.0.1:8787", `127.0.0.1:${port}`));
    for (const { heading, blocks } of sections) {
      await meanwhile[heading]?.();
      for (const [i, { kind, text }] of blocks.entries()) {
        if (kind === "yaml")
          writeFileSync(join(folder, /^# (\S+)\n/.exec(text)?.[1] ?? "none"), text.replace(/^#.*\n/, ""));
        if (kind !== "sh") continue;
        const next = blocks[i + 1];
        if (next?.kind === "json") {
          const expected: unknown = JSON.parse(next.text);
          let said = "";
          await expect
            .poll(
              async () => {
                said = await sh(text);
                return contains(JSON.parse(said), expected);
              },
              { timeout: 20_000, message: `${heading}: ${text}` },
            )
            .toBe(true)
            .catch((error) => {
              throw new Error(`${heading}: ${said}`, { cause: error });
            });
        } else if (next?.kind === "text") expect(await sh(text), `${heading}: ${text}`).toBe(next.text);
        else await sh(text);
      }
    }
    expect(readFileSync(join(folder, "unloop.log"), "utf8")).toContain('"event":"config-refused"');
  },
);
