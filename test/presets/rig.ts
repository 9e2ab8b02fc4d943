import { memoryStores, type UnloopOptions } from "../../src/index.ts";
import { policyFrom } from "../../src/policy/policy.ts";
import { type Ask, type Given, logInto, type LogLine, posting } from "../proxy/guard-rig.ts";
import { type Asked, inPieces, inProcess } from "../support/builders/in-process.ts";
import type { RecordedRequest, Script, Upstream } from "../support/servers/upstream.ts";
import { chatCompletionsWire as wire } from "../support/wires/chat-completions.ts";
import { idMaker } from "../support/wires/id-maker.ts";

export interface Rig {
  readonly url: string;
  readonly upstream: Pick<Upstream, "requests">;
  readonly ask?: Ask;
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

export const judgeUrl = "http://upstream.invalid/judge";

/** A guard with a preset and changes of it, without sockets: what a preset's documents say is played here, once. */
export function presetRig(
  model: Script,
  policy: object,
  { judge, ...options }: Partial<Omit<UnloopOptions, "judge">> & { readonly judge?: Script | undefined } = {},
) {
  const logged: LogLine[] = [];
  const requests: RecordedRequest[] = [];
  const judged: RecordedRequest[] = [];
  const nextId = idMaker();
  const answer = (script: Script, to: RecordedRequest[], { target, body, headers }: Asked) => {
    const json = JSON.parse(body);
    const view = wire.view(json);
    const fields = Object.fromEntries(headers);
    const asked = { method: "POST", target, fields, bytes: Buffer.from(body), json, view };
    const answered = wire.rendered(script(asked, to.length), view, nextId);
    const { status, pieces } = answered;
    const written = Buffer.concat(pieces.map((piece) => Buffer.from(piece)));
    to.push({ ...asked, answer: written, answerType: answered.fields["content-type"] ?? "", aborted: false });
    return new Response(inPieces(pieces), { status, headers: answered.fields });
  };
  const stores = options.stores ?? memoryStores();
  const { fetch } = inProcess(
    (asked) =>
      asked.target.startsWith("/judge/") && judge !== undefined
        ? answer(judge, judged, asked)
        : answer(model, requests, asked),
    {
      policy: policyFrom(policy),
      log: logInto(logged),
      stores,
      ...(judge && { judge: { upstream: judgeUrl, model: "small", key: "sk-judge" } }),
      ...options,
    },
  );
  return { url: "http://guard.invalid", ask: posting(fetch), fetch, upstream: { requests }, logged, stores, judged };
}

export function told(turns: readonly { readonly headers: Given["headers"] }[]): string {
  return turns
    .map(({ headers }) => (headers.get("x-unloop-verdict") ?? "none").replace("short-circuit", "end"))
    .join(" ");
}

export const passes = (count: number, ...then: readonly string[]) => [...Array(count).fill("ok"), ...then].join(" ");
