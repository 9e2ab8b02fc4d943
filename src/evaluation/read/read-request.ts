import { AGENTS } from "../../agents/agents.ts";
import { asksForCompaction, asksForRepetition, isNews } from "../../engine/engine.ts";
import { type ParsedRequest, readMarked } from "../../protocols/protocols.ts";
import {
  type AskedTerms,
  type BodyPrefix,
  bodyPrefix,
  endOfAddition,
  identify,
  type Identity,
  type KnownPrefix,
  metadataHash,
  type RequestMetadata,
  taskAt,
  termsSignature,
} from "../../session/session.ts";
import type { Conversation, Step } from "../../step.ts";
import { utf8Text } from "../../text/bytes.ts";
import type { Pieces } from "../../turns.ts";
import type { Work } from "../../work.ts";
import type { RequestContext } from "../context.ts";
import { type BoundedBody, READ_BUDGET } from "./bounded-body.ts";

export interface RequestHead {
  /** Path and query behind the mount point; begins with a slash. */
  readonly target: string;
  /** By lower-case name. A field that came several times and may not be joined is an array. */
  readonly fields: Readonly<Record<string, string | readonly string[] | undefined>>;
}

export type HeaderMetadata = Omit<RequestMetadata, "field">;

/** A request as its client sent it. */
export interface ReceivedRequest extends RequestHead {
  readonly metadata: HeaderMetadata;
  /** Its body without any coding; why there is none to read, where it is too large or in an unknown coding. */
  readonly bytes: Uint8Array | "size" | "coding";
}

export interface IncomingRequest extends ReceivedRequest {
  readonly bytes: Uint8Array;
  /** The body without what changes though it says nothing; not looked at where no prefix is remembered. */
  readonly comparable: Uint8Array;
  /** Signature of what the request says about its run, and in its URL about itself, beside its body; empty where no prefix is remembered. */
  readonly metadataHash: string;
}

export function incomingRequest(
  received: ReceivedRequest,
  bytes: Uint8Array,
  { prefixes, protocol, sign }: RequestContext,
): IncomingRequest {
  const { metadata, target, fields } = received;
  const incoming = { metadata, target, fields, bytes };
  if (prefixes === undefined) return { comparable: bytes, metadataHash: "", ...incoming };
  const hash = metadataHash(metadata, sign) + protocol.delta.variant(target);
  return { comparable: protocol.delta.comparable(bytes), metadataHash: hash, ...incoming };
}

export function fieldOf({ fields }: Pick<RequestHead, "fields">, name: string): string | undefined {
  const value = fields[name];
  return value === undefined ? undefined : String(value);
}

/** A request as far as it had to be read. */
export interface ReadRequest {
  readonly incoming: IncomingRequest;
  /** What is known of the request before it, which this one repeats; undefined: nothing is, and all of it was read. */
  readonly base: KnownPrefix | undefined;
  readonly added: readonly Step[];
  /** Whose it is, as far as it says so itself. */
  readonly named: Identity;
  readonly asked: AskedTerms;
  /** The harness asks for a compaction of the history: such a request passes unchanged. */
  readonly compacts: boolean;
  readonly isPartial: boolean;
  /** Once it is spent, what was read is half of the request. */
  readonly work: Work;
  /** Its body up to the end of its messages; undefined where that cannot be told. */
  prefix(): BodyPrefix | undefined;
  /** All of it: what an edit takes, an answer of our own, a look-ahead. */
  whole(): ParsedRequest;
  text(): string;
  /** The body to send for one that was edited, with all that was left out; for undefined that which came. */
  sent(edited: string | undefined): Uint8Array;
}

/** More than this is read as a whole body is: so that other requests can run meanwhile. In bytes. */
const MAX_ADDED = 256 * 1024;
/** Calls that are looked for: where replicas take turns, the newest one that this process knows is some calls old. */
const MOST_CALLS = 32;

/** A request that repeats the one before it of a known thread, and adds messages: only those are parsed. Undefined for every other. */
export function readAddition(incoming: IncomingRequest, context: RequestContext, work: Work): ReadRequest | undefined {
  const { comparable: body, bytes, target } = incoming;
  const base = knownPrefixOf(incoming, context);
  const end = base && bytes.length <= READ_BUDGET ? endOfAddition(body, base.body) : undefined;
  if (base === undefined || end === undefined || end - base.body.length > MAX_ADDED) return undefined;
  const { protocol } = context;
  const added = protocol.delta.stepsBetween(body, base.body.length, end, work);
  if (added === undefined) return undefined;
  // A run is named after the first call that it tells, and some clients tell another one than the first of its first answer.
  const [first] = added;
  if (base.tip.total === 0 && (first === undefined || prefixNames(first, incoming)[0] !== base.names[0]))
    return undefined;
  // A request for a summary is read whole.
  const heard = added.flatMap((step) => step.heard);
  if (heard.some((text) => asksForCompaction(text, false))) return undefined;
  const task = heard.findLast(isNews);
  const asksAgain = task === undefined ? base.asked.asksForRepetition : base.asked.streams && asksForRepetition(task);
  const text = () => utf8Text(bytes) ?? "";
  let whole: ParsedRequest | undefined;
  return {
    ...{ incoming, base, added, work, named: base.identity, compacts: false, isPartial: false },
    asked: { ...base.asked, asksForRepetition: asksAgain },
    prefix: () => bodyPrefix(body, end, base.body),
    whole() {
      whole ??= protocol.parse(text(), target, work);
      if (whole === undefined) throw new Error("a body that repeats another one and adds to it cannot be parsed");
      return whole;
    },
    text,
    sent: (edited) => (edited === undefined ? bytes : new TextEncoder().encode(edited)),
  };
}

function knownPrefixOf(incoming: IncomingRequest, { prefixes, protocol }: RequestContext): KnownPrefix | undefined {
  if (prefixes === undefined) return undefined;
  let left = MOST_CALLS;
  for (const id of protocol.delta.newestCallIds(incoming.comparable)) {
    const base = prefixes.find(`${incoming.metadataHash} ${id}`);
    if (base !== undefined || --left === 0) return base;
  }
  return undefined;
}

/** Names under which the next request of an answer's thread finds what is known of it. */
export function prefixNames({ calls }: Step, { metadataHash }: IncomingRequest): readonly string[] {
  return calls.flatMap(({ id }) => (id === undefined ? [] : [`${metadataHash} ${id}`]));
}

/** Undefined for what is not understood. */
export function* readAll(
  incoming: IncomingRequest,
  { text, restore, isPartial }: BoundedBody,
  context: RequestContext,
  work: Work,
): Pieces<ReadRequest | undefined> {
  const { protocol, sign, policy } = context;
  const plain = yield* protocol.parseInPieces(text, incoming.target, work);
  if (plain === undefined) return undefined;
  if (work.isDue(text.length / 2)) yield;
  const parsed = policy.prompts === undefined ? plain : readMarked(plain, policy.prompts);
  const metadata = metadataOf(incoming, parsed);
  const compacts = isCompaction(parsed, metadata);
  const shown = compacts ? withoutCompactionPrompt(parsed.conversation) : parsed.conversation;
  const isWhole = !compacts && (parsed.previousAnswerId ?? parsed.unread) === undefined;
  const unique = isWhole ? context.stamp().id : undefined;
  const first = identify(metadata, shown, sign, unique);
  // A run that only its task names keeps no state from the prompt: another run with the same task may show the same state.
  const isStateless = shown.showsState && !first.isGiven;
  const conversation = isStateless ? { ...shown, steps: [] } : shown;
  const request = conversation === parsed.conversation ? parsed : { ...parsed, conversation };
  const { steps } = conversation;
  const streams = request.streams && !request.alternatives;
  return {
    ...{ incoming, base: undefined, added: steps, compacts, isPartial, work: parsed.work },
    named: isStateless ? identify(metadata, conversation, sign) : first,
    asked: {
      ...{ model: request.model ?? "", models: modelsAsked(request), streams },
      terms: termsSignature(request.samplingKey, sign),
      asksForRepetition: streams && asksForRepetition(taskAt(conversation, steps.length)),
    },
    prefix() {
      const end = protocol.delta.endOfMessages(incoming.comparable, request);
      return end === undefined ? undefined : bodyPrefix(incoming.comparable, end);
    },
    whole: () => request,
    text: () => text,
    sent: (edited) => (edited === undefined ? incoming.bytes : restore(edited)),
  };
}

export function metadataOf({ metadata }: IncomingRequest, { field }: ParsedRequest): RequestMetadata {
  return { field, ...metadata };
}

const compactions = AGENTS.flatMap(({ compaction = [] }) => compaction);

/** The harness has the model sum up a history that has grown too long. That is no step of the run, and a note would become part of the summary. */
function isCompaction({ conversation, tools }: ParsedRequest, metadata: RequestMetadata): boolean {
  if (compactions.some(({ header, says }) => says.test(metadata.header(header) ?? ""))) return true;
  const last = conversation.steps.at(-1)?.heard.at(-1);
  return last !== undefined && asksForCompaction(last, tools.length > 0);
}

function withoutCompactionPrompt(conversation: Conversation): Conversation {
  const last = conversation.steps.at(-1);
  if (last === undefined || last.heard.length === 0) return conversation;
  const before: Step = { ...last, heard: last.heard.slice(0, -1) };
  return { ...conversation, steps: [...conversation.steps.slice(0, -1), before] };
}

const ATTEMPTS = [
  // The official SDKs, which give up after two or three.
  { name: "x-stainless-retry-count", first: 0 },
  { name: "x-envoy-attempt-count", first: 1 },
];

export function isFirstAttempt(header: HeaderMetadata["header"]): boolean {
  return ATTEMPTS.every(({ name, first }) => !(Number(header(name)) > first));
}

/** Where gateways take further models, to be asked if the first one fails: OpenRouter, and LiteLLM. */
const FALLBACKS = ["models", "fallbacks"];

/** Every model that may answer a request; an empty name for one that cannot be told. */
export function modelsAsked({ model, field }: ParsedRequest): readonly string[] {
  const others = FALLBACKS.flatMap((name) => field([name]) ?? []).map(nameOf);
  return model === undefined && others.length > 0 ? others : [model ?? "", ...others];
}

function nameOf(entry: unknown): string {
  const name = typeof entry === "object" && entry !== null && "model" in entry ? entry.model : entry;
  return typeof name === "string" ? name : "";
}

/** Whether its client may ask all of these; of a request that cannot be read, none. */
export function mayAskAll(models: readonly string[] | undefined, { mayAsk }: Pick<RequestContext, "mayAsk">): boolean {
  return mayAsk === undefined || (models?.every(mayAsk) ?? false);
}
