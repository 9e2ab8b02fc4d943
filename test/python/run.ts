import { existsSync } from "node:fs";
import { join } from "node:path";
import { type PlayedRun, playedRun } from "../support/processes/played-client.ts";
import type { Script } from "../support/servers/upstream.ts";
import { chatCompletionsWire } from "../support/wires/chat-completions.ts";
import type { Wire } from "../support/wires/wire.ts";
import type { PythonClient } from "./clients.ts";
import { modelOf, type Story } from "./stories.ts";

/** What became of one story. */
export interface StoryResult extends PlayedRun {
  readonly client: string;
  readonly story: Story;
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
  const { name, form, wire = chatCompletionsWire, seconds = SECONDS } = client;
  const model = modelOf(story, form, page);
  const run = await playedRun({
    model: story === "cut" ? cutOff(model, wire) : model,
    wire,
    seconds,
    command: python,
    args: (url) => [script, name, url, `Look things up for ${story}.`],
    env: { UNLOOP_PAGE: page },
  });
  return { client: name, story, ...run };
}

/** The same model, whose answers break off before their last piece. */
function cutOff(model: Script, wire: Wire): Script {
  return (request, index) => {
    const whole = wire.rendered(model(request, index), request.view, String);
    return { ...whole, pieces: whole.pieces.slice(0, -1), ending: "cut" };
  };
}
