import type { Mode } from "../../config/config.ts";
import type { UnloopError } from "../../errors.ts";
import type { AnswerTap, Observed } from "../../evaluation/evaluation.ts";
import type { JudgeEndpoint } from "../../judge/judge.ts";
import type { RunawayTerms } from "../../policy/policy.ts";
import { type AnswerListener, answerReader, chatCompletions, type Protocol } from "../../protocols/protocols.ts";
import { type Destination, forward, type Forwarding } from "./forward.ts";
import { type AnswerTaps, observe, type RunawayWatch } from "./observe.ts";
import { callFlood, FLOOD_LAPS, type Runaway, runawayScanner } from "../../runaway/runaway.ts";
import { abortable, type AnswerSink, type Exchange, type Fields, type Transport } from "../../transport/transport.ts";
import { BoundedMap } from "../../text/bounded-map.ts";

interface ReadingTerms extends Pick<AnswerTaps, "tap" | "errorEvent"> {
  /** Undefined: an answer may repeat itself as it likes. */
  readonly runaway?: RunawayTerms | undefined;
  /** Only `enforce` cuts off what repeats itself. */
  readonly mode?: Mode;
  /** Calls back if an operator ends the session meanwhile. @returns what ends the watch */
  readonly whenContained?: ((end: (reason: UnloopError) => void) => () => void) | undefined;
  /** An answer of such a status is dropped at its head; undefined: none is. */
  readonly isUnwanted?: ((status: number) => boolean) | undefined;
}

/** One request upstream, and how its answer went by. Rejects as `forward` does. */
export async function askUpstream(
  exchange: Exchange,
  forwarding: Omit<Forwarding, "answer" | "signal">,
  client: AnswerSink,
  terms: ReadingTerms,
): Promise<Observed> {
  const { mode, isUnwanted, whenContained, ...taps } = terms;
  const stopping = abortable(exchange.gone);
  const stop = () => stopping.abort(new Error("The rest of the answer is not wanted."));
  const reader = isUnwanted === undefined ? client : unless(isUnwanted, client, stop);
  const runaway = terms.runaway && runawayWatch(terms.runaway, mode === "enforce" ? stop : undefined);
  let observed: Observed = { status: 0, answer: undefined };
  const answer = observe(reader, { ...taps, runaway }, (how) => {
    observed = how;
  });
  const unwatch = whenContained?.((reason) => {
    answer.endNow(reason);
    stopping.abort(reason);
  });
  try {
    await forward(exchange, { answer, signal: stopping, ...forwarding });
  } finally {
    unwatch?.();
  }
  return observed;
}

function unless(isUnwanted: (status: number) => boolean, reader: AnswerSink, drop: () => void): AnswerSink {
  let to: AnswerSink | undefined = reader;
  return {
    head(status, fields) {
      if (isUnwanted(status)) {
        to = undefined;
        drop();
      }
      to?.head(status, fields);
    },
    write: (bytes) => to?.write(bytes),
    end: () => to?.end(),
    fail: (reason) => to?.fail(reason),
  };
}

/** Texts of one answer that are watched at a time, the newest ones: a stream of nothing but calls must not hold memory for each. */
const MAX_TEXTS = 16;

/**
 * Scans each of an answer's texts for itself (its content, its reasoning, the arguments of each call), and counts its calls.
 * @param stop undefined: an answer is not to be cut off for it
 */
export function runawayWatch(terms: RunawayTerms, stop: (() => void) | undefined): RunawayWatch {
  const scanners = new BoundedMap<string, ReturnType<typeof runawayScanner>>(MAX_TEXTS);
  const flood = callFlood();
  let runaway: Runaway | undefined;

  function scan(name: string, text: string): Runaway | undefined {
    let scanner = scanners.get(name);
    if (scanner === undefined) {
      scanner = runawayScanner(terms);
      scanners.set(name, scanner);
    }
    return scanner.push(text);
  }

  function found(part: Parameters<AnswerListener>[0]): Runaway | undefined {
    if (part.kind === "text" || part.kind === "reasoning") return scan(part.kind, part.text);
    const isFlood =
      part.kind === "call-start"
        ? flood.begin(part.call, part.tool)
        : part.kind === "call-args" && flood.grow(part.call, part.text);
    if (isFlood) return { laps: FLOOD_LAPS, blockTokens: 0, chars: 0, calls: flood.calls() };
    return part.kind === "call-args" ? scan(`call ${part.call}`, part.text) : undefined;
  }

  return {
    listener(part) {
      runaway ??= found(part);
      return runaway !== undefined && stop !== undefined;
    },
    runaway: () => runaway,
    stop,
  };
}

/** Longer answers are no verdicts. In bytes. */
const MAX_ANSWER = 256 * 1024;

/** One question to the judge, and how its answer went by. Rejects as `forward` does, also when its time is over. */
export async function askJudge(question: string, endpoint: JudgeEndpoint, transport: Transport): Promise<Observed> {
  const { upstream, key, timeoutMs } = endpoint;
  const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const fields = { ...JSON_FIELDS, ...authorization };
  const asked = { target: chatCompletions.path, fields, timeoutMs, protocol: chatCompletions };
  return send(question, asked, { transport, upstream });
}

/** A run's own request, and where it goes. */
export interface OwnUpstream {
  readonly exchange: Pick<Exchange, "fields">;
  readonly destination: Destination;
  readonly protocol: Protocol;
  readonly timeoutMs: number;
}

/** The same to the upstream of a run: with the key, and all else, that its own requests have. */
export function askOwnUpstream(
  { target, body }: ReturnType<Protocol["question"]>,
  { exchange: { fields }, destination, ...asked }: OwnUpstream,
): Promise<Observed> {
  return send(body, { ...asked, target, fields: { ...withoutItsOwn(fields), ...JSON_FIELDS } }, destination);
}

const JSON_FIELDS = { "content-type": "application/json", accept: "application/json" };

/** What a client says of one request, and not of all. */
function withoutItsOwn(fields: Fields): Fields {
  const { "idempotency-key": _, "content-length": __, "content-encoding": ___, ...rest } = fields;
  return rest;
}

interface Asked extends Pick<Exchange, "target" | "fields">, Pick<OwnUpstream, "protocol" | "timeoutMs"> {}

function send(question: string, asked: Asked, destination: Destination): Promise<Observed> {
  const { target, fields, protocol, timeoutMs } = asked;
  const body = new TextEncoder().encode(question);
  const gone = abortable(AbortSignal.timeout(timeoutMs));
  let size = 0;
  const reader: AnswerSink = {
    head: () => undefined,
    write(bytes) {
      size += bytes.byteLength;
      if (size > MAX_ANSWER) gone.abort(new Error("The judge says too much."));
      return undefined;
    },
    end: () => undefined,
    fail: () => undefined,
  };
  const exchange = {
    method: "POST",
    target,
    fields,
    gone,
    answer: reader,
    body: async () => body,
    stream: () => undefined,
  };
  const tap: AnswerTap = (contentType) => answerReader(protocol, contentType, undefined, target);
  return askUpstream(exchange, { ...destination, body, readable: true }, reader, { tap });
}
