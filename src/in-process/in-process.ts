import { UnloopError } from "../errors.ts";
import { guardOf, type UnloopOptions } from "../index.ts";
import { type AnswerSink, abortable, type Transport } from "../transport/transport.ts";
import { type InProcessGuard, type ModelCall, type ModelVerdict, verdictIn } from "./chat.ts";

export * from "./chat.ts";
export * from "./stream.ts";

export interface InProcessOptions
  extends Pick<UnloopOptions, "policy" | "mode" | "stores" | "secret" | "sessionTtlMs" | "judge" | "observer" | "log"> {
  /** Told what was done about each call of the model, before its answer is there. */
  readonly onVerdict?: (verdict: ModelVerdict) => void;
}

/** By this the model is found again at the other end of the guard. */
const CALL = "model-call";
const NO_SERVER = new URL("http://model.invalid");

/** The same guard as the proxy's, with the model of this process in the place of an upstream. */
export function inProcessGuard({ onVerdict, ...options }: InProcessOptions): InProcessGuard {
  const calls = new Map<string, { readonly call: ModelCall; failure: unknown }>();
  let count = 0;
  const transport: Transport = {
    accept: () => Promise.reject(new UnloopError("bad_target", "Nothing listens in a process.")),
    close: async () => undefined,
    async send({ fields, body, signal }, sink) {
      const entry = calls.get(String(fields[CALL]));
      if (entry === undefined || !(body instanceof Uint8Array))
        throw new UnloopError("upstream_unreachable", "The call is over.");
      try {
        await entry.call.ask(JSON.parse(new TextDecoder().decode(body)), sink, signal);
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        entry.failure = error;
        throw new UnloopError("upstream_unreachable", "The model could not be called.", { cause: error });
      }
    },
  };
  const guard = guardOf({ ...options, upstream: NO_SERVER, transport });
  return async (call, answer) => {
    count += 1;
    const id = String(count);
    const entry = { call, failure: undefined as unknown };
    calls.set(id, entry);
    const gone = abortable();
    const leave = () => gone.abort(new UnloopError("client_gone", "The call was aborted."));
    if (call.signal?.aborted) leave();
    call.signal?.addEventListener("abort", leave);
    let failed = false;
    const sink: AnswerSink = {
      ...answer,
      head(status, fields) {
        // What a model throws is thrown on as it is.
        failed = status >= 400 && entry.failure !== undefined;
        if (failed) return;
        onVerdict?.(verdictIn(fields));
        answer.head(status, fields);
      },
      write: (piece) => (failed ? undefined : answer.write(piece)),
      end: () => (failed ? undefined : answer.end()),
    };
    try {
      await guard({
        method: "POST",
        target: "/v1/chat/completions",
        fields: { [CALL]: id, ...(call.session !== undefined && { "x-unloop-session": call.session }) },
        gone,
        body: async () => new TextEncoder().encode(JSON.stringify(call.request)),
        stream: () => undefined,
        answer: sink,
      });
    } finally {
      calls.delete(id);
      call.signal?.removeEventListener("abort", leave);
    }
    call.signal?.throwIfAborted();
    if (failed) throw entry.failure;
  };
}
