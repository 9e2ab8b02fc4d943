import { configure } from "../../src/config-file/configured.ts";
import { readConfigFile } from "../../src/config-file/read.ts";
import { UnloopError } from "../../src/errors.ts";

export function mistakesOf(text: string): readonly string[] {
  try {
    configure(readConfigFile(text, ""), { mode: "enforce", policy: "default" }, { env: {}, readFile: () => undefined });
    return [];
  } catch (error) {
    if (!(error instanceof UnloopError)) throw error;
    return error.message.split("\n").map((line) => line.replace(/^:/, ""));
  }
}
