import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { builtCli } from "../../support/processes/built-cli.ts";
import { newFolder } from "../../support/servers/of-test.ts";
import { environment } from "./programs.ts";
import { sources, wheel } from "./wheel.ts";

const run = promisify(execFile);
const MINUTES = 5 * 60_000;

describe("the Python package", () => {
  it.each([
    { name: "formatted", command: "ruff", args: ["format", "--check", "."] },
    { name: "without findings of the linter", command: "ruff", args: ["check", "."] },
    { name: "typed, strictly", command: "mypy", args: [] },
    { name: "what its own tests say", command: "pytest", args: ["--quiet", "-p", "no:cacheprovider"] },
  ])(
    "is $name",
    async ({ command, args }) => {
      const env = { ...process.env, GUARD_COMMAND: `node ${builtCli}` };
      const { stdout } = await run(join(environment, command), args, { cwd: sources, env }).catch((error) => error);
      expect(stdout).toMatch(/already formatted|All checks passed|no issues found|^[.\s\d%[\]]+\d+ passed/);
    },
    MINUTES,
  );

  it(
    "is built as a release builds it, and as PyPI takes it",
    async () => {
      const folder = newFolder();
      const python = (...args: readonly string[]) => run(join(environment, "python"), ["-m", ...args]);
      await python("build", "--no-isolation", "--outdir", folder, sources);
      const files = readdirSync(folder).map((name) => join(folder, name));
      expect(files).toHaveLength(2);
      const { stdout } = await python("twine", "--no-color", "check", "--strict", ...files);
      expect(stdout.match(/PASSED/g)).toHaveLength(2);
    },
    MINUTES,
  );

  it(
    "starts a guard and asks it, installed alone in an empty folder",
    async () => {
      const cwd = newFolder();
      await run("python3", ["-m", "venv", "clean"], { cwd });
      const python = join(cwd, "clean", "bin", "python");
      await run(python, ["-m", "pip", "install", "--quiet", "--no-input", wheel()], { cwd });
      const { stdout } = await run(python, ["-c", firstCall], { cwd });
      expect(stdout.trim()).toBe("nudge");
    },
    MINUTES,
  );
});

const firstCall = `
import unloop
call = {"id": "c", "type": "function", "function": {"name": "read", "arguments": "{}"}}
step = [{"role": "assistant", "tool_calls": [call]}, {"role": "tool", "tool_call_id": "c", "content": "no results"}]
with unloop.start(["node", ${JSON.stringify(builtCli)}]) as guard:
    print(guard.decide({"model": "m", "messages": [{"role": "user", "content": "Find it."}, *step * 3]}).verdict)
`;
