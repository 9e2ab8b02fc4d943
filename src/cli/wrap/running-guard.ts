import { withoutEndSlashes } from "../../text/without-end-slashes.ts";
import { UnloopError } from "../../errors.ts";
import { isGuard } from "../guard-health.ts";
import { guardUrl } from "../guard-url.ts";
import { ANTHROPIC, GEMINI, OLLAMA, OPENAI, type Through, VERTEX } from "./agent.ts";

/** The origins to which a guard leads without any prefix: by wire format or path, or to its one upstream. */
const ROUTED = [OPENAI, ANTHROPIC, GEMINI, VERTEX, OLLAMA].map((url) => new URL(url).origin);

/** Leads through a guard that runs already. @throws UnloopError `bad_setting` where it is no URL, or none answers there */
export async function throughRunning(guard: string): Promise<Through> {
  const { origin } = new URL(guardUrl(guard));
  if (!(await isGuard(origin, 2_000))) {
    throw new UnloopError(
      "bad_setting",
      `No guard answers at ${guard}. Start one with \`unloop serve\`, or omit --guard.`,
    );
  }
  return (baseUrl) => {
    const { origin: upstream, pathname } = new URL(baseUrl);
    if (ROUTED.includes(upstream)) return origin + withoutEndSlashes(pathname);
    throw new UnloopError(
      "bad_setting",
      `The agent uses ${baseUrl}, but the running guard's routes are unknown here. Omit --guard, or set the agent's base URL by hand.`,
    );
  };
}
