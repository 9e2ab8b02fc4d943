import { askGuard, type GuardAnswer } from "../guard-health.ts";
import { type Diagnosis, failed, ok, skipped, warning } from "./installation.ts";

export interface UpstreamApi {
  readonly name: string;
  readonly host: string;
  /** The guard's path to it, without a version. */
  readonly prefix: string;
  readonly headers: Readonly<Record<string, string>>;
}

export async function answers(
  { prefix, headers, host }: UpstreamApi,
  guard: string,
  timeoutMs = 10_000,
): Promise<Diagnosis> {
  const answer = await askGuard(guard, `${prefix}/v1/models`, { headers, timeoutMs });
  if (answer === undefined)
    return failed(
      `${host} does not answer within ${timeoutMs / 1000} s.`,
      "Check that the API is running, and that the upstream's port is the API's own.",
    );
  const fault = answerFaults.find(([fits]) => fits(answer, Object.keys(headers).length > 0));
  if (fault === undefined) return ok(`${host} answers through the guard (${answer.status}).`);
  const [, status, says, cure] = fault;
  return { status, says: `${host} ${says} (${[answer.status, ...causeOf(answer)].join(", ")}).`, cure };
}

/** The cause that the guard names where an API did not answer: `ECONNREFUSED`. */
function causeOf({ text }: GuardAnswer): readonly string[] {
  if (!/"code":\s*"upstream_/.test(text)) return [];
  return [/\(([A-Z][A-Z0-9_]{2,60})\)/.exec(text)?.[1] ?? "no answer"];
}

const isRefused = ({ status }: GuardAnswer) => status === 401 || status === 403;
const failedBy = (pattern: RegExp) => (answer: GuardAnswer) => causeOf(answer).some((cause) => pattern.test(cause));

type AnswerFault = readonly [
  fits: (answer: GuardAnswer, hasKey: boolean) => boolean,
  status: "failed" | "warning",
  says: string,
  cure: string,
];

const answerFaults: readonly AnswerFault[] = [
  [
    failedBy(/CERT|SELF_SIGNED|ISSUER|LEAF_SIGNATURE|ALTNAME/),
    "failed",
    "does not answer",
    "Set NODE_EXTRA_CA_CERTS to the certificate authority's file for the guard's process.",
  ],
  [
    failedBy(/WRONG_VERSION_NUMBER|PACKET_LENGTH|HPE_/),
    "failed",
    "does not answer",
    "Check the upstream's port, and whether http:// or https:// belongs there; it must speak HTTP/1.1.",
  ],
  [
    failedBy(/./),
    "failed",
    "does not answer",
    "Check UNLOOP_UPSTREAM and UNLOOP_UPSTREAMS, and that the API is running.",
  ],
  [
    (answer, hasKey) => hasKey && isRefused(answer),
    "failed",
    "refuses the key",
    "Correct the key in the environment, or get the missing permission.",
  ],
  [isRefused, "warning", "answers, but needs a key", "Set OPENAI_API_KEY or ANTHROPIC_API_KEY to test the key too."],
  [({ status }) => status >= 500, "warning", "reports a failure of its own", "Try again later."],
  [
    ({ status }) => status >= 300 && status < 400,
    "failed",
    "sends requests elsewhere",
    "Something asks for a login there, or the API has moved: give its own address in UNLOOP_UPSTREAM.",
  ],
  [
    ({ isPage }) => isPage,
    "failed",
    "answers with a web page",
    "It is no API, or a network's login stands before it: log in, or correct UNLOOP_UPSTREAM.",
  ],
  [
    ({ status }) => status === 404 || status === 405,
    "warning",
    "knows no /v1/models",
    "Check the path in UNLOOP_UPSTREAM: what stands before /v1, with or without it. A few APIs have no list of models: then nothing is wrong.",
  ],
];

/** Whether any agent's requests come through a guard, and what becomes of them. @param headers for its metrics */
export async function arrivals(
  guard: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<readonly Diagnosis[]> {
  const { status, text = "" } = (await askGuard(guard, "/unloop/metrics", { headers })) ?? {};
  if (status === 401 || status === 403)
    return [skipped("The guard's metrics need its token. Set UNLOOP_ADMIN_TOKEN to check its traffic.")];
  if (status !== 200) return [skipped("The guard has no metrics.")];
  const passed = [...countsIn(text, "unloop_unguarded_requests_total", "endpoint")];
  const told = (picked: typeof passed) =>
    picked.map(([name, count]) => `${UNREAD[name] ?? name} (${count})`).join(", ");
  const unread = told(passed.filter(([name]) => name in UNREAD));
  const unguarded = told(passed.filter(([name]) => name !== "other" && !(name in UNREAD)));
  const found = [
    throughput(
      countsIn(text, "unloop_exchanges_total", "verdict"),
      countsIn(text, "unloop_upstream_errors_total", "status"),
    ),
  ];
  if (unread !== "")
    found.push(
      warning(
        `Requests of guarded APIs could not be read and passed unguarded: ${unread}.`,
        "Let these agents send plain JSON in UTF-8; docs/what-passes.md says what is read.",
      ),
    );
  if (unguarded !== "")
    found.push(
      warning(
        `Requests to models come at endpoints that are not guarded: ${unguarded}. Loops of these agents are not noticed.`,
        "Let these agents use a guarded API, if their server has one: see docs/wires.md.",
      ),
    );
  return found;
}

/** Sums of a counter by one of its labels. @param metrics in the Prometheus text format */
function countsIn(metrics: string, name: string, label: string): Map<string, number> {
  const line = new RegExp(`^${name}\\{(?:[^}]*,)?${label}="([^"]*)"[^}]*\\} ([\\d.e+]+)$`, "gm");
  const counts = new Map<string, number>();
  for (const [, value = "", count] of metrics.matchAll(line))
    counts.set(value, (counts.get(value) ?? 0) + Number(count));
  return counts;
}

/** What it is that a request of a guarded API could not be read for, by its name in the metric. */
const UNREAD: Readonly<Record<string, string>> = {
  "unread-size": "more than is read",
  "unread-coding": "an unknown content coding",
  "unread-encoding": "not UTF-8",
  "unread-json": "not JSON",
  "unread-shape": "another shape than the API's",
};

const FAILURE_CURES: Readonly<Record<string, string>> = {
  401: "Give the agent its API key.",
  403: "Give the agent a key that may use this API and model.",
  404: "Check the agent's base URL: it ends in /v1 once, as in http://127.0.0.1:8787/v1; and the path in UNLOOP_UPSTREAM.",
  429: "The API limits this key: wait, or raise its limit.",
};

function throughput(counts: ReadonlyMap<string, number>, errors: ReadonlyMap<string, number>): Diagnosis {
  const [total = 0, failures = 0] = [counts, errors].map((one) => [...one.values()].reduce((sum, n) => sum + n, 0));
  if (total === 0)
    return warning(
      "No agent's request has come through the guard since it started.",
      "Point the agent's base URL at it, or run the agent with `unloop wrap AGENT`.",
    );
  const came = `${total} guarded ${total === 1 ? "request has" : "requests have"} come through`;
  if (failures === 0) return ok(`${came}.`);
  const [statuses, isNone] = [[...errors.keys()], failures >= total];
  return (isNone ? failed : warning)(
    `${came}, and the API answered ${isNone ? "none" : `${failures} with an error`} (${statuses.join(", ")}).`,
    FAILURE_CURES[statuses[0] ?? ""] ??
      "The log's `exchange` lines have each; `unloop doctor` asks the API itself above.",
  );
}
