import { OPENAI } from "../wrap/agent.ts";
import { askGuard, type GuardAnswer } from "../guard-health.ts";
import { type DoctorCheck, failed, type Diagnosis, ok } from "./installation.ts";

/** An API and how a key is shown to it. */
export interface UpstreamApi {
  readonly name: string;
  readonly origin: URL;
  /** The guard's path to it, without a version. */
  readonly prefix: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** To which API a running guard sends requests: it may have been started with other settings. Undefined for the vendors' own, or where it does not tell. */
export async function upstreamOf(guard: string, token: string | undefined): Promise<URL | undefined> {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const answer = await askGuard(guard, "/unloop/api/explain", { headers, json: { path: "/v1/chat/completions" } });
  const text = answer?.status === 200 ? /"upstream":"([^"]*)"/.exec(answer.text)?.[1] : undefined;
  return text !== undefined && URL.canParse(text) && !text.startsWith(OPENAI) ? new URL(text) : undefined;
}

/** Whether an API answers through the guard, and takes the key. */
export function answers(
  { name, prefix, headers, origin: { host } }: UpstreamApi,
  guard: string,
  timeoutMs = 10_000,
): DoctorCheck {
  return {
    name: `${name}: answer`,
    async run() {
      const answer = await askGuard(guard, `${prefix}/v1/models`, { headers, timeoutMs });
      if (answer === undefined)
        return [
          failed(
            `${host} does not answer within ${timeoutMs / 1000} s.`,
            "Check that the API is running, and that the upstream's port is the API's own.",
          ),
        ];
      // The guard's own word for an API that did not answer.
      if (/"code":\s*"upstream_/.test(answer.text)) return [silent(answer, host)];
      const fault = answerFaults.find(({ fits }) => fits(answer, Object.keys(headers).length > 0));
      if (fault === undefined) return [ok(`${host} answers through the guard (${answer.status}).`)];
      return [{ status: fault.status, says: `${host} ${fault.says(answer)}.`, cure: fault.cure }];
    },
  };
}

const CURES: readonly (readonly [codes: RegExp, cure: string])[] = [
  [
    /CERT|SELF_SIGNED|ISSUER|LEAF_SIGNATURE|ALTNAME/,
    "Set NODE_EXTRA_CA_CERTS to the certificate authority's file for the guard's process.",
  ],
  [
    /WRONG_VERSION_NUMBER|PACKET_LENGTH|HPE_/,
    "Check the upstream's port, and whether http:// or https:// belongs there; it must speak HTTP/1.1.",
  ],
];

function silent({ status, text }: GuardAnswer, host: string): Diagnosis {
  const code = /\(([A-Z][A-Z0-9_]{2,60})\)/.exec(text)?.[1] ?? "";
  return failed(
    `${host} does not answer (${status}${code === "" ? "" : `, ${code}`}).`,
    CURES.find(([codes]) => codes.test(code))?.[1] ??
      "Check UNLOOP_UPSTREAM and UNLOOP_UPSTREAMS, and that the API is running.",
  );
}

interface AnswerFault {
  readonly fits: (answer: GuardAnswer, hasKey: boolean) => boolean;
  readonly status: "failed" | "warning";
  /** Behind the name of the host. */
  readonly says: (answer: GuardAnswer) => string;
  readonly cure: string;
}

/** What an answer says against an API, the first that fits. */
const answerFaults: readonly AnswerFault[] = [
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
    says: ({ status }) => `sends requests elsewhere (${status})`,
    cure: "Something asks for a login there, or the API has moved: give its own address in UNLOOP_UPSTREAM.",
  },
  {
    fits: ({ isPage }) => isPage,
    status: "failed",
    says: ({ status }) => `answers with a web page (${status})`,
    cure: "It is no API, or a network's login stands before it: log in, or correct UNLOOP_UPSTREAM.",
  },
  {
    fits: ({ status }) => status === 404 || status === 405,
    status: "warning",
    says: ({ status }) => `knows no /v1/models (${status})`,
    cure: "Check the path in UNLOOP_UPSTREAM: what stands before /v1, with or without it. A few APIs have no list of models: then nothing is wrong.",
  },
];
