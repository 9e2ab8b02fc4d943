import { isIP } from "node:net";
import { connect as connectTls } from "node:tls";
import { OPENAI } from "../wrap/agent.ts";
import { type DoctorCheck, failed, type Diagnosis, ok, skipped, warning } from "./check.ts";
import { askGuard, type GuardAnswer } from "./http.ts";

/** An API and how a key is shown to it. */
export interface UpstreamApi {
  readonly name: string;
  readonly origin: URL;
  /** The guard's path to it, without a version. */
  readonly prefix: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The guard's own word for an API that did not answer. */
const OWN_ERROR = /"code":\s*"upstream_/;

/** Larger differences break tokens and certificates, and make times in the journal misleading. */
const MAX_SKEW_MS = 60_000;

/** To which API a running guard sends requests: it may have been started with other settings. Undefined where it does not tell. */
export async function upstreamOf(guard: string, token: string | undefined): Promise<URL | undefined> {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const answer = await askGuard(guard, "/unloop/api/explain", { headers, json: { path: "/v1/chat/completions" } });
  const text = answer?.status === 200 ? /"upstream":"([^"]*)"/.exec(answer.text)?.[1] : undefined;
  return text !== undefined && URL.canParse(text) ? new URL(text) : undefined;
}

/** @param named by the settings; undefined: the makers' own */
export function isAsNamed(sends: URL | undefined, named: URL | undefined): boolean {
  return sends === undefined || sends.origin === (named ?? new URL(OPENAI)).origin;
}

/** Whether the guard stands in front of the API that the settings here name. @param named undefined: the makers' own */
export function sameUpstream(guard: string, sends: URL | undefined, named: URL | undefined): DoctorCheck {
  return {
    name: "upstream",
    async run() {
      if (sends === undefined) return [skipped("The guard does not say which API it sends requests to.")];
      if (isAsNamed(sends, named)) return [ok(`The guard sends requests to ${sends.host}.`)];
      return [
        warning(
          `The guard at ${guard} sends requests to ${sends.host}, but the settings here say ${named?.host ?? "the vendors' own APIs"}.`,
          "Run the doctor with the same settings as the guard.",
        ),
      ];
    },
  };
}

/** Whether an API's certificate is accepted here. Nothing is asked but the handshake. */
export function certificate({ name, origin }: UpstreamApi): DoctorCheck {
  return {
    name: `${name}: TLS`,
    async run() {
      if (origin.protocol !== "https:") return [ok(`${origin.host} is used without TLS.`)];
      const code = await handshake(origin);
      if (code === undefined) return [ok(`The certificate of ${origin.host} is valid.`)];
      const isTrust = /CERT|SELF_SIGNED|ISSUER|LEAF_SIGNATURE|ALTNAME/.test(code);
      const cure = isTrust
        ? "Set NODE_EXTRA_CA_CERTS to the certificate authority's file for the guard's process."
        : "Check the upstream's address, the network, and whether you need a proxy.";
      return [failed(`${origin.host} cannot be reached with TLS (${code}).`, cure)];
    },
  };
}

function handshake({ hostname, port }: URL): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connectTls({
      host: hostname,
      port: Number(port || 443),
      timeout: 10_000,
      ...(isIP(hostname) === 0 ? { servername: hostname } : {}),
    });
    const end = (code?: string) => {
      socket.destroy();
      resolve(code);
    };
    socket.once("secureConnect", () => end());
    socket.once("timeout", () => end("TIMEOUT"));
    socket.once("error", (error) => end("code" in error ? String(error.code) : error.message));
  });
}

/** Whether an API answers through the guard, takes the key, and has the same time. */
export function answers({ name, prefix, headers, origin }: UpstreamApi, guard: string, now: () => number): DoctorCheck {
  return {
    name: `${name}: answer`,
    async run() {
      const answer = await askGuard(guard, `${prefix}/v1/models`, { headers });
      if (answer === undefined) return [unanswered(guard)];
      // The guard's own error has the guard's date, which is this machine's.
      if (OWN_ERROR.test(answer.text)) return [silent(answer, origin)];
      return [judged(answer, origin, headers), ...clock(answer, origin, now())];
    },
  };
}

function unanswered(guard: string): Diagnosis {
  return failed(`The guard at ${guard} did not answer.`, "Check its log, or restart it.");
}

function silent({ status }: GuardAnswer, { host }: URL): Diagnosis {
  return failed(
    `${host} does not answer (${status}).`,
    "Check UNLOOP_UPSTREAM and UNLOOP_UPSTREAMS, and that the API is running.",
  );
}

function judged({ status }: GuardAnswer, { host }: URL, headers: UpstreamApi["headers"]): Diagnosis {
  const hasKey = Object.keys(headers).length > 0;
  if (status === 401 || status === 403) {
    return hasKey
      ? failed(
          `${host} refuses the key (${status}).`,
          "Correct the key in the environment, or get the missing permission.",
        )
      : warning(
          `${host} answers, but needs a key (${status}).`,
          "Set OPENAI_API_KEY or ANTHROPIC_API_KEY to test the key too.",
        );
  }
  if (status >= 500)
    return warning(`${host} answers with ${status}.`, "Try again later; the API itself reports a failure.");
  return ok(`${host} answers through the guard (${status}).`);
}

function clock({ header }: GuardAnswer, { host }: URL, now: number): readonly Diagnosis[] {
  const theirs = Date.parse(header("date") ?? "");
  if (Number.isNaN(theirs)) return [];
  const seconds = Math.round(Math.abs(now - theirs) / 1000);
  if (Math.abs(now - theirs) <= MAX_SKEW_MS) return [ok(`The clock agrees with ${host}.`)];
  return [
    failed(
      `The clock differs from that of ${host} by ${seconds} seconds.`,
      "Synchronise it with NTP: signed requests and certificates depend on it.",
    ),
  ];
}
