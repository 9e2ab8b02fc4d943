import { parseJson } from "../../text/parse-json.ts";
import { isObject } from "../../text/is-object.ts";
import { type DoctorCheck, type Diagnosis, failed, ok, skipped } from "./check.ts";
import { askGuard, type GuardAnswer } from "./http.ts";
import { type AnswerFault, answerFaults, isOwnError, silent, noAnswerFrom, type UpstreamApi } from "./upstreams.ts";

/** A wire format: the smallest question in it, and the field that its answers have. */
interface QuestionForm {
  readonly name: string;
  readonly path: string;
  readonly body: (model: string) => object;
  readonly field: string;
}

const SAID = [{ role: "user", content: "Answer with the word ok." }];
/** Some APIs refuse less. In tokens. */
const MOST = 16;

const forms: readonly QuestionForm[] = [
  {
    name: "chat completions",
    path: "/v1/chat/completions",
    body: (model) => ({ model, messages: SAID }),
    field: "choices",
  },
  {
    name: "Responses",
    path: "/v1/responses",
    body: (model) => ({ model, input: SAID, max_output_tokens: MOST, store: false }),
    field: "output",
  },
  {
    name: "Messages",
    path: "/v1/messages",
    body: (model) => ({ model, messages: SAID, max_tokens: MOST }),
    field: "content",
  },
];

/** What an answer to a question says against it, before what any answer may say. */
const questionFaults: readonly AnswerFault[] = [
  {
    fits: ({ status, text }) => [400, 403, 404, 422].includes(status) && /\bmodel(?![a-z])/i.test(text),
    status: "failed",
    says: ({ status }) => `does not take this model (${status})`,
    cure: "Name a model of its own list, GET /v1/models, that this key may use.",
  },
  {
    fits: ({ status, text }) => status === 402 || (status === 429 && /quota|billing|credit|balance/i.test(text)),
    status: "failed",
    says: ({ status }) => `has no credit left for this key (${status})`,
    cure: "Look at the account's billing page, or use another key.",
  },
  {
    fits: ({ status }) => status === 429,
    status: "warning",
    says: () => "limits the rate of requests with this key (429)",
    cure: "Wait a minute; an agent will meet the same limit.",
  },
  {
    fits: ({ status }) => status === 413,
    status: "failed",
    says: () => "finds a question of a hundred bytes too large (413)",
    cure: "Something between the guard and the API refuses bodies: look at its limits.",
  },
];

/** Told behind what any answer may say. */
const refusal: AnswerFault = {
  fits: ({ status }) => status >= 400,
  status: "failed",
  says: ({ status }) => `refuses a plain question (${status})`,
  cure: "The API may speak a dialect of its own: ask it the same without the guard, and compare.",
};

/** One short question to an API, in each wire format that it speaks; it costs a few tokens of the key's owner. */
export function questions(api: UpstreamApi, guard: string, model: string, timeoutMs = 30_000): DoctorCheck {
  return {
    name: `${api.name}: question`,
    async run() {
      const found: Diagnosis[] = [];
      for (const form of forms) found.push(await asked(form, api, { guard, model, timeoutMs }));
      const spoken = found.filter(({ status }) => status !== "skipped");
      if (spoken.length > 0) return spoken;
      const cure = "Check the path in UNLOOP_UPSTREAM: it stands before /v1.";
      return [failed(`${api.origin.host} speaks none of ${forms.map(({ name }) => name).join(", ")}.`, cure)];
    },
  };
}

interface Asking {
  readonly guard: string;
  readonly model: string;
  readonly timeoutMs: number;
}

async function asked(
  form: QuestionForm,
  { prefix, headers, origin }: UpstreamApi,
  { guard, model, timeoutMs }: Asking,
): Promise<Diagnosis> {
  const answer = await askGuard(guard, prefix + form.path, { headers, json: form.body(model), timeoutMs });
  if (answer === undefined) return noAnswerFrom(guard, origin, timeoutMs);
  if (isOwnError(answer)) return silent(answer, origin);
  const isModelUnknown = questionFaults[0]?.fits(answer, true) === true;
  if ((answer.status === 404 || answer.status === 405) && !isModelUnknown)
    return skipped(`${origin.host} does not speak ${form.name} (${answer.status}).`);
  const fault = [...questionFaults, ...answerFaults, refusal].find(({ fits }) =>
    fits(answer, Object.keys(headers).length > 0),
  );
  if (fault !== undefined)
    return { status: fault.status, says: `${form.name}: ${origin.host} ${fault.says(answer)}.`, cure: fault.cure };
  return understood(form, answer, origin);
}

function understood({ name, field }: QuestionForm, answer: GuardAnswer, { host }: URL): Diagnosis {
  const body = parseJson(answer.text);
  if (!isObject(body) || !(field in body))
    return failed(
      `${name}: ${host} answers with something else than ${name} (${answer.status}).`,
      "Something there answers in the API's place, or it is an API of another kind: correct UNLOOP_UPSTREAM.",
    );
  const verdict = answer.header("x-unloop-verdict");
  if (verdict === undefined || verdict === "unguarded")
    return failed(
      `${name}: ${host} answers, but the guard has not judged the question (${verdict ?? "no verdict"}).`,
      "Look at the guard's mode and at the rules for this path in its configuration.",
    );
  return ok(`${name}: ${host} answers a question through the guard (verdict ${verdict}).`);
}
