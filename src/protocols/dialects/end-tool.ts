import type { OfferedTool, ParsedRequest } from "../protocol.ts";
import { arrayIn, objectIn } from "../json/json.ts";
import { offersAction } from "./action-carrier.ts";

/**
 * End tool: one that says itself that it ends the run, and has never come back with a result. Its description alone is enough
 * only where the client demands a call: elsewhere words are an end, and a server's description may claim anything.
 * @param names what such tools are called, in order of preference
 * @param areVouchedFor an operator has named them; else a tool must not say of itself that it does something else
 */
export function endToolOf(
  request: ParsedRequest,
  names: readonly string[],
  areVouchedFor: boolean,
): string | undefined {
  const { tools, toolChoice } = request;
  const returned = returnedTools(request);
  const isNamed = (name: string) => {
    const tool = tools.find((one) => one.name === name);
    if (tool === undefined) return offersAction(request, name);
    return areVouchedFor || isUsualEnd(tool);
  };
  const named = names.find((name) => !returned.has(name) && isNamed(name));
  if (named !== undefined || toolChoice === undefined) return named;
  return tools.find((tool) => !returned.has(tool.name) && SAFE_NAME.test(tool.name) && saysEnd(tool))?.name;
}

/** The note to the model has this name in it. */
const SAFE_NAME = /^[\w.-]{1,64}$/;
/** How output tools refuse arguments that do not fit: the run's result is still to come. */
const REFUSED = /\bvalidation errors?\b|\bfailed to parse structured output\b|\bdoes not match [\w ]{0,24}schema\b/i;

/** Tools that have come back with a result; where arguments were refused only if it was just now, since a further call may be, too. */
function returnedTools({ conversation: { steps } }: ParsedRequest): ReadonlySet<string> {
  return new Set(
    steps.flatMap(({ calls }, at) =>
      calls
        .filter(({ outcome }) => outcome !== undefined && (at === steps.length - 1 || !REFUSED.test(outcome.text)))
        .map(({ tool }) => tool),
    ),
  );
}

const SAYS_END =
  /\bfinal (answer|response|output|tool)\b|\b(end|finish|conclude)(s|es)? (this|the|your) (conversation|run)\b|\bends? (this|the) task\b|\bstructured (response|output|answer)\b|^(respond with a json object|correctly extracted `)|最終(回答|応答)|最终(回答|答案|回复)|최종 (답변|응답)|endgültige antwort|(respuesta|resposta) final|réponse finale/i;
const SPEAKS_OF_END =
  /\b(answer|conversation|interaction)\b|\bfinal (report|result)\b|\b(the|this|your|current) (task|run|goal|mission)\b|^complete task\b|^\W*(all )?(done|finish(ed)?)\W*$|タスク|任务|작업|\b(aufgabe|tarea|tâche|tarefa)\b/i;
const ACTS =
  /(^|[.;,:] |\b(and|to|then|it) )(send|post|publish|e-?mail|notif|charg|pay|order|book|buy|delet|creat|writ|upload|updat|sav|deploy|ship|refund|transfer|plac)\w*(?![^.]*\bto the user\b)/i;
const NAMES_END = /answer|task|done|finish|complet|result|output/i;
const REFERENCE = /(^|[_-])ids?$|[a-z]Ids?$/;

function saysEnd({ description = "" }: OfferedTool): boolean {
  return SAYS_END.test(description) && !ACTS.test(description.slice(0, 200));
}

function isUsualEnd(tool: OfferedTool): boolean {
  const { name, description = "", schema } = tool;
  if (arrayIn(objectIn(schema).required).some((field) => REFERENCE.test(String(field)))) return saysEnd(tool);
  if (description.trim() === "") return NAMES_END.test(name);
  return saysEnd(tool) || (SPEAKS_OF_END.test(description) && !ACTS.test(description.slice(0, 200)));
}
