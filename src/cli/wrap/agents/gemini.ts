import { type Agent, envFiles, GEMINI, ledThrough, valueIn, VERTEX } from "../agent.ts";

/** Gemini CLI with a key. Variables of its environment go before those of the one file that it reads. A login leads elsewhere. */
export const gemini: Agent = {
  name: "gemini",
  title: "Gemini CLI",
  command: "gemini",
  wire(surroundings, through) {
    const { env } = surroundings;
    const [file = ""] = envFiles(surroundings, ".gemini");
    const led = (name: string, usual: string) => [name, ledThrough(through, env[name] || valueIn(file, name) || usual)];
    const environment = [led("GOOGLE_GEMINI_BASE_URL", GEMINI), led("GOOGLE_VERTEX_BASE_URL", VERTEX)];
    return { environment: Object.fromEntries(environment), args: [], copies: [] };
  },
};
