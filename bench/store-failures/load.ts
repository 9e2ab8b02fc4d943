import { Pool } from "undici";

/** One request, as the client saw it. */
export interface Sample {
  /** The guard's own time before it forwarded, as it says itself. */
  readonly ownMs: number;
  readonly totalMs: number;
  readonly verdict: string;
  /** Answered with 200 and a body. */
  readonly fine: boolean;
  /** A loop stood in the history at one of its counts; whether that was acted upon. */
  readonly loop: "none" | "caught" | "missed";
  /** A healthy run that something was done to. */
  readonly wronged: boolean;
}

export interface Load {
  /** What was measured since the last time this was called. */
  take(): readonly Sample[];
  stop(): Promise<void>;
}

/** At these steps of a loop the default policy acts. */
const RUNGS: Readonly<Record<number, string>> = { 3: "nudge", 5: "force-done", 6: "short-circuit" };

/** So many agents, each on a connection of its own, that ask so often in all. Every other one runs in circles. */
export function startLoad(url: string, { agents, perSecond }: { agents: number; perSecond: number }): Load {
  const pool = new Pool(url, { connections: agents, pipelining: 1, headersTimeout: 10_000, bodyTimeout: 10_000 });
  const pauseMs = (1_000 * agents) / perSecond;
  let samples: Sample[] = [];
  let running = true;
  const agent = async (index: number) => {
    // Not all at once.
    let next = performance.now() + (pauseMs * index) / agents;
    while (running) {
      for (const sample of runOf(pool, index % 2 === 0)) {
        await new Promise((resolve) => setTimeout(resolve, next - performance.now()));
        next = Math.max(next + pauseMs, performance.now());
        if (!running) return;
        samples.push(await sample());
      }
    }
  };
  const all = Promise.all(Array.from({ length: agents }, (_, index) => agent(index)));
  return {
    take() {
      const taken = samples;
      samples = [];
      return taken;
    },
    async stop() {
      running = false;
      await all;
      await pool.close();
    },
  };
}

/** The requests of one run of seven turns, each with its whole history. */
function* runOf(pool: Pool, isLooping: boolean): Generator<() => Promise<Sample>> {
  const messages: object[] = [{ role: "user", content: `What is the weather? (${crypto.randomUUID()})` }];
  const headers = {
    "content-type": "application/json",
    authorization: "Bearer sk-bench",
    "x-agent": isLooping ? "looping" : "healthy",
  };
  for (let steps = 0; steps < 7; steps += 1) {
    yield async () => {
      const body = JSON.stringify({ model: "m", messages });
      const { sample, message } = await ask(pool, body, headers, isLooping ? RUNGS[steps] : undefined);
      const [call] = message?.tool_calls ?? [];
      if (message !== undefined) messages.push(message);
      if (call !== undefined) messages.push({ role: "tool", tool_call_id: call.id, content: resultOf(call) });
      return { ...sample, wronged: !isLooping && !/^(ok|degraded)$/.test(sample.verdict) && sample.fine };
    };
  }
}

interface Message {
  readonly tool_calls?: readonly Call[];
}

interface Call {
  readonly id: string;
  readonly function: { readonly arguments: string };
}

function resultOf(call: Call): string {
  return `Found for ${call.function.arguments}: ${"rain in the morning, sun after noon. ".repeat(20)}`;
}

async function ask(
  pool: Pool,
  body: string,
  headers: Readonly<Record<string, string>>,
  due: string | undefined,
): Promise<{ sample: Omit<Sample, "wronged">; message?: Message }> {
  const start = performance.now();
  try {
    const answer = await pool.request({ path: "/v1/chat/completions", method: "POST", headers: { ...headers }, body });
    const text = await answer.body.text();
    const totalMs = performance.now() - start;
    const verdict = String(answer.headers["x-unloop-verdict"]);
    const ownMs = Number(/unloop;dur=([\d.]+)/.exec(String(answer.headers["server-timing"]))?.[1]);
    const loop = due === undefined ? "none" : verdict === due ? "caught" : "missed";
    const fine = answer.statusCode === 200;
    return { sample: { ownMs, totalMs, verdict, fine, loop }, message: JSON.parse(text).choices?.[0].message };
  } catch {
    // Counted: that no request fails is what is measured here.
    const totalMs = performance.now() - start;
    return { sample: { ownMs: Number.NaN, totalMs, verdict: "failed", fine: false, loop: "none" } };
  }
}
