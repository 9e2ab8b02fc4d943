import { spawn } from "node:child_process";
import { on, once } from "node:events";
import { existsSync, openSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { answerTo } from "../contracts/transport-rig.ts";
import { agent, verdictsOf, post } from "../proxy/guard-rig.ts";
import { builtCli } from "../support/processes/built-cli.ts";
import { bodyOf } from "../support/servers/http.ts";
import { looping } from "../support/agents/scripts.ts";
import { type Environment, served, unloop } from "./command.ts";
import { serverOf, upstreamOf } from "../support/servers/of-test.ts";

async function openStream() {
  const open: ServerResponse[] = [];
  const url = await serverOf((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" }).write("data: 1\n\n");
    open.push(response);
  });
  const finish = () => {
    for (const response of open) response.end("data: [DONE]\n\n");
  };
  return { url, finish, open };
}

const loopingModel = () => upstreamOf(looping("nothing"));

const body = Buffer.from('{"stream":true,"messages":[{"role":"user","content":"hi"}]}');

async function begun(url: string) {
  const answer = await answerTo(`${url}/v1/chat/completions`, { method: "POST", pieces: [body] });
  const [first] = await once(answer, "data");
  return { answer, rest: bodyOf(answer).then((bytes) => String(first) + String(bytes)) };
}

/** Of a model that heeds nothing: told of the third call before it is made, ended in place of the fifth. */
const enforced = ["ok", "ok", "nudge", "ok", "short-circuit", "short-circuit", "short-circuit"];

describe("unloop serve", () => {
  it("says where it listens and what it guards, and guards it", async () => {
    const upstream = await loopingModel();
    const { url, banner, child, finished } = await served(upstream.url);
    const [guards, watches = ""] = banner.split("\n");
    expect(guards).toBe(`Unloop guards ${upstream.url}/ (mode enforce, policy default). Point your agent at ${url}/v1`);
    const token = /\/unloop\/#live\?token=(\w{48}) /.exec(watches)?.[1];
    const status = await fetch(`${url}/unloop/api/status`, { headers: { authorization: `Bearer ${token}` } });
    expect(await status.json()).toMatchObject({ role: "operate" });
    const browsed = await fetch(url, { redirect: "manual", headers: { accept: "text/html,*/*;q=0.8" } });
    expect([browsed.status, browsed.headers.get("location")]).toEqual([302, "/unloop/"]);
    const turns = await agent({ url, upstream }).turns(7);
    expect(verdictsOf(turns)).toEqual(enforced);
    child.kill("SIGTERM");
    const { code, out, err } = await finished;
    expect([code, out]).toEqual([0, ""]);
    const logged = err
      .trimEnd()
      .split("\n")
      .slice(2)
      .map((line) => JSON.parse(line));
    const exchanges = Array(7).fill("exchange");
    // Warned before the fifth, which is the first that was not made.
    expect(logged.map(({ event }) => event)).toEqual([...exchanges.toSpliced(4, 0, "loop-warning"), "draining"]);
    expect(err).not.toMatch(/sk-test|Paris|morning/);
    const facts = { verdict: "nudge", foreseen: true, detector: "repeated-call", count: 3, status: 200 };
    expect(logged[2]).toMatchObject(facts);
  });

  it("fails readiness, then finishes two hundred open streams at SIGTERM, and exits with 0", {
    timeout: 60_000,
  }, async () => {
    const upstream = await openStream();
    const env = { UNLOOP_SHUTDOWN_DELAY_MS: "3000", UNLOOP_LOG: "error" };
    const { url, child, finished } = await served(upstream.url, [], env);
    const streams = await Promise.all(Array.from({ length: 200 }, () => begun(url)));
    expect(upstream.open).toHaveLength(200);
    child.kill("SIGTERM");
    // The listener is still there, so that a balancer can learn that it should look away.
    await vi.waitFor(async () => expect((await fetch(`${url}/unloop/readyz`)).status).toBe(503));
    await vi.waitFor(() => expect(fetch(`${url}/unloop/readyz`)).rejects.toThrow());
    upstream.finish();
    const ended = await Promise.all(streams.map(({ rest }) => rest));
    expect(new Set(ended)).toEqual(new Set(["data: 1\n\ndata: [DONE]\n\n"]));
    expect(await finished).toMatchObject({ code: 0 });
  });

  it("cuts what is still open when its time to finish is over, and still exits with 0", async () => {
    const upstream = await openStream();
    const { url, child, finished } = await served(upstream.url, [], { UNLOOP_DRAIN_MS: "50" });
    const { rest } = await begun(url);
    const cut = expect(rest).rejects.toThrow();
    child.kill("SIGTERM");
    await cut;
    expect(await finished).toMatchObject({ code: 0 });
  });

  it("leaves at once at a second signal", async () => {
    const upstream = await openStream();
    const { url, child, finished } = await served(upstream.url);
    const { rest } = await begun(url);
    const cut = expect(rest).rejects.toThrow();
    child.kill("SIGINT");
    // It may log other things before: two signals at once would be one.
    for await (const text of on(child.stderr, "data")) if (String(text).includes('"draining"')) break;
    child.kill("SIGINT");
    await cut;
    expect(await finished).toMatchObject({ code: 130 });
  });

  it("goes on serving when nobody reads what it logs", async () => {
    const upstream = await loopingModel();
    const { url, child, finished } = await served(upstream.url);
    child.stderr.destroy();
    finished.catch(() => undefined);
    const turns = await agent({ url, upstream }).turns(7);
    expect(turns.map(({ status }) => status)).toEqual(Array(7).fill(200));
    child.kill("SIGTERM");
    expect((await once(child, "exit"))[0]).toBe(0);
  });

  it.runIf(existsSync("/dev/full"))(
    "loses its log on a full disk, and neither a request nor the end waits for it",
    async () => {
      const upstream = await loopingModel();
      // Tells the port over the channel to this process: what it prints is lost.
      const tellsPort = `import { Server } from "node:net";
      const { listen } = Server.prototype;
      Server.prototype.listen = function (...args) {
        return listen.apply(this.once("listening", () => process.send(this.address().port)), args);
      };`;
      const preload = `data:text/javascript,${encodeURIComponent(tellsPort)}`;
      const child = spawn(process.execPath, ["--import", preload, builtCli, "serve"], {
        env: { PATH: process.env.PATH ?? "", UNLOOP_PORT: "0", UNLOOP_UPSTREAM: upstream.url },
        stdio: ["ignore", "ignore", openSync("/dev/full", "w"), "ipc"],
      });
      onTestFinished(() => void child.kill("SIGKILL"));
      const exit = once(child, "exit");
      const [port] = await once(child, "message");
      for (let i = 0; i < 3; i++) {
        expect((await post(`http://127.0.0.1:${port}`, String(body))).status).toBe(200);
        // So long that the line before it was tried.
        await new Promise((resolve) => setTimeout(resolve, 120));
      }
      child.kill("SIGTERM");
      expect(await exit).toEqual([0, null]);
    },
  );
});

describe("unloop serve says in one sentence, and exits with 2, when", () => {
  it("its port is taken", async () => {
    const { port } = new URL(await serverOf(() => undefined));
    const { code, out, err } = await unloop(["serve", "--port", port]);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toBe(
      `unloop: Cannot listen on 127.0.0.1:${port}: something else listens there already; stop it, or choose another port with UNLOOP_PORT or --port.\n`,
    );
  });

  it.each<[readonly string[], Environment, string]>([
    [[], { UNLOOP_CONFIG: "/nowhere/unloop.yaml" }, "there is no such file. Correct UNLOOP_CONFIG or --config."],
    [["--host", "192.0.2.1"], {}, "Cannot listen on 192.0.2.1:"],
    [["--prot", "1"], {}, "unknown option '--prot'"],
  ])("%j %j", async (args, env, says) => {
    const { code, out, err } = await unloop(["serve", ...args], { env });
    expect(err).toContain(says);
    expect([code, out]).toEqual([2, ""]);
    // commander adds a second line with a suggestion.
    const told = err.trimEnd().split("\n");
    expect(told.filter((line) => !line.startsWith("("))).toHaveLength(1);
  });
});
