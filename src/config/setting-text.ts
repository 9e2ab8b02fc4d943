import { UnloopError } from "../errors.ts";
import { meantInstead, shownValue } from "../text/nearest-name.ts";

/** Turns a setting's text into its value; `name` is what the operator calls it, `policies` are the presets there are. */
export type Parse<T> = (text: string, name: string, policies: readonly string[]) => T;

/** Longest delay that timers accept on all platforms. */
export const LONGEST_TIMER_MS = 2_147_483_647;

// Its value is never repeated in a message: people put keys into URLs.
export function upstreamUrl(text: string, name: string): URL {
  const url = httpUrl(text);
  if (url === undefined) throw bad(`${name} must be a whole http or https URL, such as https://api.openai.com.`);
  if (url.username !== "" || url.password !== "") {
    throw bad(`${name} must not contain a user name or password; let the clients send their own key.`);
  }
  if (url.search !== "" || url.hash !== "") {
    throw bad(`${name} must end with its path; remove what follows the "?" or "#".`);
  }
  return url;
}

/** Undefined for what is no whole http or https URL. */
export function httpUrl(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && /^https?:$/.test(url.protocol) ? url : undefined;
}

/** With its query, in which many receivers expect a key. */
export function webhookUrl(text: string, name: string): URL | undefined {
  if (text === "") return undefined;
  const url = httpUrl(text);
  if (url !== undefined && url.username === "" && url.password === "") return url;
  throw bad(`${name} must be a whole http or https URL without user name and password.`);
}

/** `/groq=https://api.groq.com/openai,/local=http://127.0.0.1:11434`; `/` is for all other paths. */
export function upstreamsByPrefix(text: string, name: string): Readonly<Record<string, URL>> {
  const entries = text.split(",").filter((entry) => entry.trim() !== "");
  return Object.fromEntries(
    entries.map((entry) => {
      const [prefix = "", ...url] = entry.trim().split("=");
      if (!/^\/[\w./-]*$/.test(prefix))
        throw bad(`${name} must map path prefixes to URLs, such as /groq=https://api.groq.com/openai.`);
      return [prefix, upstreamUrl(url.join("="), `${name} for ${prefix}`)];
    }),
  );
}

export function hostName(text: string, name: string): string {
  if (/^[\w.:-]+$/.test(text)) return text;
  throw bad(`${name} must be a host name or an IP address without a port, such as 127.0.0.1.`);
}

/** An address to listen on: `127.0.0.1:8788`, `[::1]:8788`. */
export function hostAndPort(text: string, name: string): { readonly host: string; readonly port: number } {
  const [, v6, host = v6, port = ""] = /^(?:\[([\da-fA-F:.]+)\]|([\w.-]+)):(\d{1,5})$/.exec(text) ?? [];
  if (host !== undefined && Number(port) <= 65_535) return { host, port: Number(port) };
  throw bad(`${name} must be a host and a port, such as 127.0.0.1:8788.`);
}

/** A setting that is a whole number within bounds. */
export interface WholeNumber {
  readonly least: number;
  readonly most: number;
  readonly parse: Parse<number>;
}

export function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER): WholeNumber {
  const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
  const parse: Parse<number> = (text, name) => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw bad(
      `${name} must be a whole number ${range}, not ${/^-?[\d.]{1,20}$/.test(text) ? text : shownValue(text)}.`,
    );
  };
  return { least, most, parse };
}

export function oneOf<const T extends string>(values: readonly T[]): Parse<T> {
  return (text, name) => {
    const value = values.find((one) => one === text);
    if (value !== undefined) return value;
    throw bad(
      `${name} must be one of ${values.join(", ")}, not ${shownValue(text, values)}${meantInstead(text, values)}`,
    );
  };
}

/** Shorter secrets can be guessed. In characters. */
export const SHORTEST_SECRET = 16;

export function secretText(text: string, name: string): string | undefined {
  if (text === "") return undefined;
  if (text.length >= SHORTEST_SECRET) return text;
  throw bad(
    `${name} must have at least ${SHORTEST_SECRET} characters, not ${text.length}; \`openssl rand -hex 32\` makes a good one.`,
  );
}

export function headerName(text: string, name: string): string | undefined {
  if (/^[\w-]{0,64}$/.test(text)) return text === "" ? undefined : text.toLowerCase();
  throw bad(`${name} must be the name of a header field, such as x-team-id.`);
}

export function bad(message: string): UnloopError {
  return new UnloopError("bad_setting", message);
}
