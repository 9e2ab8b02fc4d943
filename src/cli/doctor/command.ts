import type { Command } from "commander";
import { UnloopError } from "../../errors.ts";
import { guardUrl } from "../guard-health.ts";
import { agents } from "../wrap/agents.ts";
import { doctor, type NamedDiagnosis } from "./doctor.ts";

interface Options {
  readonly guard?: string;
  readonly format: string;
  readonly json?: true;
}

/** `unloop doctor`: exit code 0 if nothing failed, 1 if anything did. */
export function addDoctorCommand(program: Command, done: (exitCode: number) => void): void {
  program
    .command("doctor")
    .description("Find out why an agent's requests are not guarded: each fault with its cure.")
    .argument("[agent]", `check one of ${agents.map(({ name }) => name).join(", ")}; default: those installed`)
    .option("--guard <url>", "the guard to look at (default: where the settings say that it listens)")
    .option("--format <format>", "text or json (one object a line)", "text")
    .option("--json", "the same as --format json")
    .action(async (agent: string | undefined, { guard, json, format: named }: Options) => {
      const format = json ? "json" : named;
      if (format !== "text" && format !== "json")
        throw new UnloopError("bad_setting", `--format must be text or json, not ${JSON.stringify(format)}.`);
      const url = guard === undefined ? undefined : guardUrl(guard);
      let failures = 0;
      for await (const diagnosis of doctor({ agent, guard: url, env: process.env })) {
        if (diagnosis.status === "failed") failures += 1;
        process.stdout.write(format === "json" ? `${JSON.stringify(diagnosis)}\n` : lineFor(diagnosis));
      }
      done(failures === 0 ? 0 : 1);
    });
}

const MARKS = { ok: "ok     ", warning: "warning", failed: "FAILED ", skipped: "-      " } as const;

function lineFor({ status, check, says, cure }: NamedDiagnosis): string {
  const line = `${MARKS[status]}  ${check}: ${says}\n`;
  return cure === undefined ? line : `${line}         ${cure}\n`;
}
