import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { startGuard } from "../support/guarded.ts";
import { finalText, healthy, looping } from "../support/scripts.ts";
import { type Tap, tap } from "../support/tap.ts";
import { type Script, scriptedUpstream, type Upstream } from "../support/upstream.ts";
import { agentsClients } from "./agents.ts";
import { aiSdkClients } from "./ai-sdk.ts";
import type { Client } from "./client.ts";
import { langgraphClients } from "./langgraph.ts";
import { openaiClients } from "./openai.ts";

const clients: readonly Client[] = [...openaiClients, ...aiSdkClients, ...langgraphClients, ...agentsClients];
const maxSteps = 14;
/** What every text of the guard begins with. */
const marker = "[unloop]";

/** Each request but the ones named is answered with the verdict `ok`. */
const scenarios: readonly {
  readonly name: string;
  readonly script: () => Script;
  /** One for every request that the guard sees: a retry or a step too many would lengthen it. */
  readonly verdicts: readonly string[];
  readonly toolRuns: number;
  readonly ending: "model" | "guard";
}[] = [
  {
    name: "leaves a healthy run alone, byte for byte",
    script: () => healthy(10),
    verdicts: Array(11).fill("ok"),
    toolRuns: 10,
    ending: "model",
  },
  {
    name: "frees a model that heeds the nudge",
    script: () => looping({ nudge: marker }),
    verdicts: ["ok", "ok", "ok", "nudge", "ok"],
    toolRuns: 4,
    ending: "model",
  },
  {
    name: "makes a model finish that ignores the nudge",
    script: () => looping("force-done"),
    verdicts: ["ok", "ok", "ok", "nudge", "ok", "force-done"],
    toolRuns: 5,
    ending: "model",
  },
  {
    name: "ends the run itself when the model ignores that too",
    script: () => looping("nothing"),
    verdicts: ["ok", "ok", "ok", "nudge", "ok", "force-done", "short-circuit"],
    toolRuns: 6,
    ending: "guard",
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
  it("would loop to its own cap without a guard", async () => {
    const upstream = await scriptedUpstream(looping("nothing"));
    onTestFinished(() => upstream.close());
    const { toolRuns } = await client.run({ baseURL: `${upstream.url}/v1`, maxSteps });
    expect(toolRuns).toBe(maxSteps);
  });

  it.each(scenarios)("$name", async ({ script, verdicts, toolRuns, ending }) => {
    const { run, tapped, upstream } = await guardedRun(client, script());

    expect(run.error).toBeUndefined();
    expect(tapped.exchanges.map(({ answerFields }) => answerFields["x-unloop-verdict"])).toEqual(verdicts);
    expect(run.toolRuns).toBe(toolRuns);
    if (ending === "model") expect(run.finalText).toBe(finalText);
    else expect(run.finalText).toContain(marker);
    expectSameBytes(tapped, upstream, verdicts);
  });
});

async function guardedRun(client: Client, script: Script) {
  const upstream = await scriptedUpstream(script);
  const guard = await startGuard({ upstream: upstream.url });
  const tapped = await tap(guard.url);
  try {
    const run = await client.run({ baseURL: `${tapped.url}/v1`, maxSteps });
    return { run, tapped, upstream };
  } finally {
    await tapped.close();
    await guard.close();
    await upstream.close();
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
