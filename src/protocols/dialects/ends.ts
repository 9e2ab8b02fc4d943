import type { Call } from "../../step.ts";
import type { Work } from "../../work.ts";
import type { Json, JsonObject } from "../json/json.ts";
import { arrayIn, isObject, jsonText, memberAt, nonEmpty, objectIn, jsonValue, stringIn } from "../json/json.ts";
import type { AnswerFormat, OfferedTool, ParsedRequest } from "../protocol.ts";
import { honestJson, isEndFlag, isThoughtField, referenced } from "../schema-fill/schema-fill.ts";
import type { Dialect } from "./dialect.ts";
import { bracedIn, exampleSchema, jsonActions, objectSchema } from "./json-actions.ts";

/** A tool that says that it ends the run, and has never come back. @param areVouchedFor an operator has named them */
export function endToolOf(request: ParsedRequest, names: readonly string[], areVouchedFor: boolean) {
  const { tools, toolChoice, conversation } = request;
  const { steps } = conversation;
  // A further call may be refused as the newest one was.
  const hasReturned = ({ outcome }: Call, at: number) =>
    outcome !== undefined && (at === steps.length - 1 || !REFUSED.test(outcome.text));
  const returned = new Set(
    steps.flatMap(({ calls }, at) => calls.filter((call) => hasReturned(call, at)).map(({ tool }) => tool)),
  );
  const named = names.find((name) => {
    const tool = tools.find((one) => one.name === name);
    if (returned.has(name)) return false;
    return tool === undefined ? offersAction(request, name) : areVouchedFor || isUsualEnd(tool);
  });
  const end = named ?? nextStepOf(request, toolChoice)?.names.find((name) => ENDS_STEP.test(name));
  // A server's description may claim anything: alone it is enough only where the client demands a call.
  if (end !== undefined || toolChoice === undefined) return end;
  return tools.find((tool) => !returned.has(tool.name) && SAFE_NAME.test(tool.name) && saysEnd(tool))?.name;
}

const SAFE_NAME = /^[\w.-]{1,64}$/;
/** How clients refuse arguments and answers that do not fit: the run's result is still to come. */
const REFUSED =
  /\bvalidation errors?\b|\bfailed to parse\b|\bcould not be parsed\b|\bdoes not match [\w ]{0,24}schema\b|\b(?:correct your|invalid|not valid) json\b/i;

export function isAnswerRefused({ conversation: { steps } }: ParsedRequest): boolean {
  const { calls = [], heard = [] } = steps.at(-1) ?? {};
  return [...heard, ...calls.map(({ outcome }) => outcome?.text ?? "")].some((text) => REFUSED.test(text));
}

const SAYS_END =
  /\bfinal (answer|response|output|tool)\b|\b(end|finish|conclude)(s|es)? (this|the|your) (conversation|run)\b|\bends? (this|the) task\b|\bstructured (response|output|answer)\b|^(respond with a json object|correctly extracted `)|最終(回答|応答)|最终(回答|答案|回复)|최종 (답변|응답)|endgültige antwort|(respuesta|resposta) final|réponse finale/i;
const SPEAKS_OF_END =
  /\b(answer|conversation|interaction)\b|\bfinal (report|result)\b|\b(the|this|your|current) (task|run|goal|mission)\b|^complete task\b|^\W*(all )?(done|finish(ed)?)\W*$|タスク|任务|작업|\b(aufgabe|tarea|tâche|tarefa)\b/i;
const ACTS =
  /(^|[.;,:] |\b(and|to|then|it) )(send|post|publish|e-?mail|notif|charg|pay|order|book|buy|delet|creat|writ|upload|updat|sav|deploy|ship|refund|transfer|plac)\w*(?![^.]*\bto the user\b)/i;
const NAMES_END = /answer|task|done|finish|complet|result|output/i;
const REFERENCE = /(^|[_-])ids?$|[a-z]Ids?$/;

function saysEnd({ description = "" }: OfferedTool, words: RegExp = SAYS_END): boolean {
  return words.test(description) && !ACTS.test(description.slice(0, 200));
}

function isUsualEnd(tool: OfferedTool): boolean {
  const { name, description = "", schema } = tool;
  if (arrayIn(objectIn(schema).required).some((field) => REFERENCE.test(String(field)))) return saysEnd(tool);
  if (description.trim() === "") return NAMES_END.test(name);
  return saysEnd(tool) || saysEnd(tool, SPEAKS_OF_END);
}

function offersAction({ tools, format, work }: ParsedRequest, name: string): boolean {
  if (format.kind === "dialect" && format.dialect.lastAction?.(format) === name) return true;
  const schemas = [...tools.map(({ schema }) => schema), ...(format.kind === "schema" ? [format.schema] : [])];
  const lasts = schemas.map((schema) => carrierOf(schema, name, work)?.last);
  // A step of that name counts only where the model can do nothing else.
  return lasts.some((last) => last !== undefined && last.enum === undefined);
}

export interface ActionCarrier {
  readonly path: readonly string[];
  /** That schema once only the last action is allowed; undefined where an empty list and a flag end it. */
  readonly last: JsonObject | undefined;
}

export function carrierOf(schema: Json, done: string | undefined, work: Work): ActionCarrier | undefined {
  for (const { path, action, byName } of placesIn(schema, work)) {
    const isList = path[1] !== undefined && /^actions?$/.test(path[0] ?? "");
    const last = done && (byName.get(done) ?? (isList ? byKey(schema, action, done) : undefined));
    if (last && jsonText(last) !== undefined) return { path, last };
    if (isList && endsByFlag(schema, path[0] ?? "", action)) return { path, last: undefined };
  }
  return undefined;
}

export function carriedCall(schema: Json, output: Json, work: Work): Call | undefined {
  for (const { path, byName } of placesIn(schema, work)) {
    const value = path.reduce<Json>((at, key) => (key === "items" ? arrayIn(at)[0] : objectIn(at)[key]), output);
    const [key, tool] = Object.entries(objectIn(value)).find(([, name]) => byName.has(String(name))) ?? [];
    if (key === undefined) continue;
    const { [key]: _, ...rest } = objectIn(value);
    const [only, ...more] = Object.values(rest);
    return { tool: String(tool), args: jsonText(more.length === 0 && isObject(only) ? only : rest) ?? "{}" };
  }
  return undefined;
}

export function narrowed(schema: Json, { path: [name = "", inner], last }: ActionCarrier): Json {
  const { properties, ...rest } = objectIn(schema);
  const member = memberAt(properties, [name]);
  if (last === undefined || (inner !== undefined && objectIn(member).$ref !== undefined)) return schema;
  const ending = inner === undefined ? last : { ...objectIn(member), [inner]: last };
  return { ...rest, properties: { ...objectIn(properties), [name]: ending } };
}

function placesIn(schema: Json, work: Work) {
  return Object.entries(objectIn(objectIn(schema).properties)).flatMap(([name, member]) => {
    const whole = resolved(schema, member);
    const places = [
      { path: [name], action: whole },
      { path: [name, "items"], action: resolved(schema, whole.items) },
    ];
    return places.map((place) => {
      const branches = branchesOf(place.action).map((one) => resolved(schema, one));
      const steps = stepNames(place.path.join(), place.action) ?? [];
      const named = steps.map((step): [string, JsonObject] => [step, { type: "string", enum: [step] }]);
      return { ...place, byName: byConstant(branches, work) ?? new Map(named) };
    });
  });
}

const branchesOf = ({ anyOf, oneOf }: JsonObject) => [...arrayIn(anyOf), ...arrayIn(oneOf)];

const BRANCH_WORK = 32;

function byConstant(branches: readonly JsonObject[], work: Work): ReadonlyMap<string, JsonObject> | undefined {
  const [first, second] = branches;
  for (const key of second === undefined ? [] : Object.keys(objectIn(first?.properties))) {
    const byName = new Map<string, JsonObject>();
    for (const branch of branches) {
      const { const: only, enum: values } = objectIn(memberAt(branch.properties, [key]));
      const [one, another] = arrayIn(values);
      const name = nonEmpty(only ?? (another === undefined ? one : undefined));
      if (name === undefined || byName.has(name) || !work.spend(BRANCH_WORK)) break;
      byName.set(name, branch);
    }
    if (byName.size === branches.length) return byName;
  }
  return undefined;
}

/** Of a union of single-key objects the one with this key; of an object with every action as an optional member that member alone. */
function byKey(root: Json, action: JsonObject, name: string): JsonObject | undefined {
  const branch = branchesOf(action).find((one) => memberAt(resolved(root, one).properties, [name]) !== undefined);
  const member = memberAt(action.properties, [name]);
  if (isObject(branch) || member === undefined) return isObject(branch) ? branch : undefined;
  const [only, another] = arrayIn(objectIn(member).anyOf).filter((one) => objectIn(one).type !== "null");
  return objectSchema({ [name]: another === undefined ? (only ?? member) : member }, true);
}

function endsByFlag(schema: Json, name: string, action: JsonObject): boolean {
  const { [name]: list, ...besides } = objectIn(objectIn(schema).properties);
  const hasFlag = Object.entries(besides).some(([key, one]) => isEndFlag(key) && objectIn(one).type === "boolean");
  const mayBeEmpty = !(Number(objectIn(list).minItems) > 0);
  const namesActions = isObject(memberAt(action.properties, ["action"]));
  return mayBeEmpty && namesActions && hasFlag && Object.keys(besides).every(isThoughtField);
}

const MAX_REFERENCES = 8;

function resolved(root: Json, schema: Json): JsonObject {
  let node = schema;
  for (let count = 0; count < MAX_REFERENCES && isObject(node) && node.$ref !== undefined; count += 1)
    node = referenced(root, stringIn(node.$ref) ?? "");
  return objectIn(node);
}

/** Member of a schema that names the agent's next step: `{ action: "lookup" | "final", … }`. One of the names ends the run. */
export interface NextStep {
  readonly tool: string | undefined;
  readonly key: string;
  readonly names: readonly string[];
}

const STEP_KEY = /^(?:next_?)?(?:action|step|move|tool|command|operation)(?:_?(?:name|type|kind))?$/i;
/** In a list of steps "submit" may be a form's button, and "finish_form" a step like any other. */
const ENDS_STEP =
  /^(?:attempt_completion|task_(?:done|complete)|complete_task|final(?:_?(?:answer|result|response|output))?|finish(?:ed)?|done|answer|respond|stop|complete)$/i;

/** Undefined where the client lets the model do anything else than name its next step. */
export function nextStepOf(
  { tools, format }: Pick<ParsedRequest, "tools" | "format">,
  toolChoice: ParsedRequest["toolChoice"],
): NextStep | undefined {
  if (tools.length === 0 && format.kind === "schema") return namedSteps(format.schema, undefined);
  const [tool, another] = typeof toolChoice === "object" ? tools.filter(({ name }) => name === toolChoice.tool) : tools;
  const isAlone = toolChoice !== undefined && another === undefined;
  return tool !== undefined && isAlone ? namedSteps(tool.schema, tool.name) : undefined;
}

function namedSteps(schema: Json, tool: string | undefined): NextStep | undefined {
  for (const [key, member] of Object.entries(objectIn(objectIn(schema).properties))) {
    const names = stepNames(key, resolved(schema, member));
    if (names !== undefined) return { tool, key, names };
  }
  return undefined;
}

function stepNames(key: string, member: JsonObject): readonly string[] | undefined {
  const names = STEP_KEY.test(key) ? arrayIn(member.enum).filter((name) => typeof name === "string") : [];
  return names.length > 1 && names.some((name) => ENDS_STEP.test(name)) ? names : undefined;
}

/** The call that a text is which names the next step; undefined for an end, which is an answer. */
export function calledStep({ tool, key, names }: NextStep, text: string, work: Work): Call | undefined {
  const said = jsonValue(text, work);
  const { [key]: name, ...rest } = objectIn(said);
  if (!isObject(said) || typeof name !== "string" || !names.includes(name) || ENDS_STEP.test(name)) return undefined;
  return tool === undefined ? { tool: name, args: jsonText(rest) ?? "{}" } : { tool, args: text };
}

/** What the request demands, else what its instructions ask for in words, which only an end needs to know. */
export function finalFormat({ format, conversation: { system, opening }, work }: ParsedRequest): AnswerFormat {
  if (format.kind === "schema" || format.kind === "dialect" || (format.kind === "text" && format.isAsIs)) return format;
  const instructions = [system, ...opening].join("\n");
  const forms = format.kind === "json" ? [askedJson] : [askedTag, askedJson];
  const dialect = forms.find((form) => form.recognises?.(instructions));
  if (dialect === undefined) return format;
  // An object of actions ends as its agents end.
  const read = (text: string) => jsonActions.read(text, "history", work) && text;
  const sample = dialect === askedJson ? bracedIn(instructions, /\{/, work, read).at(-1)?.object : undefined;
  const own = sample === undefined ? { dialect, sample: "" } : { dialect: jsonActions, sample };
  return { kind: "dialect", ...own, instructions, work };
}

const askedJson: Dialect = {
  name: "asked-json",
  isWhole: true,
  recognises: (instructions) => demandsJson(instructions),
  read: () => undefined,
  finishNote: () => "Your whole answer must be the JSON that you were asked for, and nothing else.",
  finalText({ text, ended, instructions, work }) {
    const given = isObject(jsonValue(text, work)) ? text.trim() : undefined;
    const shapes = given ? [] : bracedIn(instructions, /\{/, work, (braced) => shapeOf(braced, work));
    const schema = shapes.at(-1)?.object ?? objectSchema({ message: { type: "string" } });
    // None where any value of the form would state what the model has not said.
    const json = given ?? honestJson(schema, text, ended, work);
    return json !== undefined && FENCED.test(instructions) ? `\`\`\`json\n${json}\n\`\`\`` : (json ?? text);
  },
};

const askedTag: Dialect = {
  name: "asked-tag",
  isWhole: true,
  recognises: (instructions) => tagIn(instructions) !== undefined,
  read: () => undefined,
  finishNote: ({ instructions }) => `Put your whole answer between the tags named ${tagIn(instructions)}.`,
  frame({ instructions }) {
    const tag = tagIn(instructions);
    return tag === undefined ? undefined : { open: `<${tag}>`, close: `</${tag}>` };
  },
};

/** Mentions looked at; more of them are a document about the subject. */
const MAX_MENTIONS = 24;
/** What is looked at around a mention, in characters. */
const AROUND = 160;

const ASKS = /\b(respond|reply|answer|output|return|produce|provide|format(ted)?|finish|end|wrap)\b/i;
const STRICTLY =
  /\b(in|as|with|only|strictly|valid|exactly|single|following)\b[^.\n]{0,24}\bJSON\b|\bJSON\b[^.\n]{0,24}\b(only|format|matching|conform(s|ing)?|nothing else|(in|of|with) (the|this) (following )?(form|format|shape|structure|schema|fields|keys))\b/;
const JSON_SENTENCE = /JSON(?<=([^.\n]{0,160}))((?:[^.\n]|\.(?=\S)){0,160})/g;
const PUTS =
  /\b(respond|reply|answer|output|return|provide|write|give|format(ted)?|finish|end|put|wrap|place|enclose)\b/i;
const ELSEWHERE = /\b(tools?|functions?|arguments?|parameters?|inputs?|files?|api|endpoints?|requests?)\b/i;
const FENCED = /```json\b[^\n]{0,80}\b(block|fence)|\b(block|fence)[^\n]{0,80}```json\b/i;

/** Whether JSON is asked for as the answer: by the sentence around a mention, as far as it is near. */
function demandsJson(instructions: string): boolean {
  const sentences = [...instructions.matchAll(JSON_SENTENCE)].map(([, before = "", behind = ""]) => before + behind);
  return sentences
    .slice(0, MAX_MENTIONS)
    .some((sentence) => ASKS.test(sentence) && STRICTLY.test(sentence) && !ELSEWHERE.test(sentence));
}

const TAG = /<(answer|final_answer|final|final_response|response|result|final_result|output|solution)>/gi;

function tagIn(instructions: string): string | undefined {
  const mentions = [...instructions.matchAll(TAG)].slice(0, MAX_MENTIONS);
  return mentions.find(({ index, 1: name }) => {
    const isClosed = instructions.slice(index, index + 2 * AROUND).includes(`</${name}>`);
    return isClosed && PUTS.test(instructions.slice(Math.max(0, index - AROUND), index));
  })?.[1];
}

function shapeOf(text: string, work: Work): Json {
  const value = jsonValue(text, work);
  if (!isObject(value)) return looseShape(text);
  if (isObject(value.properties) && Object.values(value.properties).every(isObject))
    return { type: "object", ...value };
  return Object.keys(value).length === 0 ? undefined : exampleSchema(value);
}

/** An object as people sketch one: `{"answer": string, "sure": true or false}`. */
const MEMBER = /(?<![\w-])["']?([A-Za-z_][\w-]{0,63})["']?[ \t]{0,8}:[ \t]{0,8}([^\s,{}])([^\n,{}]{0,80})/g;

function looseShape(text: string): Json {
  if (!text.endsWith("}") || text.lastIndexOf("{") > 0) return undefined;
  const members = [...text.matchAll(MEMBER)].map(([, key = "", first = "", rest = ""]): [string, Json] => {
    const sketch = `${first}${rest}`;
    if (/^["'<]/.test(sketch)) return [key, exampleSchema(sketch.replace(/^["'<]|["'>]$/g, ""))];
    if (first === "[") return [key, { type: "array" }];
    if (/^(number|integer|int|float|-?\d)/i.test(sketch)) return [key, { type: "number" }];
    return [key, { type: /^(bool|true|false)/i.test(sketch) ? "boolean" : "string" }];
  });
  return members.length === 0 ? undefined : objectSchema(Object.fromEntries(members));
}
