import { withoutEndSlashes } from "../../text/without-end-slashes.ts";
/** Where requests go whose path begins in one way. */
export interface Route {
  /** `/groq`, say: taken off before the path is put behind that of the upstream. */
  readonly prefix: string;
  /** A base URL, with or without its version. */
  readonly upstream: URL;
}

/** Route table: which upstream a request goes to. Clients choose among the operator's upstreams by path, and never a host. */
export interface Routes {
  /** The longest prefix that fits counts. */
  readonly byPrefix: readonly Route[];
  /** For paths under none of them that say whose they are. The first that knows a path counts. */
  readonly byPath: readonly ((target: string) => URL | undefined)[];
  /** For all others, by the name of the wire format. */
  readonly byWire: Readonly<Record<string, URL>>;
  /** For every other path. */
  readonly otherwise: URL;
}

/** Upstreams as the operator configures them. */
export interface Upstreams {
  /** The one upstream for all wire formats. */
  readonly upstream?: URL | undefined;
  /** By the beginning of the path; `/` is for all other paths. */
  readonly upstreams?: Readonly<Record<string, URL>> | undefined;
}

const OPENAI = new URL("https://api.openai.com");
const ANTHROPIC = new URL("https://api.anthropic.com");
const OLLAMA = new URL("http://127.0.0.1:11434");
const GOOGLE = new URL("https://generativelanguage.googleapis.com");

/** Default upstreams: each wire format goes to its maker's API. */
export function routesFor({ upstream, upstreams = {} }: Upstreams): Routes {
  const { "/": others = upstream, ...prefixed } = upstreams;
  const named = Object.entries(prefixed).map(([prefix, to]) => ({ prefix: withoutEndSlashes(prefix), upstream: to }));
  const byPrefix = named.sort((one, other) => other.prefix.length - one.prefix.length);
  if (others !== undefined) return { byPrefix, byPath: [], byWire: {}, otherwise: others };
  return {
    byPrefix: [...byPrefix, ...MAKERS],
    byPath: [vertexOf, ollamaOf],
    byWire: { messages: ANTHROPIC, gemini: GOOGLE, ollama: OLLAMA },
    otherwise: OPENAI,
  };
}

const VERTEX = /^\/(?:v\d\w*\/)?(?:projects\/[^/?]+\/locations\/([a-z][a-z\d-]{0,39})\/)?publishers\//;

/** Google's host for the region that the path names. With a key in the place of a project it names none. */
function vertexOf(target: string): URL | undefined {
  const found = VERTEX.exec(target);
  if (found === null) return undefined;
  const [, region = "global"] = found;
  if (region === "us" || region === "eu") return new URL(`https://aiplatform.${region}.rep.googleapis.com`);
  return new URL(`https://${region === "global" ? "" : `${region}-`}aiplatform.googleapis.com`);
}

/** What clients ask beside chats. Nothing that loads, changes or deletes a model: an operator has to name the server for that. */
const OLLAMA_PATHS = /^\/api\/(?:generate|embed|embeddings|show|tags|ps|version)(?:\?|$)/;

function ollamaOf(target: string): URL | undefined {
  return OLLAMA_PATHS.test(target) ? OLLAMA : undefined;
}

const MAKERS: readonly Route[] = [
  { prefix: "/openai", upstream: OPENAI },
  { prefix: "/anthropic", upstream: ANTHROPIC },
  { prefix: "/gemini", upstream: GOOGLE },
];

/** What is not guarded says by a header whose API it is for. */
const HEADERS: readonly (readonly [header: string, wire: string])[] = [
  ["anthropic-version", "messages"],
  ["x-goog-api-key", "gemini"],
  ["x-goog-api-client", "gemini"],
];

/** Facts of a request that decide its route. */
export interface Routed {
  /** Path and query. */
  readonly target: string;
  /** The wire format that it is in, where it is in one that is guarded. */
  readonly wire: string | undefined;
  readonly header: (name: string) => string | undefined;
}

/** The upstream of a request, and the target that it is sent there. */
export function routeOf(
  { byPrefix, byPath, byWire, otherwise }: Routes,
  { target, wire, header }: Routed,
): { readonly upstream: URL; readonly target: string } {
  const led = target.replace(/^\/{2,}/, "/");
  const route = byPrefix.find(({ prefix }) => isUnder(led, prefix));
  if (route !== undefined) return { upstream: route.upstream, target: withoutPrefix(led, route.prefix) };
  for (const ofMaker of byPath) {
    const upstream = ofMaker(target);
    if (upstream !== undefined) return { upstream, target };
  }
  const format = wire ?? HEADERS.find(([name]) => header(name) !== undefined)?.[1];
  const own = format !== undefined && Object.hasOwn(byWire, format) ? byWire[format] : undefined;
  return { upstream: own ?? otherwise, target };
}

function isUnder(target: string, prefix: string): boolean {
  return target.startsWith(prefix) && /^([/?]|$)/.test(target.slice(prefix.length, prefix.length + 1));
}

function withoutPrefix(target: string, prefix: string): string {
  const rest = target.slice(prefix.length);
  return rest.startsWith("/") ? rest : `/${rest}`;
}
