import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { bodyOf, closing, listening } from "../../support/servers/http.ts";
import { serverOf, upstreamOf } from "../../support/servers/of-test.ts";
import type { Front, StoryTerms } from "./stories.ts";

interface Scene {
  readonly terms: StoryTerms;
  readonly upstream: string;
  verdicts: string[];
}

const DECIDE = "/unloop/api/decide";

/**
 * Stands for a guard and a model at one address, which programs that take seconds to start keep from story to story.
 * @param guardUrl of the guard that decides, for each story by the story's own terms
 */
export async function stage(guardUrl: string) {
  let scene: Scene | undefined;
  let scenes = 0;

  async function play(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    if (scene === undefined) throw new Error("No story is being played.");
    const bytes = String(await bodyOf(incoming));
    if (incoming.url !== DECIDE) return pass(`${scene.upstream}${incoming.url}`, incoming, bytes, response);
    const { session, ...asked } = JSON.parse(bytes);
    const named = session === undefined ? {} : { session: `${scenes}-${session}` };
    const question = JSON.stringify({ ...asked, ...named, ...scene.terms });
    const headers = { "content-type": "application/json" };
    const answer = await fetch(guardUrl + DECIDE, { method: "POST", headers, body: question });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(text);
    scene.verdicts.push(JSON.parse(text).verdict);
    response.writeHead(200, headers).end(text);
  }

  const through =
    (program: () => string): Front =>
    async (script, wire, terms) => {
      const upstream = await upstreamOf(script, wire);
      scenes += 1;
      const playing: Scene = { terms, upstream: upstream.url, verdicts: [] };
      scene = playing;
      const url = await serverOf(async (incoming, response) => {
        playing.verdicts = [];
        const bytes = String(await bodyOf(incoming));
        const verdict = () => playing.verdicts.findLast((one) => one !== "ok") ?? playing.verdicts[0] ?? "none";
        await pass(program() + incoming.url, incoming, bytes, response, verdict).catch(() => response.destroy());
      });
      return { url, upstream };
    };

  const server = createServer((incoming, response) => {
    play(incoming, response).catch((error) => response.writeHead(500).end(String(error)));
  });
  return { url: await listening(server), through, close: () => closing(server) };
}

async function pass(
  url: string,
  incoming: IncomingMessage,
  body: string,
  response: ServerResponse,
  verdict?: () => string,
): Promise<void> {
  const session = incoming.headers["x-unloop-session"];
  const headers = { "content-type": "application/json", ...(session && { "x-unloop-session": String(session) }) };
  const answer = await fetch(url, { method: "POST", headers, body });
  const type = answer.headers.get("content-type") ?? "";
  const text = type.includes("event-stream") ? withNulls(await answer.text()) : await answer.text();
  response.writeHead(answer.status, { "content-type": type, ...(verdict && { "x-unloop-verdict": verdict() }) });
  response.end(text);
}

/** LiteLLM leaves out of an event what is null. */
function withNulls(events: string): string {
  return events.replaceAll('"choices":[{"index"', '"choices":[{"finish_reason":null,"index"');
}
