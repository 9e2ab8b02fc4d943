/** Only the beginning says what a message is; what follows may quote anything. In characters. */
const HEAD = 400;

/** How harnesses begin what no person has said: validation errors, hook feedback, format reminders, requests to repair. */
const AUTOMATED: readonly RegExp[] = [
  /\bautomated (feedback|message|reminder|notification)\b|\bnot (a message from the user|user input)\b/i,
  /\b(failed|fails) (the )?(\w+'s )?validation\b|\bvalidation[ _](errors?|feedback)\b|\bfix the errors?,? and try again\b/i,
  /^\W{0,3}(\w+ ){0,3}hook (feedback|blocking error|error)\b/i,
  /\b(could not|couldn't|cannot|unable to|failed to) (be )?pars(e|ed)\b.{0,120}\b(format|json|output|answer|response|again)\b/i,
  /\byour (last|previous|latest) (response|answer|message|output|reply) (was|is|did|does|could|failed|must|contained)\b/i,
  /^\W{0,3}(analy[sz]e|review|look at) (the|this) (tool|function|action)('s)? (result|output)\b/i,
  /^\W{0,3}(\w+ ){0,2}(planning|budget|step|loop) (nudge|warning|reminder)\b/i,
  // The label of what came back, in agents that act in plain text.
  /^\W{0,3}observation[ \t]{0,4}:/i,
  /^\W{0,3}(\w+ ){0,3}(error: )?(invalid|wrong|missing) (format|output|json|action)\b/i,
  /^\W{0,3}error in (code )?pars(e|ing)\b/i,
];

/** Whether a user message is a harness's own: it starts nothing afresh, and is no task. */
export function isFeedback(text: string): boolean {
  const head = text.slice(0, HEAD);
  return AUTOMATED.some((pattern) => pattern.test(head));
}
