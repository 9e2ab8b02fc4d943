import fc from "fast-check";
import { readConfigFile } from "../../src/config-file/config-file.ts";
import { UnloopError } from "../../src/errors.ts";
import { keyedHash } from "../../src/text/keyed-hash.ts";
import { policyNamed, presetNamed } from "../../src/policy/policy.ts";
import { dialects } from "../../src/protocols/dialects/text-turn.ts";
import { answerReader, type Framing, type Protocol, protocolFor, splitStream } from "../../src/protocols/protocols.ts";
import { advance, emptyLedger, ledgerText, readLedger } from "../../src/session/session.ts";
import { sseSlicer } from "../../src/sse/sse.ts";
import { damaged, misshapen, piecesOf } from "./inputs.ts";
import { actionTexts, configurations, policies, type Sample, samples } from "./samples.ts";
import { requestWork } from "../../src/work.ts";
import { wholeAnswer } from "../../src/protocols/answer/read-answer.ts";

export interface FuzzTarget {
  readonly name: string;
  readonly inputs: fc.Arbitrary<string>;
  readonly check: (input: string) => void;
  /** What is read of inputs that are not damaged. */
  readonly whole: () => readonly unknown[];
}

/** So much may be made of one character of an input at most; a little of anything. In characters of JSON. */
const GROWTH = 64;
const GROUND = 16_384;

function target(
  name: string,
  inputs: fc.Arbitrary<string>,
  read: (text: string) => unknown,
  whole: readonly string[],
): FuzzTarget {
  const check = (input: string) => {
    const size = JSON.stringify(read(input) ?? null).length;
    const bound = GROUND + GROWTH * input.length;
    if (size > bound) throw new Error(`${name} made ${size} characters of an input that may lead to ${bound}.`);
  };
  return { name, inputs, check, whole: () => whole.map(read) };
}

const ofBytes = (
  name: string,
  inputs: fc.Arbitrary<string>,
  read: (pieces: readonly Uint8Array[]) => unknown,
  whole: string,
): FuzzTarget => ({
  ...target(name, inputs, (text) => read(piecesOf(text)), []),
  whole: () => [read([new TextEncoder().encode(whole)])],
});

/** For a reader that tells mistakes by an error of ours; any other is a defect. */
function toldProperly<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof UnloopError) return undefined;
    throw error;
  }
}

const jsonLike = (values: readonly unknown[]) =>
  fc.oneof(misshapen(values), damaged(values.map((value) => JSON.stringify(value))));

function formatTargets(name: string, { path, request, answer, events }: Sample): readonly FuzzTarget[] {
  const protocol = protocolFor("POST", path);
  if (protocol?.name !== name) throw new Error(`${path} is not of the format ${name}.`);
  const written = (data: string) => asEvent(data, protocol.framing(path));
  const streamed = fc.array(jsonLike(events), { maxLength: 8 }).map((all) => all.map(written).join(""));
  const mark = name === "chat-completions" ? ["[DONE]"] : [];
  const stream = [...events.map((event) => JSON.stringify(event)), ...mark].map(written).join("");
  const [asked, answered] = [JSON.stringify(request), JSON.stringify(answer)];
  return [
    target(`${name}: request`, jsonLike([request]), (text) => requestRead(protocol, text), [asked]),
    target(`${name}: answer`, jsonLike([answer]), (text) => wholeAnswer(protocol.decoder(), text), [answered]),
    target(`${name}: usage`, jsonLike([answer]), (text) => protocol.addUsage(answered, text), [answered]),
    ofBytes(`${name}: stream`, fc.oneof(streamed, damaged([stream])), (all) => streamRead(protocol, path, all), stream),
  ];
}

function asEvent(data: string, { contentType }: Pick<Framing, "contentType">): string {
  if (contentType.includes("ndjson")) return `${data}\n`;
  const type = /"type":"(\w[\w.]*)"/.exec(data)?.[1];
  return `${type === undefined ? "" : `event: ${type}\n`}data: ${data}\n\n`;
}

function requestRead(protocol: Protocol, text: string): unknown {
  const request = protocol.parse(text);
  if (request === undefined) return undefined;
  const { wire, standIn, field, ...read } = request;
  const said = protocol.reply(request, { text: "Over.", doneTool: undefined }, { id: "1", created: 1 });
  const rewritten = protocol.rewrite(request, [
    { kind: "note", step: 0, text: "n" },
    { kind: "preamble", text: "p" },
  ]);
  return [read, said, rewritten, field(["metadata", "user_id"])];
}

function streamRead(protocol: Protocol, path: string, all: readonly Uint8Array[]): unknown {
  const reader = answerReader(protocol, protocol.framing(path).contentType, undefined, path);
  const splitter = splitStream(protocol.decoder(path), true);
  const segments: number[] = [];
  for (const bytes of all) {
    reader.push(bytes);
    splitter.push(bytes, (segment) => segments.push(segment.bytes.length));
  }
  splitter.rest((segment) => segments.push(segment.bytes.length));
  const total = all.reduce((sum, { length }) => sum + length, 0);
  const passed = segments.reduce((sum, length) => sum + length, 0);
  if (passed !== total) throw new Error(`${total} bytes came and ${passed} went on.`);
  return reader.end();
}

function eventsRead(all: readonly Uint8Array[]): unknown {
  const slicer = sseSlicer(1_000);
  return [all.flatMap((bytes) => slicer.push(bytes)).map(({ event }) => event), slicer.rest().event];
}

function actionsRead(text: string): unknown {
  const work = requestWork();
  const manner = { sample: text, instructions: text, work };
  return dialects.map((dialect) => [
    dialect.recognises?.(text),
    dialect.read(text, "answer", work),
    dialect.read(text, "history", work),
    dialect.lastAction?.(manner),
    dialect.finishNote?.(manner),
    dialect.frame?.(manner),
    dialect.finalText?.({ ...manner, text: "Over.", ended: "badly" }),
  ]);
}

function storedLedger(): unknown {
  const policy = presetNamed("default");
  if (policy === undefined) throw new Error("There is no default policy.");
  const evaluation = { sign: keyedHash("fuzz"), policy };
  const call = { tool: "search", args: '{"q":"Paris"}', outcome: { text: "rain" } };
  const step = { calls: [call], text: "", heard: [] };
  const steps = Array.from({ length: 6 }, () => step);
  const empty = emptyLedger({ system: "", opening: ["Weather?"], steps }, evaluation);
  return JSON.parse(ledgerText(steps.reduce((ledger, one) => advance(ledger, one, evaluation), empty)));
}

/** Gemini's stream without `alt=sse`. */
function arrayRead(all: readonly Uint8Array[]): unknown {
  const path = "/v1beta/models/m:streamGenerateContent";
  const protocol = protocolFor("POST", path);
  return protocol && streamRead(protocol, path, all);
}

const array = JSON.stringify(samples.gemini.events, null, 1);
const sse = "event: a\ndata: 1\ndata: 2\n\n: hi\r\n\r\ndata: x\r\rid: 3\n\n";

export const targets: readonly FuzzTarget[] = [
  ...Object.entries(samples).flatMap(([name, sample]) => formatTargets(name, sample)),
  ofBytes("gemini: array", damaged([array]), arrayRead, array),
  ofBytes("server-sent events", damaged([sse]), eventsRead, sse),
  target("dialects", damaged(actionTexts), actionsRead, actionTexts),
  target(
    "configuration file",
    damaged(configurations),
    (text) => toldProperly(() => readConfigFile(text, "unloop.yaml").settings),
    configurations,
  ),
  target(
    "policy",
    jsonLike(policies),
    (text) => toldProperly(() => policyNamed(text)),
    policies.map((one) => JSON.stringify(one)),
  ),
  target("stored ledger", jsonLike([storedLedger()]), readLedger, [JSON.stringify(storedLedger())]),
];
