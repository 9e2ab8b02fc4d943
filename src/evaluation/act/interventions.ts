import type { Containment } from "../../activity/activity.ts";
import { reversalCall } from "../../judge/judge.ts";
import { UnloopError } from "../../errors.ts";
import {
  containedText,
  doneNames,
  finalText,
  forceDoneNote,
  type Language,
  languageOf,
  type NoteFacts,
  nudgeNote,
  type Policy,
  preambleFor,
  refusalText,
} from "../../policy/policy.ts";
import {
  cannotEnd,
  type Edit,
  type Failure,
  endToolOf,
  lastForm,
  modelsAnswer,
  type ParsedRequest,
  type Protocol,
  type Reply,
  type StreamState,
} from "../../protocols/protocols.ts";
import { type MergeResult, type PositionedIntervention, statedTaskAt } from "../../session/session.ts";
import type { Step } from "../../step.ts";
import { optionally } from "../background.ts";
import type { RequestContext } from "../context.ts";
import { keyAfter, type Named, sessionKeyOf } from "../load/load-state.ts";
import type { ReadRequest } from "../read/read-request.ts";

export function doneToolOf(ask: ParsedRequest, policy: Policy): string | undefined {
  return endToolOf(ask, doneNames(policy), policy.doneTools !== undefined);
}

/** Notes of earlier interventions stay in their places, word for word: the model keeps seeing them, and the provider's prompt cache stays valid. */
function editsFor(
  ask: ParsedRequest,
  merged: MergeResult,
  policy: Policy,
  foreseen: PositionedIntervention | undefined,
): readonly Edit[] {
  const { system } = ask.conversation;
  const preamble = policy.preamble && preambleFor({ policy, system, language: languageOfRun(ask, policy) });
  const last = [merged.now, foreseen].filter((placed) => placed !== undefined);
  const notes = [...merged.earlier, ...last].flatMap((placed) => noteFor(ask, placed, policy) ?? []);
  const finishes = last.some(({ intervention }) => intervention.rung === "force-done");
  return [
    ...(preamble === undefined ? [] : [{ kind: "preamble" as const, text: preamble }]),
    ...notes,
    ...(finishes ? [{ kind: "finish" as const, tool: doneToolOf(ask, policy) }] : []),
  ];
}

/** Language of the run's first message. The preamble must stay the same for the whole run, or the provider's prompt cache misses. */
function languageOfRun({ conversation }: ParsedRequest, { language }: Policy): Language {
  return language === "auto" ? languageOf(conversation.opening.join("\n")) : language;
}

/** A note about a plan quotes its steps, if the request still carries them. */
function toldOf(
  { conversation: { steps }, tools }: ParsedRequest,
  { intervention, step: at, judgeText }: PositionedIntervention,
  policy: Policy,
): NoteFacts {
  const { course } = intervention;
  const offered = new Set([...tools.map(({ name }) => name), ...doneNames(policy)]);
  const facts = { ...intervention, steps: steps.slice(0, at + 1), offered };
  if (course === undefined) return facts;
  const taken = (agos: readonly number[] = []) => agos.flatMap((ago) => steps[at - ago] ?? []);
  return { ...facts, judgeText, tried: taken(course.tried), undone: taken(course.undone) };
}

/** The call that undoes what a plan's last action has done, made only while that action's state is still shown: later it might undo something else. */
export function undoingCall(
  ask: ParsedRequest,
  { intervention, about }: PositionedIntervention,
  { judge }: Policy,
): ReturnType<typeof reversalCall> {
  const { type = "other", stands } = intervention.course ?? {};
  const action = ask.conversation.steps[about];
  if (stands !== true || action === undefined || ask.alternatives) return undefined;
  const call = reversalCall(action, type, judge?.actions ?? []);
  return ask.tools.some(({ name }) => name === call?.tool) ? call : undefined;
}

/** The step that is spoken about; where its calls are not told, they are named as far as they are known. */
function shownStep(
  { conversation: { steps } }: ParsedRequest,
  { tools }: PositionedIntervention["intervention"],
  about: number,
): Step | undefined {
  const step = steps[about];
  if (step?.isUntold !== true) return step;
  const outcome = step.calls[0]?.outcome;
  return { ...step, calls: tools.map((tool) => ({ tool, args: "", ...(outcome && { outcome }) })) };
}

/** A short-circuit leaves no note: its answer is in the history itself. */
export function noteFor(ask: ParsedRequest, placed: PositionedIntervention, policy: Policy): Note | undefined {
  const { intervention, step: at, about } = placed;
  const step = shownStep(ask, intervention, about);
  if (step === undefined || intervention.rung === "short-circuit") return undefined;
  const { language } = intervention;
  const place = placeOf(ask, at);
  const isBehindOutcome = about === at && place.atEnd !== true && step.isUntold !== true;
  const facts = { ...toldOf(ask, placed, policy), isBehindOutcome };
  if (intervention.rung === "nudge") return { ...place, text: nudgeNote(facts, step, language, policy) };
  const tool = doneToolOf(ask, policy);
  const told = { ...facts, form: tool === undefined ? lastForm(ask).note : undefined };
  return { ...place, text: forceDoneNote(told, step, statedTaskAt(ask.conversation, at), tool, language, policy) };
}

/** A format knows messages: of several turns that share one, a turn is found by its last call. */
function placeOf({ conversation: { steps, isPrompt } }: ParsedRequest, at: number): Omit<Note, "text"> {
  if (isPrompt === true) return { kind: "note", step: at, atEnd: true };
  const step = steps.slice(0, at + 1).filter(({ sharesMessage }) => sharesMessage !== true).length - 1;
  const isShared = steps[at]?.sharesMessage === true || steps[at + 1]?.sharesMessage === true;
  const call = isShared ? steps[at]?.calls.at(-1)?.id : undefined;
  return call === undefined ? { kind: "note", step } : { kind: "note", step, call };
}

type Note = Extract<Edit, { kind: "note" }>;

/** What a force-done leads to that came to nothing. */
export function endedBy({ intervention, ...placed }: PositionedIntervention): PositionedIntervention {
  return { ...placed, intervention: { ...intervention, rung: "short-circuit", foreseen: true } };
}

export interface OwnAnswer {
  readonly status: 200 | 400 | 402 | 403;
  readonly reply: Reply;
  /** Events with the same content, for a stream that has already begun. */
  readonly events: string;
}

/** The turn that an answer would have been, had it gone through. */
interface Withheld {
  readonly step: Step;
  /** Its words have gone through. */
  readonly seen: boolean;
  readonly answer?: StreamState | Uint8Array | undefined;
}

/** @param context `wasEnded`: the run was ended before for the same, and has gone on */
export function ownAnswer(
  ask: ParsedRequest,
  placed: PositionedIntervention,
  context: Pick<RequestContext, "protocol" | "policy" | "stamp"> & { readonly wasEnded?: boolean },
  withheld?: Withheld,
): OwnAnswer {
  const { protocol, policy, stamp, wasEnded = false } = context;
  if (policy.finalResponse === "answer" || (policy.finalResponse === "answer-then-error" && !wasEnded)) {
    const text = lastWords(ask, placed, policy, withheld);
    // A signal is understood only if nothing else is said, in whatever shape.
    const isSignal = text === policy.stopSignal;
    const plain: ParsedRequest = isSignal ? { ...ask, tools: [], format: { kind: "text", isAsIs: true } } : ask;
    const final = { text, doneTool: doneToolOf(plain, policy), succeeded: placed.intervention.outcome === "met" };
    if (!cannotEnd(plain, final, wasEnded)) {
      const reply = protocol.reply(plain, final, stamp(), withheld?.answer);
      return { status: 200, reply, events: reply.body };
    }
  }
  const { intervention, about } = placed;
  const step = shownStep(ask, intervention, about) ?? noStep;
  const message = refusalText(toldOf(ask, placed, policy), step, intervention.language, policy);
  return errorAnswer({ code: "loop_detected", status: protocol.refusalStatus, message }, ask, protocol);
}

function errorAnswer(failure: Failure & Pick<OwnAnswer, "status">, { target }: ParsedRequest, protocol: Protocol) {
  const events = protocol.error(failure, "event", target).body;
  return { status: failure.status, reply: protocol.error(failure, "body"), events };
}

const noStep: Step = { calls: [], text: "", heard: [] };

function lastWords(
  ask: ParsedRequest,
  placed: PositionedIntervention,
  policy: Policy,
  { step: withheld, seen }: Partial<Withheld> = {},
): string {
  const { intervention, about } = placed;
  const own = policy.finalText === "own-text" ? withheld : undefined;
  if (seen === true && own !== undefined && own.text !== "") return "";
  const step = own ?? shownStep(ask, intervention, about) ?? noStep;
  const said = { system: ask.conversation.system, answer: () => modelsAnswer(ask, withheld) };
  return finalText(toldOf(ask, placed, policy), step, intervention.language, policy, said);
}

export interface Change {
  readonly body: string;
  /** From the most that can be said to the least: what the API refuses is said with less. */
  readonly forms: readonly ChangeForm[];
}

export interface ChangeForm {
  /** `begun`: with the model's turn begun; `notes`: without narrowing its tools; `plain`: as the client meant it. */
  readonly as: "begun" | "change" | "notes" | "plain";
  readonly body: string;
  /** Set where it takes tools away, or chooses one (`tool`). */
  readonly narrowing?: "none" | "tool";
  /** What the answer's text is to its reader, where it lacks the beginning. */
  framed?(text: string): string;
}

/** @param foreseen what an answer to this very request would have led to. The body is the request's own if no edit finds a place */
export function changedRequest(
  request: ReadRequest,
  merged: MergeResult,
  { protocol, policy }: RequestContext,
  foreseen?: PositionedIntervention,
): Change {
  const ask = request.whole();
  const edits = editsFor(ask, merged, policy, foreseen);
  if (edits.length === 0) return { body: request.text(), forms: [] };
  const body = protocol.rewrite(ask, edits);
  const change = { as: "change", body } as const;
  const finish = edits.find((edit) => edit.kind === "finish");
  if (finish === undefined) return { body, forms: [change] };
  const forms: ChangeForm[] = [change];
  const notes = protocol.rewrite(
    ask,
    edits.filter((edit) => edit !== finish),
  );
  if (notes !== body) {
    const narrowing = finish.tool === undefined ? "none" : "tool";
    forms.splice(0, 1, { ...change, narrowing }, { as: "notes", body: notes });
  }
  const { beginning, framed } = (finish.tool === undefined ? lastForm(ask).begun : undefined) ?? {};
  if (beginning === undefined || framed === undefined) return { body, forms };
  const begun = protocol.rewrite(ask, [...edits, { kind: "begin", text: beginning }]);
  return { body, forms: begun === body ? forms : [{ as: "begun", body: begun, framed }, ...forms] };
}

/** In the shape that its agent accepts as an end; an error, by policy, and where that answer cannot be made: the order holds all the same. */
export function containedAnswer(request: ParsedRequest, order: Containment, context: RequestContext): OwnAnswer {
  const { protocol, policy, stamp } = context;
  const refused = (message: string) =>
    errorAnswer({ code: "session_contained", status: 403, message }, request, protocol);
  const final = (): OwnAnswer => {
    const text = containedText(order.reason, languageOfRun(request, policy), policy);
    if (policy.finalResponse === "error") return refused(text);
    const reply = protocol.reply(request, { text, doneTool: doneToolOf(request, policy), succeeded: false }, stamp());
    return { status: 200, reply, events: reply.body };
  };
  return optionally(final, context, "guard-failed") ?? refused("An operator has ended this session.");
}

/** Calls back if an operator ends the session while its exchange is open. @returns what ends the watch */
export function watchContainment(named: Named, end: (reason: UnloopError) => void): () => void {
  return named.context.containments.watch(sessionKeyOf(named, undefined), () =>
    end(new UnloopError("session_contained", "An operator has ended this session.")),
  );
}

/** The answer where an operator has ended the session meanwhile; undefined where none has. */
export function answerOnOrder(named: Named): OwnAnswer | undefined {
  const { context, run, request } = named;
  const order = context.containments.of(run.identity.key, keyAfter(named, undefined));
  return order && containedAnswer(request.whole(), order, context);
}
