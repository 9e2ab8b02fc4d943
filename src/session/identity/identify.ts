import { memoizeByRef, stepKey, withoutStamps } from "../../engine/engine.ts";
import type { Sign } from "../../text/sign.ts";
import type { Conversation, Step } from "../../step.ts";
import { cutText } from "../../text/text-span.ts";
import { partsOf, type SessionKey, sessionKey, type ThreadKey } from "../../store/store.ts";
import {
  agentSources,
  type RequestMetadata,
  sessionLabel,
  sessionSources,
  sharedSources,
  type Source,
  takesPart,
  userSources,
  placesIn,
} from "./sources.ts";

export interface Identity {
  readonly session: string;
  /** Label of the session in stores and logs: a client's own id may be a secret. */
  readonly label: string;
  /** Source of the session id: `header:<name>`, `url:<form>`, `body:<path>` or `derived`. */
  readonly source: string;
  /** Whether the client names the session in each request. Otherwise the id is derived from the run's beginning, until the history is shortened. */
  readonly isGiven: boolean;
  /** The session within its tenant: budgets are counted under it. */
  readonly key: SessionKey;
  /** One lineage of messages within the session. */
  readonly thread: ThreadKey;
  /** Set if the request refers to an answer of the run by its id, which only that run knows. */
  readonly isProven?: true;
  /** Whether no other run has this name: the client gave it, or the first step has ids that no other run has. */
  readonly isCertain: boolean;
  /** Signature of the credential; nothing of one tenant is reached from another. */
  readonly tenant: string;
  /** Signature of task and user, which many runs may share; only where the request tells a last step alone, or does not tell the run's steps and nothing names it. */
  readonly beginning?: string;
}

const MAX_LENGTH = 256;
const MEANINGLESS = /^(null|none|undefined|nil|nan|false|true|0+|default|\[object object\])$/i;

/**
 * Names a request's session and thread. A client's own id is believed within its tenant only. Without one the conversation's beginning
 * tells, and of equal ones the call ids of the first answer: equal first requests are many runs. @param unique makes a first request's id its own
 */
export function identify(evidence: RequestMetadata, conversation: Conversation, sign: Sign, unique?: string): Identity {
  const { system, lead = system, opening, steps, showsState, isUntold } = conversation;
  const tenant = sign(`tenant\u0000${credentialsOf(evidence)}`);
  const explicit = firstUsable(sessionSources, evidence);
  const named = explicit ?? firstUsable(sharedSources, evidence);
  // Sub-agents differ in system text or task, so each is a thread of its own.
  const root = sign(`root\u0000${withoutStamps(lead)}\u0000${withoutStamps(opening[0] ?? "")}`);
  const users = explicit === undefined ? usersIn(evidence) : "";
  const lineage = explicit === undefined ? lineageOf(root, conversation, users, sign) : "";
  const isPart = isUntold ? explicit === undefined : showsLastCall(conversation);
  const isOpen = steps.length === 0 && !showsState && !isUntold;
  const derived = sign(`derived\u0000${tenant}\u0000${lineage}`);
  const session = named?.id ?? (isOpen && unique ? sign(`run\u0000${derived}\u0000${unique}`) : derived);
  const kind = explicit === undefined ? "derived" : "given";
  const key = sessionKey(
    sign(`session\u0000${tenant}\u0000${kind}\u0000${lineage}\u0000${named?.id ?? derived}`),
    tenant,
  );
  // Each place keeps its position: equal values from different places are not the same.
  const agent = agentSources.map(({ read }) => usable(read(evidence)) ?? "").join("\u0000");
  const thread = sign(`thread\u0000${agent}\u0000${root}`);
  return {
    session,
    label: named === undefined ? session : sessionLabel(session, sign, evidence.sessionNames),
    source: named?.source ?? "derived",
    isGiven: explicit !== undefined,
    key,
    thread: `${key}.${thread}` as ThreadKey,
    isCertain: explicit !== undefined || (steps[0] !== undefined && randomIds(steps[0]) !== undefined),
    tenant,
    ...(isPart && { beginning: sign(`beginning\u0000${root}\u0000${users}`) }),
  };
}

/** Signature of all that a request says about its run beside its body. */
export function metadataHash(metadata: Omit<RequestMetadata, "field">, sign: Sign): string {
  const { header, headerNames, pathSession, query } = metadata;
  const facts = [credentialsOf(metadata)];
  for (const name of headerNames) if (takesPart(name)) facts.push(name, header(name) ?? "");
  return sign(`print\u0000${pathSession ?? ""}\u0000${query("session_id") ?? ""}\u0000${facts.join("\u0000")}`);
}

/** The request tells one step, whose ids may be those of other runs' calls. */
export function showsLastCall({ steps }: Pick<Conversation, "steps">): boolean {
  const [step] = steps;
  return steps.length === 1 && step !== undefined && step.calls.length > 0 && randomIds(step) === undefined;
}

function firstUsable(sources: readonly Source[], evidence: RequestMetadata) {
  for (const { name, read } of sources) {
    const id = usable(read(evidence));
    if (id !== undefined) return { id, source: name };
  }
  return undefined;
}

/** Id from a header or field; undefined for values that name nothing, such as `null`. */
function usable(value: unknown): string | undefined {
  if (typeof value !== "string" && !Number.isSafeInteger(value)) return undefined;
  const id = String(value).trim();
  if (id === "" || id.length > MAX_LENGTH || MEANINGLESS.test(id)) return undefined;
  return /^[\x20-\x7e]+$/.test(id) ? id : undefined;
}

function lineageOf(root: string, { steps: [first] }: Conversation, users: string, sign: Sign): string {
  const calls = first?.calls.slice(0, 1) ?? [];
  // Some requests tell of a call its id alone, so that an id which no other run has is enough.
  const ids = randomIds({ calls });
  const key =
    ids === undefined ? first && stepKey({ calls, text: first.text, heard: [] }, sign) : sign(`key\u0000${ids}`);
  return sign(`lineage\u0000${root}\u0000${users}\u0000${key ?? ""}`);
}

/** An application's users share its key; what they begin alike are runs of their own. Any text tells one from another, however long. */
function usersIn(evidence: RequestMetadata): string {
  const values = userSources.map(({ read }) => read(evidence));
  const isName = (value: unknown) => typeof value === "string" || typeof value === "number";
  return values.map((value) => (isName(value) ? cutText(String(value)) : "")).join("\u0000");
}

/** No other run has a call of this id. `call_1`, `functions.read:7`, `get_page_step3` may be ids in several at once. */
export function isRandomId(id: string): boolean {
  // A number is a counter where it stands alone or behind a word; behind letters and digits it belongs to them.
  const stem = id.replace(/(?<![0-9a-z])[a-z]*\d{1,7}$/i, "");
  return stem.length >= 12 && /\d.*\d/.test(stem);
}

/** The ids of a step's calls as one text; undefined where they do not tell it from all other steps. */
export function randomIds({ calls }: Pick<Step, "calls">): string | undefined {
  const ids = calls.map(({ id }) => id ?? "");
  return ids.length > 0 && ids.every(isRandomId) ? ids.join("\u0000") : undefined;
}

/** A run that has no name but what its requests go on from: the id of its first answer. */
export function runOfAnswer(identity: Identity, answerId: string, sign: Sign): Identity {
  const { tenant, thread } = identity;
  const key = sessionKey(sign(`session\u0000${tenant}\u0000answer\u0000${answerId}`), tenant);
  return { ...identity, key, thread: `${key}.${partsOf(thread).thread}` as ThreadKey };
}

/** An upstream may be a gateway: its virtual keys tell tenants apart too, and so do an account's organisation and project. */
const HEADERS = placesIn(`
  authorization proxy-authorization x-api-key api-key x-goog-api-key x-goog-user-project ocp-apim-subscription-key x-auth-token
  x-forwarded-access-token x-amz-security-token openai-organization openai-project x-forwarded-user x-auth-request-user
  x-litellm-api-key x-portkey-api-key x-portkey-virtual-key x-bf-vk helicone-auth cf-aig-authorization`);

const PARAMETERS = placesIn("key api-key api_key apikey access_token token subscription-key");

/** Cookies that load balancers and bot filters set anew in mid-run: they do not tell clients apart. */
const PASSING = /^(__cf_bm|_cfuvid|cf_clearance|__cflb|AWSALB\w*|ARRAffinity\w*|incap_ses_\w*|visid_incap_\w*|GCLB)$/;

/** Credentials that tell callers apart, as one text. Cookies count only if there is nothing else. */
export const credentialsOf = memoizeByRef((metadata: Omit<RequestMetadata, "field">): string => {
  const { header, query, tenantHeader, tenant } = metadata;
  // The operator's own name for it: its keys may change.
  if (tenant !== undefined) return `named\u0000${tenant}`;
  const named = tenantHeader === undefined ? "" : (header(tenantHeader) ?? "");
  const credentials = [...HEADERS.map(header), ...PARAMETERS.map(query)].map((value) => value ?? "");
  const cookies = credentials.some((value) => value !== "") ? "" : lastingCookies(header("cookie") ?? "");
  return `${named}\u0000${credentials.join("\u0000")}\u0000${cookies}`;
});

function lastingCookies(text: string): string {
  const cookies = text.split(";").map((one) => one.trim());
  return cookies.filter((one) => !PASSING.test(one.split("=", 1)[0] ?? "")).join(";");
}
