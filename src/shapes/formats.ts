import { shownValue } from "../text/nearest-name.ts";
import { recordOf } from "./objects.ts";
import { check, type InputShape, isMapping } from "./shape.ts";
import { wrongKind } from "./values.ts";

const TEXT = "a text in quotes";

export function matching(pattern: RegExp, problem: string): InputShape<string> {
  return check({ type: "string", pattern: pattern.source }, (value) =>
    typeof value === "string" ? (pattern.test(value) ? undefined : problem) : wrongKind(TEXT, value),
  );
}

/** Undefined for what is no whole http or https URL. */
export function httpUrl(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && /^https?:$/.test(url.protocol) ? url : undefined;
}

/** Shape of a URL, whose value is never repeated in a message: people put keys into URLs. */
function urlShape(problemIn: (url: URL) => string | undefined, missing: string): InputShape<URL> {
  return {
    ...check({ type: "string" }, (value) => {
      if (typeof value !== "string" && !(value instanceof URL)) return wrongKind(missing, value);
      const url = httpUrl(String(value));
      return url === undefined ? `must be ${missing}.` : problemIn(url);
    }),
    fromText: (text) => httpUrl(text) ?? text,
  };
}

export const baseUrl = urlShape((url) => {
  if (url.username !== "" || url.password !== "")
    return "must not contain a user name or password; let the clients send their own key.";
  return url.search === "" && url.hash === ""
    ? undefined
    : 'must end with its path; remove what follows the "?" or "#".';
}, "a whole http or https URL, such as https://api.openai.com");

/** With its query, in which many receivers expect a key. */
export const webhookUrl = urlShape(
  (url) => (url.username === "" && url.password === "" ? undefined : "must have no user name and password."),
  "a whole http or https URL without user name and password",
);

export const pathPrefix = matching(/^\/[\w./~-]*$/, "must be the beginning of a path, such as /groq.");

/** Base URLs by the beginning of the path; as a text `/groq=https://api.groq.com/openai,/=http://127.0.0.1:9000`. */
export const urlsByPrefix: InputShape<Readonly<Record<string, URL>>> = {
  ...recordOf(pathPrefix, baseUrl, { kind: "a mapping of path prefixes to URLs", nameAt: "entry" }),
  fromText: (text) =>
    Object.fromEntries(
      text.split(",").flatMap((entry) => {
        const [prefix = "", ...url] = entry.trim().split("=");
        return prefix === "" ? [] : [[prefix, httpUrl(url.join("=")) ?? ""]];
      }),
    ),
};

export const hostName = matching(
  /^[\w.:-]+$/,
  "must be a host name or an IP address without a port, such as 127.0.0.1.",
);

/** An address to listen on: `127.0.0.1:8788`, `[::1]:8788`. */
export const hostAndPort: InputShape<{ readonly host: string; readonly port: number }> = {
  ...check({ type: "string" }, (value) =>
    isMapping(value) ? undefined : "must be a host and a port, such as 127.0.0.1:8788.",
  ),
  fromText(text) {
    const [, v6, host = v6, port = ""] = /^(?:\[([\da-fA-F:.]+)\]|([\w.-]+)):(\d{1,5})$/.exec(text) ?? [];
    return host !== undefined && Number(port) <= 65_535 ? { host, port: Number(port) } : text;
  },
};

/** Shorter secrets can be guessed. In characters. */
const SHORTEST_SECRET = 16;

export const secretText: InputShape<string> = check({ type: "string", minLength: SHORTEST_SECRET }, (value) => {
  if (typeof value !== "string") return `must be a text, not ${shownValue(value)}.`;
  if (value.length >= SHORTEST_SECRET) return undefined;
  return `must have at least ${SHORTEST_SECRET} characters, not ${value.length}; \`openssl rand -hex 32\` makes a good one.`;
});

export const headerName: InputShape<string> = {
  ...matching(/^[\w-]{1,64}$/, "must be the name of a header field, such as x-team-id."),
  fromText: (text) => text.toLowerCase(),
};

/** IPv4 or IPv6, with or without the bits of a network. */
export const networkOf: InputShape<string> = check({ type: "string" }, (value) => {
  const [, ip = "", bits = 0] = /^([\da-f:.]+)(?:\/(\d{1,3}))?$/i.exec(String(value)) ?? [];
  const isV4 = /^\d+\.\d+\.\d+\.\d+$/.test(ip) && URL.canParse(`http://${ip}`) && Number(bits) <= 32;
  const isV6 = ip.includes(":") && URL.canParse(`http://[${ip}]`) && Number(bits) <= 128;
  if (!isV4 && !isV6) return "must be an IP address, or a network such as 10.0.0.0/24.";
  return String(value).endsWith("/0")
    ? "is every address: anybody could say who they are. Name the proxy's."
    : undefined;
});

/** A date, or a time in UTC or with its offset. Of days that there are not some are taken for those behind them. */
export const moment: InputShape<string> = check({ type: "string" }, (value) => {
  if (typeof value !== "string") return wrongKind(TEXT, value);
  if (!/^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2}))?$/.test(value))
    return "must be a date such as 2027-01-31, or a time such as 2027-01-31T12:00:00Z.";
  const [day, time] = [value.slice(0, 10), Date.parse(value)];
  const isThere = !Number.isNaN(time) && new Date(day).toISOString().startsWith(day);
  return isThere ? undefined : "must be a day and a time that there are.";
});
