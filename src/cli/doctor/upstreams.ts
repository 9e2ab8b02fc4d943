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
export function isOwnError({ text }: GuardAnswer): boolean {
  return /"code":\s*"upstream_/.test(text);
}

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

/** Whether an API's certificate is accepted here. Nothing is asked but the handshake, and no proxy on the way. */
export function certificate({ name, origin }: UpstreamApi, env = process.env): DoctorCheck {
  return {
    name: `${name}: TLS`,
    async run() {
      if (origin.protocol !== "https:") return [ok(`${origin.host} is used without TLS.`)];
      const code = await handshake(origin);
      if (code === undefined) return [ok(`The certificate of ${origin.host} is valid.`)];
      if (env.https_proxy || env.HTTPS_PROXY)
        return [
          skipped(`${origin.host} cannot be reached directly (${code}); the guard uses the proxy in HTTPS_PROXY.`),
        ];
      const cure =
        TLS_CURES.find(([codes]) => codes.test(code))?.[1] ?? "Check the upstream's address and the network.";
      return [failed(`${origin.host} cannot be reached with TLS (${code}).`, cure)];
    },
  };
}

const TLS_CURES: readonly (readonly [codes: RegExp, cure: string])[] = [
  [
    /CERT|SELF_SIGNED|ISSUER|LEAF_SIGNATURE|ALTNAME/,
    "Set NODE_EXTRA_CA_CERTS to the certificate authority's file for the guard's process.",
  ],
  [
    /WRONG_VERSION_NUMBER|PACKET_LENGTH/,
    "What listens there speaks no TLS: write http:// in the upstream's address, or another port.",
  ],
];

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
export function answers(
  { name, prefix, headers, origin }: UpstreamApi,
  guard: string,
  now: () => number,
  timeoutMs = 10_000,
): DoctorCheck {
  return {
    name: `${name}: answer`,
    async run() {
      const answer = await askGuard(guard, `${prefix}/v1/models`, { headers, timeoutMs });
      if (answer === undefined) return [await noAnswerFrom(guard, origin, timeoutMs)];
      // The guard's own error has the guard's date, which is this machine's.
      if (isOwnError(answer)) return [silent(answer, origin)];
      return [judged(answer, origin, headers), ...clock(answer, origin, now())];
    },
  };
}

/** A guard that answers for itself waits for the API. */
export async function noAnswerFrom(guard: string, { host }: URL, timeoutMs: number): Promise<Diagnosis> {
  const own = await askGuard(guard, "/unloop/healthz");
  if (own === undefined) return failed(`The guard at ${guard} did not answer.`, "Check its log, or restart it.");
  return failed(
    `${host} takes requests, but does not answer within ${timeoutMs / 1000} s.`,
    "Check that the API is running, and that the upstream's port is the API's own.",
  );
}

/** What the guard says of an API that did not answer it. */
export function silent({ status, text }: GuardAnswer, { host }: URL): Diagnosis {
  const reason = /\(([A-Z][A-Z0-9_]{2,40})\)/.exec(text)?.[1];
  return failed(
    `${host} does not answer (${status}${reason === undefined ? "" : `, ${reason}`}).`,
    "Check UNLOOP_UPSTREAM and UNLOOP_UPSTREAMS, that the API is running, and that it speaks HTTP/1.1.",
  );
}

export interface AnswerFault {
  readonly fits: (answer: GuardAnswer, hasKey: boolean) => boolean;
  readonly status: "failed" | "warning";
  /** Behind the name of the host. */
  readonly says: (answer: GuardAnswer) => string;
  readonly cure: string;
}

/** What an answer says against an API, the first that fits. */
export const answerFaults: readonly AnswerFault[] = [
  {
    fits: ({ status }, hasKey) => hasKey && (status === 401 || status === 403),
    status: "failed",
    says: ({ status }) => `refuses the key (${status})`,
    cure: "Correct the key in the environment, or get the missing permission.",
  },
  {
    fits: ({ status }) => status === 401 || status === 403,
    status: "warning",
    says: ({ status }) => `answers, but needs a key (${status})`,
    cure: "Set OPENAI_API_KEY or ANTHROPIC_API_KEY to test the key too.",
  },
  {
    fits: ({ status }) => status >= 500,
    status: "warning",
    says: ({ status }) => `answers with ${status}`,
    cure: "Try again later; the API itself reports a failure.",
  },
  {
    fits: ({ status }) => status >= 300 && status < 400,
    status: "failed",
    says: ({ status, header }) => `sends requests elsewhere (${status} to ${hostOf(header("location"))})`,
    cure: "Something asks for a login there, or the API has moved: give its own address in UNLOOP_UPSTREAM.",
  },
  {
    fits: ({ header }) => /\bhtml\b/i.test(header("content-type") ?? ""),
    status: "failed",
    says: ({ status }) => `answers with a web page (${status})`,
    cure: "It is no API, or a network's login stands before it: log in, or correct UNLOOP_UPSTREAM.",
  },
  {
    fits: ({ status }) => status === 404 || status === 405,
    status: "warning",
    says: ({ status }) => `knows no /v1/models (${status})`,
    cure: "Check the path in UNLOOP_UPSTREAM. A few APIs have no list of models: then nothing is wrong.",
  },
];

function hostOf(location: string | undefined): string {
  return location !== undefined && URL.canParse(location) ? new URL(location).host : "another path";
}

function judged(answer: GuardAnswer, { host }: URL, headers: UpstreamApi["headers"]): Diagnosis {
  const fault = answerFaults.find(({ fits }) => fits(answer, Object.keys(headers).length > 0));
  if (fault === undefined) return ok(`${host} answers through the guard (${answer.status}).`);
  return { status: fault.status, says: `${host} ${fault.says(answer)}.`, cure: fault.cure };
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
