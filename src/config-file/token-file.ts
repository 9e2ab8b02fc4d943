import { SHORTEST_SECRET } from "../config/config.ts";
import type { ConfiguredToken } from "./configured.ts";
import type { FileProblem } from "./read.ts";

export type ReadTokens =
  | { readonly tokens: readonly ConfiguredToken[] }
  | { readonly problems: readonly FileProblem[] };

const FORM = "A line is a token, or a role (metrics, read or operate), a name and a token";
/** More than anybody hands out, and less than what would hold up a process. In lines. */
const MAX_LINES = 1_000;

/**
 * Reads a file of admin tokens, as secrets are mounted: a token by itself, which may do everything, or lines of role, name
 * and token. No sentence repeats what stands in a line.
 */
export function readTokenFile(text: string, sha256: (text: string) => string): ReadTokens {
  const lines = text.split("\n", MAX_LINES + 1);
  const tokens: ConfiguredToken[] = [];
  const problems: FileProblem[] = [];
  for (const [i, line] of lines.entries()) {
    const words = line.trim().split(/\s+/);
    if (words[0] === "" || words[0]?.startsWith("#")) continue;
    const [role, name, token] = words.length === 1 ? ["operate", "admin", words[0]] : words;
    const message = problemOf({ words, role, name, token }, tokens);
    if (message !== undefined) problems.push({ line: i + 1, column: 1, message });
    else
      tokens.push({
        name: name ?? "",
        role: role as ConfiguredToken["role"],
        tenant: undefined,
        sha256: sha256(token ?? ""),
      });
  }
  if (lines.length > MAX_LINES) problems.push({ line: MAX_LINES, column: 1, message: "The file is too long." });
  if (tokens.length === 0 && problems.length === 0)
    problems.push({ line: 1, column: 1, message: `There is no token. ${FORM}.` });
  return problems.length > 0 ? { problems } : { tokens };
}

interface TokenLine {
  readonly words: readonly string[];
  readonly role: string | undefined;
  readonly name: string | undefined;
  readonly token: string | undefined;
}

function problemOf(
  { words, role = "", name = "", token = "" }: TokenLine,
  earlier: readonly ConfiguredToken[],
): string | undefined {
  if (words.length !== 1 && words.length !== 3) return `${FORM}; this has ${words.length} words.`;
  if (!/^(?:metrics|read|operate)$/.test(role)) return "The role must be metrics, read or operate.";
  if (!/^[\w.-]{1,64}$/.test(name)) return "The name must be 1 to 64 letters, digits or any of _ . -";
  if (token.length < SHORTEST_SECRET)
    return `The token must have at least ${SHORTEST_SECRET} characters, not ${token.length}; \`openssl rand -hex 32\` makes a good one.`;
  if (earlier.some((one) => one.name === name)) return "There is a token of this name before; names tell them apart.";
  return undefined;
}
