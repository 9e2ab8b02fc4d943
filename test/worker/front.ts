import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { closing, listening } from "../support/servers/http.ts";
import { type Script, scriptedUpstream, type Upstream } from "../support/servers/upstream.ts";

/** One address before a scripted model that each test chooses anew: a Worker that runs cannot be told another one. */
export interface Front {
  readonly url: string;
  /** Puts a new model behind the address. */
  behind(script: Script): Promise<Upstream>;
  close(): Promise<void>;
}

export async function openFront(): Promise<Front> {
  let upstream: Upstream | undefined;
  const server = createServer((incoming, response) => {
    if (upstream !== undefined) pass(incoming, response, upstream.url);
  });
  return {
    url: await listening(server),
    async behind(script) {
      await upstream?.close();
      upstream = await scriptedUpstream(script);
      return upstream;
    },
    async close() {
      await upstream?.close();
      await closing(server);
    },
  };
}

function pass(incoming: IncomingMessage, response: ServerResponse, url: string): void {
  const { method, headers } = incoming;
  const outgoing = request(url + incoming.url, { method: method ?? "GET", headers, agent: false }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers).flushHeaders();
    answer.on("error", () => response.destroy()).pipe(response);
  });
  // Whatever breaks on one side is shown to the other as a broken connection.
  outgoing.on("error", () => response.destroy());
  response.on("close", () => outgoing.destroy());
  incoming.pipe(outgoing);
}
