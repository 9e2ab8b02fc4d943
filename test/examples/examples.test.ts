import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Guard, startGuard } from "../support/servers/guarded.ts";
import { finalText, looping } from "../support/agents/scripts.ts";
import { scriptedUpstream, type Upstream } from "../support/servers/upstream.ts";
import { examplePath, printedBy, startExample } from "./example.ts";

let upstream: Upstream;
let guard: Guard | undefined;

beforeEach(async () => {
  upstream = await scriptedUpstream(looping("force-done"));
});

afterEach(async () => {
  await guard?.close();
  guard = undefined;
  await upstream.close();
});

const guardFor = async (env: Readonly<Record<string, string>> = {}): Promise<Guard> => {
  guard = await startGuard({ upstream: upstream.url, env });
  return guard;
};

it("examples/README.md has a row for every example, and none that there is not", () => {
  const readme = readFileSync(examplePath("README.md"), "utf8");
  const rows = [...readme.matchAll(/^\| \[([\w/.-]+)\]\(\1\) \|/gm)].map(([, path]) => path);
  const files = readdirSync(examplePath(""), { recursive: true, encoding: "utf8" });
  expect(rows.sort()).toEqual(files.filter((file) => file.includes("/")).sort());
});

describe("the examples of agents", () => {
  it("openai: prints every verdict, and the answer that the model was made to give", async () => {
    const { url } = await guardFor();
    const printed = await printedBy("openai/agent.ts", { OPENAI_BASE_URL: `${url}/v1` });
    expect(printed).toEqual([
      "step 1: ok",
      "step 2: ok",
      "step 3: nudge",
      "step 4: ok",
      "step 5: force-done",
      finalText,
    ]);
  });
});

describe("the examples of the guard in process", () => {
  const env = () => ({ OPENAI_BASE_URL: `${upstream.url}/v1` });
  const verdicts = ["ok", "ok", "nudge", "ok", "force-done"];

  it("ai-sdk: prints every verdict, and the answer that the model was made to give", async () => {
    const told = verdicts.map((verdict, at) => `step ${at + 1}: ${verdict}`);
    expect(await printedBy("ai-sdk/agent.ts", env())).toEqual([...told, finalText]);
  });

  it("langchain: the same", async () => {
    expect(await printedBy("langchain/agent.ts", env())).toEqual([...verdicts, finalText]);
  });
});

describe("the example of the engine alone", () => {
  it("nudges its own model, makes it finish, and asks the API and nothing else", async () => {
    const printed = await printedBy("engine/agent.ts", { OPENAI_BASE_URL: `${upstream.url}/v1` });
    expect(printed.map((line) => line.split(",")[0])).toEqual(["step 3: nudge", "step 4: force-done", finalText]);
    expect(upstream.requests).toHaveLength(5);
  });
});

describe("the example of an app that mounts the guard", () => {
  it("guards below its path, behind the app's own middleware", async () => {
    const app = startExample("hono/app.ts", { UPSTREAM: upstream.url, PORT: "0" });
    try {
      const [line] = await once(app.stdout ?? app, "data");
      const url = String(line).trim();
      const ask = (headers: Readonly<Record<string, string>>) =>
        fetch(`${url}/chat/completions`, {
          method: "POST",
          headers,
          body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "hi" }] }),
        });
      expect((await ask({})).status).toBe(401);
      expect((await ask({ "x-team": "search" })).headers.get("x-unloop-verdict")).toBe("ok");
      expect(upstream.requests).toHaveLength(1);
    } finally {
      app.kill();
      await once(app, "exit");
    }
  });
});

describe("the example of a policy", () => {
  it("is what a server starts with, and ends a loop sooner than the default", async () => {
    const { url } = await guardFor({ UNLOOP_POLICY: readFileSync(examplePath("policy/support-bot.json"), "utf8") });
    const printed = await printedBy("openai/agent.ts", { OPENAI_BASE_URL: `${url}/v1` });
    expect(printed).toEqual(["step 1: ok", "step 2: nudge", "step 3: force-done", finalText]);
  });
});
