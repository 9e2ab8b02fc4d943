import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, openSync } from "node:fs";
import { expect, it, onTestFinished } from "vitest";
import { post } from "../proxy/guard-rig.ts";
import { builtCli } from "../support/processes/built-cli.ts";
import { scriptedUpstream } from "../support/servers/upstream.ts";

/** Tells the port that the server has got over the channel to this process: what it prints is lost. */
const TELLS_PORT = `
import { Server } from "node:net";
const { listen } = Server.prototype;
Server.prototype.listen = function (...args) {
  return listen.apply(this.once("listening", () => process.send(this.address().port)), args);
};`;

it.runIf(existsSync("/dev/full"))(
  "a log on a full disk loses its lines, and neither a request nor the end waits for it",
  async () => {
    const upstream = await scriptedUpstream(() => ({ kind: "text", text: "ok" }));
    onTestFinished(() => upstream.close());
    const env = { PATH: process.env.PATH ?? "", UNLOOP_PORT: "0", UNLOOP_UPSTREAM: upstream.url };
    const preload = `data:text/javascript,${encodeURIComponent(TELLS_PORT)}`;
    const child = spawn(process.execPath, ["--import", preload, builtCli, "serve"], {
      env,
      stdio: ["ignore", "ignore", openSync("/dev/full", "w"), "ipc"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    const exit = once(child, "exit");
    const [port] = await once(child, "message");
    const url = `http://127.0.0.1:${port}`;
    for (let i = 0; i < 3; i++) {
      expect((await post(url, '{"messages":[{"role":"user","content":"hi"}]}')).status).toBe(200);
      // So long that the line before it was tried.
      await new Promise((resolve) => setTimeout(resolve, 120));
    }
    child.kill("SIGTERM");
    expect(await exit).toEqual([0, null]);
  },
);
