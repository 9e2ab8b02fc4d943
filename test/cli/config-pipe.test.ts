import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { builtCli } from "../support/processes/built-cli.ts";
import { files } from "./command.ts";

/** `unloop` as a shell starts it, with `"$CONFIG"` as a file of its own. */
function inShell(line: string, config: string) {
  const env = { PATH: process.env.PATH ?? "", NODE: process.execPath, CLI: builtCli, CONFIG: config };
  const child = spawn("bash", ["-c", line], { env, stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  return child;
}

describe("a configuration that is no file", () => {
  it("is read however slowly it comes", async () => {
    const { good, bad } = files({ good: "mode: observe\npolicy: default\n", bad: "mode: observe\npolcy: default\n" });
    const check = async (config: string) => {
      const slowly = '<(head -c 9 "$CONFIG"; sleep 0.3; tail -c +10 "$CONFIG")';
      const child = inShell(`exec "$NODE" "$CLI" check-config ${slowly}`, config);
      return [await text(child.stdout), child.exitCode ?? (await once(child, "close"))[0]];
    };
    expect(await check(good ?? "")).toEqual([expect.stringMatching(/is valid\.\n$/), 0]);
    expect(await check(bad ?? "")).toEqual([expect.stringContaining(':2:1 The file has no "polcy"'), 1]);
  });

  it("serves by it, and keeps to it when it is told to look again", async () => {
    const { config } = files({ config: "mode: observe\n" });
    const line = `exec "$NODE" "$CLI" serve --upstream http://127.0.0.1:1 --port 0 --config <(cat "$CONFIG"; sleep 0.5)`;
    const child = inShell(line, config ?? "");
    let logged = "";
    child.stderr.on("data", (piece) => (logged += String(piece)));
    const shows = (part: RegExp) => expect.poll(() => logged, { timeout: 20_000 }).toMatch(part);
    await shows(/mode observe/);
    const [url] = /http:\/\/127\.0\.0\.1:\d+/g.exec(logged.slice(logged.indexOf("Point your agent"))) ?? [];
    child.kill("SIGHUP");
    await shows(/config-refused.*only a start|only a start.*config-refused/);
    expect((await fetch(`${url}/unloop/healthz`)).status).toBe(200);
    expect(logged.match(/config-refused/g)).toHaveLength(1);
  });

  it("is not read beyond the most that a file may have", async () => {
    const { config } = files({ config: "mode: observe\n" });
    const child = inShell('exec "$NODE" "$CLI" check-config <(cat "$CONFIG" - < /dev/zero)', config ?? "");
    expect(await text(child.stderr)).toContain("it has more than 16 MB");
  });
});
