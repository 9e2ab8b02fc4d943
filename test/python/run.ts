import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { nodeTransport } from "../../src/transport/node.ts";
import { listen } from "../../src/transport/node-server.ts";
import { unloop } from "../../src/index.ts";
import { tap } from "../support/servers/tap.ts";
import { type RecordedRequest, type Script, scriptedUpstream } from "../support/servers/upstream.ts";
import { chatCompletionsWire } from "../support/wires/chat-completions.ts";
import type { Wire } from "../support/wires/wire.ts";
import type { PythonClient } from "./clients.ts";
import { modelOf, type Story } from "./stories.ts";

/** What became of one story. */
export interface StoryResult {
  readonly client: string;
  readonly story: Story;
  /** The guard's verdicts, a word for each request. */
  readonly verdicts: readonly string[];
  /** How many requests reached the model. */
  readonly upstream: number;
  /** Requests and answers passed byte for byte. */
  readonly isUntouched: boolean;
  /** What the client made of the end: it took an answer, ran into its own limit, threw, or said nothing in time. */
  readonly ended: "answer" | "limit" | "error" | "silence";
  readonly text?: string;
}

const script = join(import.meta.dirname, "run_client.py");
const SECONDS = 120;

/** The interpreter of an environment; undefined where it has not been made. */
export function pythonOf(root: string, environment: string): string | undefined {
  const path = join(root, environment, "bin", "python");
  return existsSync(path) ? path : undefined;
}

/** Runs one story: a scripted model, the guard before it, and the real client in a process of its own. */
export async function runStory(client: PythonClient, story: Story, python: string, page: string): Promise<StoryResult> {
  const wire = client.wire ?? chatCompletionsWire;
  const model = modelOf(story, client.form, page);
  const upstream = await scriptedUpstream(story === "cut" ? cutOff(model, wire) : model, wire);
  const transport = nodeTransport();
  const verdicts: string[] = [];
  const app = unloop({
    upstream: upstream.url,
    transport,
    log: {
      debug: () => {},
      info: (facts, event) => verdicts.push(...verdictIn(facts, event)),
      warn: (facts, event) => verdicts.push(...verdictIn(facts, event)),
      error: (facts, event) => verdicts.push(...verdictIn(facts, event)),
    },
  });
  const { url, drain } = await listen(app, { host: "127.0.0.1", port: 0 });
  const tapped = await tap(url);
  try {
    const told = await output(python, [script, client.name, `${tapped.url}/v1`, `Look things up for ${story}.`], {
      seconds: client.seconds ?? SECONDS,
      env: { UNLOOP_PAGE: page },
    });
    const { ended = "silence", text } = (told ?? {}) as Partial<StoryResult>;
    return {
      client: client.name,
      story,
      verdicts,
      upstream: upstream.requests.length,
      isUntouched: sameBytes(tapped.exchanges, upstream.requests),
      ended,
      ...(text === undefined ? {} : { text }),
    };
  } finally {
    await tapped.close();
    await drain(0);
    await transport.close();
    await upstream.close();
  }
}

/** The same model, whose answers break off before their last piece. */
function cutOff(model: Script, wire: Wire): Script {
  return (request, index) => {
    const whole = wire.rendered(model(request, index), request.view, String);
    return { ...whole, pieces: whole.pieces.slice(0, -1), ending: "cut" };
  };
}

type Passed = Pick<RecordedRequest, "bytes" | "answer">;

function sameBytes(ofClient: readonly Passed[], ofModel: readonly Passed[]): boolean {
  const text = ({ bytes, answer }: Passed) => `${bytes} ${answer}`;
  return isDeepStrictEqual(ofClient.map(text), ofModel.map(text));
}

function verdictIn(facts: object, event: string): readonly string[] {
  return event === "exchange" && "verdict" in facts ? [String(facts.verdict)] : [];
}

/** What the process prints last, as JSON; undefined if that is nothing, or too late. */
function output(
  command: string,
  args: readonly string[],
  { seconds, env }: { readonly seconds: number; readonly env: Readonly<Record<string, string>> },
): Promise<unknown> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "ignore"] });
    let text = "";
    const timer = setTimeout(() => child.kill("SIGKILL"), seconds * 1000);
    child.stdout.on("data", (piece: Buffer) => {
      text += piece.toString();
    });
    child.on("error", () => resolve(undefined));
    child.on("close", () => {
      clearTimeout(timer);
      try {
        resolve(JSON.parse(text.trim().split("\n").at(-1) ?? ""));
      } catch {
        resolve(undefined);
      }
    });
  });
}
