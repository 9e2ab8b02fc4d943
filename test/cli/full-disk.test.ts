import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, openSync } from "node:fs";
import { createServer } from "node:http";
import { expect, it, onTestFinished, vi } from "vitest";
import { post } from "../proxy/guard-rig.ts";
import { builtCli } from "../support/processes/built-cli.ts";
import { closing, listening } from "../support/servers/http.ts";
import { scriptedUpstream } from "../support/servers/upstream.ts";

async function freePort(): Promise<string> {
  const server = createServer();
  const { port } = new URL(await listening(server));
  await closing(server);
  return port;
}

it.runIf(existsSync("/dev/full"))(
  "a log on a full disk loses its lines, and neither a request nor the end waits for it",
  async () => {
    const upstream = await scriptedUpstream(() => ({ kind: "text", text: "ok" }));
    onTestFinished(() => upstream.close());
    const port = await freePort();
    const env = { PATH: process.env.PATH ?? "", UNLOOP_PORT: port, UNLOOP_UPSTREAM: upstream.url };
    const child = spawn(process.execPath, [builtCli, "serve"], {
      env,
      stdio: ["ignore", "ignore", openSync("/dev/full", "w")],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    const exit = once(child, "exit");
    const url = `http://127.0.0.1:${port}`;
    await vi.waitFor(() => fetch(`${url}/unloop/healthz`), 10_000);
    for (let i = 0; i < 3; i++) {
      expect((await post(url, '{"messages":[{"role":"user","content":"hi"}]}')).status).toBe(200);
      // So long that the line before it was tried.
      await new Promise((resolve) => setTimeout(resolve, 120));
    }
    child.kill("SIGTERM");
    expect(await exit).toEqual([0, null]);
  },
);
