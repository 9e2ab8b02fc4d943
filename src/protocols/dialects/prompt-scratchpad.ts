import type { Step } from "../../step.ts";
import { callInFields, fieldsOf } from "./fields.ts";
import type { PromptHistory } from "./prompts.ts";
import { react } from "./react.ts";

/** The fields of a trajectory, numbered from 0 on (DSPy's ReAct). Only a prompt that asks for the next tool is a step of the run. */
export function readTrajectory(text: string): PromptHistory | undefined {
  if (!text.includes("[[ ## next_tool_name ## ]]")) return undefined;
  const fields = fieldsOf(text);
  if (fields === undefined || !fields.has("trajectory")) return undefined;
  const steps: Step[] = [];
  for (let index = 0; ; index++) {
    const call = callInFields(fields, "", `_${index}`);
    if (call === undefined) break;
    const observation = withoutRequest(fields.get(`observation_${index}`));
    const lastCall = observation === undefined ? call : { ...call, outcome: { text: observation } };
    steps.push({ calls: [lastCall], text: fields.get(`thought_${index}`) ?? "", heard: [] });
  }
  if (steps.length === 0) return undefined;
  const inputs = [...fields].filter(
    ([name]) => !/^(trajectory|completed|next_\w+|(thought|tool_name|tool_args|observation)_\d+)$/.test(name),
  );
  return { task: inputs.map(([, value]) => value).join("\n"), steps };
}

const REQUEST = "Respond with the corresponding output fields";

/** What the prompt asks for stands behind the last field. */
function withoutRequest(observation: string | undefined): string | undefined {
  const end = observation?.lastIndexOf(REQUEST) ?? -1;
  const isOwnLine = end === 0 || observation?.[end - 1] === "\n";
  return isOwnLine ? observation?.slice(0, end).trim() : observation;
}

/** Behind this a prompt's own words end and the run begins: what stands before it is the form, told by an example. */
const BEGINNING = /^[ \t]{0,8}begin\b.{0,200}$/gim;
const QUESTION = /^[ \t]{0,8}(?:question|task|input|new input|query|user'?s? (?:request|question))[ \t]{0,8}:/gim;

/** Labelled steps behind the question, in the prompt itself (LangChain's classic ReAct agents). */
export function readScratchpad(text: string): PromptHistory | undefined {
  if (!/^[ \t]{0,8}(Thought|Action)[ \t]{0,8}:/m.test(text)) return undefined;
  const begins = [...text.matchAll(BEGINNING)].at(-1);
  const from = begins === undefined ? 0 : begins.index + begins[0].length;
  const rest = text.slice(from);
  const questions = [...rest.matchAll(QUESTION)];
  // Without a beginning only the last question's steps are the run's.
  const question = begins === undefined ? questions.at(-1) : questions[0];
  if (question === undefined) return undefined;
  const section = rest.slice(question.index + question[0].length);
  const scratchpad = /^[ \t]{0,8}(?:Thought|Action)[ \t]{0,8}:/m.exec(section);
  if (scratchpad === null) return undefined;
  const actions = react.read(section.slice(scratchpad.index), "history");
  if (actions === undefined) return undefined;
  return {
    task: section.slice(0, scratchpad.index).trim(),
    steps: actions.map((action) => ({ ...action, heard: [] })),
    instructions: text.slice(0, from + question.index).trim(),
  };
}
