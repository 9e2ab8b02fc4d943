import type { Fetcher } from "@cloudflare/workers-types";

const hosts = new Map<string, (request: Request) => Promise<Response>>();
let opened = 0;

export interface Host {
  readonly url: string;
  close(): void;
}

export function openHost(answer: (request: Request) => Promise<Response>): Host {
  opened += 1;
  const url = `http://host-${opened}.test`;
  hosts.set(url, answer);
  return { url, close: () => void hosts.delete(url) };
}

export function urlOf(worker: Fetcher): string {
  const asked = worker as unknown as { fetch(request: Request): Promise<Response> };
  return openHost((request) => asked.fetch(request)).url;
}

/** What takes the place of fetch: a host that is not open refuses the connection. */
export async function networkFetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const request = new Request(input, init);
  const answer = hosts.get(new URL(request.url).origin);
  if (answer === undefined) throw new TypeError("Nobody listens there.");
  request.signal.throwIfAborted();
  return answer(request);
}
