import type { Subject } from "../../engine/engine.ts";
import type { SentenceName } from "./sentences.ts";

/** Template of a note: names of the sentences about a subject. */
export interface NoteTemplate {
  readonly seen: SentenceName & `seen:${string}`;
  readonly advice: SentenceName & `advice:${string}`;
  /** Whether it is about the calls of one step, so that the note quotes their outcome. */
  readonly isOfStep?: true;
  /** Only words went to and fro. */
  readonly isTalk?: true;
  /** A forced end says first that the run is over. */
  readonly endsFirst?: true;
}

/** Note template of each subject; the step in question may refine it. */
export const tellings: Readonly<Record<Subject, NoteTemplate>> = {
  call: { seen: "seen:call", advice: "advice:call", isOfStep: true },
  "failing-call": { seen: "seen:failure", advice: "advice:failure", isOfStep: true },
  cycle: { seen: "seen:cycle", advice: "advice:cycle", isOfStep: true },
  answer: { seen: "seen:answer", advice: "advice:answer", isOfStep: true },
  "alike-failures": { seen: "seen:failure", advice: "advice:failure", isOfStep: true, endsFirst: true },
  failures: { seen: "seen:failures", advice: "advice:failure", isOfStep: true, endsFirst: true },
  poll: { seen: "seen:poll", advice: "advice:poll", isOfStep: true },
  novelty: { seen: "seen:novelty", advice: "advice:novelty", isOfStep: true },
  circles: { seen: "seen:circles", advice: "advice:novelty", isOfStep: true },
  "circles-of-talk": { seen: "seen:circles-of-talk", advice: "advice:message", isOfStep: true, isTalk: true },
  message: { seen: "seen:message", advice: "advice:message", isOfStep: true },
  "similar-message": { seen: "seen:similar", advice: "advice:message", isOfStep: true, isTalk: true },
  explanation: { seen: "seen:explanation", advice: "advice:call", isOfStep: true },
  "message-without-call": { seen: "seen:no-call", advice: "advice:message", isOfStep: true, isTalk: true },
  heard: { seen: "seen:heard", advice: "advice:message", isOfStep: true, isTalk: true },
  correction: { seen: "seen:heard", advice: "advice:message", isOfStep: true },
  exchange: { seen: "seen:exchange", advice: "advice:closure", isOfStep: true, isTalk: true },
  farewell: { seen: "seen:closure", advice: "advice:closure", isOfStep: true, isTalk: true },
  agents: { seen: "seen:agents", advice: "advice:agents" },
  compactions: { seen: "seen:compactions", advice: "advice:compactions" },
  arrivals: { seen: "seen:retries", advice: "advice:retries" },
  steps: { seen: "seen:steps", advice: "advice:steps" },
  tokens: { seen: "seen:tokens", advice: "advice:steps" },
  cost: { seen: "seen:cost", advice: "advice:steps" },
  seconds: { seen: "seen:seconds", advice: "advice:steps" },
  plan: { seen: "seen:no-nearer", advice: "advice:options", isOfStep: true },
};
