import { chatCompletions } from "./chat-completions/chat-completions.ts";
import type { Protocol } from "./protocol.ts";

export { chatCompletions } from "./chat-completions/chat-completions.ts";
export { offersDone } from "./dialects/dialects.ts";
export type {
  Answer,
  AnswerFold,
  AnswerFormat,
  ParsedRequest,
  Begun,
  Edit,
  FinalAnswer,
  Listener,
  OfferedTool,
  StreamSegment,
  SplitStream,
  Protocol,
  Reply,
  RequestTail,
  Stamp,
  Usage,
} from "./protocol.ts";

const endpoints: readonly { readonly path: RegExp; readonly protocol: Protocol }[] = [
  { path: /(^|\/)chat\/completions$/, protocol: chatCompletions },
];

/** The wire format spoken at an endpoint; undefined for all that is not guarded. `path` has no query. */
export function protocolFor(method: string, path: string): Protocol | undefined {
  if (method !== "POST") return undefined;
  return endpoints.find((endpoint) => endpoint.path.test(path))?.protocol;
}

/** In whose shape errors are told where no wire format is known. */
export const fallbackProtocol: Protocol = chatCompletions;
