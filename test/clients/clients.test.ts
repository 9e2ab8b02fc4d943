import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import type { ScriptedAnswer } from "../support/wires/scripted-answer.ts";
import { startGuard } from "../support/servers/guarded.ts";
import { finalText, healthy, looping } from "../support/agents/scripts.ts";
import { type Tap, tap } from "../support/servers/tap.ts";
import { upstreamOf } from "../support/servers/of-test.ts";
import type { Script, Upstream } from "../support/servers/upstream.ts";
import { agentsClients } from "./agents.ts";
import { aiSdkClients } from "./ai-sdk.ts";
import { anthropicClients, threadClients } from "./anthropic.ts";
import type { Client, ToolName } from "./client.ts";
import { googleClients } from "./google.ts";
import { langgraphClients } from "./langgraph.ts";
import { ollamaClients } from "./ollama.ts";
import { openaiClients } from "./openai.ts";

const clients: readonly Client[] = [
  ...openaiClients,
  ...anthropicClients,
  ...ollamaClients,
  ...googleClients,
  ...aiSdkClients,
  ...langgraphClients,
  ...agentsClients,
];
const maxSteps = 14;
const marker = "[unloop]";
const closing = "This run was stopped";

const sending: ScriptedAnswer = {
  kind: "calls",
  calls: [{ tool: "send_message", args: JSON.stringify({ q: "The database is healthy." }) }],
};
const says = { ...sending, text: "I will tell the team. " };
const heeds: Script = ({ bytes }) => (bytes.includes(marker) ? { kind: "text", text: finalText } : sending);

interface Scenario {
  readonly name: string;
  readonly tool?: ToolName;
  readonly policy?: string;
  readonly script: () => Script;
  /** One for every request that the guard sees: a retry or a step too many would lengthen it. */
  readonly verdicts: readonly string[];
  readonly asked: number;
  readonly toolRuns: number;
  readonly endsItself?: true;
}

function wideAt(turn: number, script: Script): Script {
  return (request, index) => {
    const answer = script(request, index);
    if (request.view.turns !== turn || answer.kind !== "calls") return answer;
    const beside = { tool: "search", args: JSON.stringify({ q: "weather in Rome" }) };
    return { ...answer, calls: [...answer.calls, beside] };
  };
}

const climbs = {
  policy: JSON.stringify({ intercept: "off" }),
  ...{ verdicts: ["ok", "ok", "ok", "nudge", "ok", "force-done", "short-circuit"], asked: 6, toolRuns: 6 },
};

const untouched: readonly Scenario[] = [
  {
    name: "leaves a healthy run alone, byte for byte",
    script: () => wideAt(4, healthy(10)),
    ...{ verdicts: Array(11).fill("ok"), asked: 11, toolRuns: 11, endsItself: true },
  },
  { name: "climbs all rungs on requests alone, and ends the run itself", script: () => looping("nothing"), ...climbs },
];

const intercepted: readonly Scenario[] = [
  {
    name: "lets a message out once if the model takes the hint",
    ...{ tool: "send_message", script: () => heeds },
    ...{ verdicts: ["ok", "nudge"], asked: 3, toolRuns: 1, endsItself: true },
  },
  {
    name: "lets a message out twice though the model heeds nothing, and never a third time",
    ...{ tool: "send_message", script: () => () => sending },
    ...{ verdicts: ["ok", "nudge", "short-circuit"], asked: 5, toolRuns: 2 },
  },
  {
    name: "does so behind words that have gone through already",
    ...{ tool: "send_message", script: () => () => says },
    // What a stream leads to is not known at its head.
    verdicts: ["ok", expect.stringMatching(/ok|nudge/), expect.stringMatching(/ok|short-circuit/)],
    ...{ asked: 5, toolRuns: 2 },
  },
  {
    name: "makes a model finish that ignores the nudge",
    script: () => looping("force-done"),
    ...{ verdicts: ["ok", "ok", "nudge", "ok", "force-done"], asked: 7, toolRuns: 4, endsItself: true },
  },
];

const search = (q: string): ScriptedAnswer => ({
  kind: "calls",
  calls: [{ tool: "search", args: JSON.stringify({ q }) }],
});

/** Of runs whose requests tell nothing but the newest results. */
const onThreads: readonly Scenario[] = [
  {
    name: "leaves a healthy run alone, byte for byte",
    script: () => (_, index) => (index < 6 ? search(`district ${index}`) : { kind: "text", text: finalText }),
    ...{ verdicts: Array(7).fill("ok"), asked: 7, toolRuns: 6, endsItself: true },
  },
  {
    name: "climbs all rungs at the turns of a run that carries its history",
    ...{ script: () => () => search("Paris"), ...climbs },
  },
];

// LangChain reports to LangSmith when a developer's shell says so.
beforeAll(() => {
  for (const name of ["LANGSMITH_TRACING", "LANGSMITH_TRACING_V2", "LANGCHAIN_TRACING_V2"]) vi.stubEnv(name, "false");
});

afterAll(() => {
  vi.unstubAllEnvs();
});

describe.each(clients)("$name", (client) => {
  const streams = /stream/i.test(client.name) && /gemini|ollama/.test(client.wire.name);
  it.runIf(streams)("throws where a stream breaks off, and asks no second time", async () => {
    const { wire } = client;
    const cut: Script = ({ view }) => {
      const whole = wire.rendered({ kind: "text", text: finalText }, view, String);
      return { ...whole, pieces: whole.pieces.slice(0, -1), ending: "cut" };
    };
    const upstream = await upstreamOf(cut, wire);
    const guard = await startGuard({ upstream: upstream.url });
    onTestFinished(guard.close);
    const run = await client.run({ baseURL: `${guard.url}/v1`, maxSteps });
    expect(run.error).toBeInstanceOf(Error);
    expect(upstream.requests).toHaveLength(1);
  });

  it("throws where a run is ended with an error, and asks no second time", async () => {
    const policy = JSON.stringify({ finalResponse: "error", intercept: "off" });
    const upstream = await upstreamOf(() => sending, client.wire);
    const guard = await startGuard({ upstream: upstream.url, env: { UNLOOP_POLICY: policy } });
    const tapped = await tap(guard.url);
    onTestFinished(async () => void (await Promise.all([tapped.close(), guard.close()])));
    const { error } = await client.run({ baseURL: `${tapped.url}/v1`, maxSteps, tool: "send_message" });
    expect(error).toBeInstanceOf(Error);
    expect(tapped.exchanges.filter(({ status }) => status !== 200)).toHaveLength(1);
  });

  it.each(untouched)("$name", async (scenario) => {
    const { tapped, upstream } = await guardedRun(client, scenario);
    expectSameBytes(tapped, upstream, scenario.verdicts);
  });

  it.each(intercepted)("$name", async (scenario) => {
    await guardedRun(client, scenario);
  });
});

describe.each(threadClients)("$name", (client) => {
  it.each(onThreads)("$name", async (scenario) => {
    const { tapped, upstream } = await guardedRun(client, scenario);
    expectSameBytes(tapped, upstream, scenario.verdicts);
    const threads = upstream.requests.map(({ json }) => Object(json).thread?.type);
    expect(threads).toEqual(["create", ...Array(scenario.asked - 1).fill("continue")]);
  });
});

async function guardedRun(client: Client, scenario: Scenario) {
  const { tool = "search", policy = "default", verdicts, asked, toolRuns, endsItself } = scenario;
  const upstream = await upstreamOf(scenario.script(), client.wire);
  const guard = await startGuard({ upstream: upstream.url, env: { UNLOOP_POLICY: policy } });
  const tapped = await tap(guard.url);
  try {
    const run = await client.run({ baseURL: `${tapped.url}/v1`, maxSteps, tool });
    expect(run.error).toBeUndefined();
    expect(tapped.exchanges.map(({ answerFields }) => answerFields["x-unloop-verdict"])).toEqual(verdicts);
    expect(upstream.requests).toHaveLength(asked);
    expect(run.toolRuns).toBe(toolRuns);
    expect(run.finalText).toContain(endsItself ? finalText : closing);
    return { tapped, upstream };
  } finally {
    await tapped.close();
    await guard.close();
  }
}

/** Requests before the first intervention reach the model unchanged, and the model's answers always reach the client so. */
function expectSameBytes(tapped: Tap, upstream: Upstream, verdicts: readonly string[]): void {
  const healthySteps = verdicts.findIndex((verdict) => verdict !== "ok");
  const sent = tapped.exchanges.slice(0, healthySteps < 0 ? undefined : healthySteps);
  const forwarded = tapped.exchanges.filter((_, index) => verdicts[index] !== "short-circuit");
  expect(upstream.requests.slice(0, sent.length).map(({ bytes }) => bytes.toString())).toEqual(
    sent.map(({ bytes }) => bytes.toString()),
  );
  expect(upstream.requests.map(({ answer }) => answer.toString())).toEqual(
    forwarded.map(({ answer }) => answer.toString()),
  );
}
