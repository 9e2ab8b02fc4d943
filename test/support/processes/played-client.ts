import { spawn } from "node:child_process";
import { isDeepStrictEqual } from "node:util";
import { unloop } from "../../../src/index.ts";
import { nodeTransport } from "../../../src/transport/node.ts";
import { listen } from "../../../src/transport/node-server.ts";
import { tap } from "../servers/tap.ts";
import { type RecordedRequest, type Script, scriptedUpstream } from "../servers/upstream.ts";
import type { Wire } from "../wires/wire.ts";

/** What became of one run of a real client. */
export interface PlayedRun {
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

interface Play {
  readonly model: Script;
  readonly wire: Wire | undefined;
  readonly seconds: number;
  readonly command: string;
  /** @param url of the guard, with `/v1` */
  readonly args: (url: string) => readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Runs a real client in a process of its own, in front of the guard and a scripted model. What it prints last is a JSON object. */
export async function playedRun({ model, wire, seconds, command, args, env }: Play): Promise<PlayedRun> {
  const upstream = await scriptedUpstream(model, wire);
  const transport = nodeTransport();
  const verdicts: string[] = [];
  const note = (facts: object, event: string) => verdicts.push(...verdictIn(facts, event));
  const log = { debug: () => {}, info: note, warn: note, error: note };
  const app = unloop({ upstream: upstream.url, transport, log });
  const { url, drain } = await listen(app, { host: "127.0.0.1", port: 0 });
  const tapped = await tap(url);
  try {
    const told = await output(command, args(`${tapped.url}/v1`), { seconds, env });
    const { ended = "silence", text } = (told ?? {}) as Partial<PlayedRun>;
    const isUntouched = sameBytes(tapped.exchanges, upstream.requests);
    return {
      verdicts,
      upstream: upstream.requests.length,
      isUntouched,
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
