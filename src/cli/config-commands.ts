import type { Command } from "commander";
import { randomBytes } from "node:crypto";
import { parse, stringify } from "yaml";
import { agentName } from "../agents/agents.ts";
import type { RequestFacts } from "../config/config.ts";
import { edgeConfiguration, loadSettings, readConfigFile, fileText } from "../config-file/config-file.ts";
import { UnloopError } from "../errors.ts";
import { sha256Hex } from "../text/keyed-hash.ts";
import { knownInstead } from "../text/nearest-name.ts";

/** Stands for the secrets of a Worker, which only the platform has. */
const NOT_LOOKED_FOR = "a secret of the Worker";

const MISTAKES = 1;

export function addConfigCommands(program: Command, done: (exitCode: number) => void): void {
  program
    .command("check-config")
    .description("Check a configuration file: print every mistake with its place and cure.")
    .argument("[file]", "YAML or JSON; default: UNLOOP_CONFIG")
    .option("--worker", "check it for a Worker, and print the JSON that UNLOOP_CONFIG is there")
    .option("--schema", "print the JSON Schema of configuration files instead")
    .action(async (file: string | undefined, { schema, worker = false }: { schema?: boolean; worker?: boolean }) =>
      done(schema ? await printSchema() : checkConfig(file, worker)),
    );
  program
    .command("explain")
    .description("Explain which policy and mode a request would get from a configuration file.")
    .option("--config <file>", "the file; default: UNLOOP_CONFIG")
    .option("--path <path>", "path of the request", "/v1/chat/completions")
    .option("--model <model>", "model in the request", "")
    .option("--client <name>", "name of its client key")
    .option("--header <name: value...>", "headers of the request", [])
    .action((options: AskedRequest) => done(explainRequest(options)));
  program
    .command("keys")
    .description("Make client keys for a configuration file.")
    .command("create <name>")
    .description("Print a new client key, which is shown only once, with its entry for the file.")
    .requiredOption("--tenant <tenant>", "the tenant that its sessions belong to")
    .action((name: string, { tenant }: { tenant: string }) => done(createKey(name, tenant)));
}

function createKey(name: string, tenant: string): number {
  const key = `ul-${randomBytes(32).toString("base64url")}`;
  const entry = stringify({ name, tenant, sha256: sha256Hex(key) }, { collectionStyle: "flow", lineWidth: 0 });
  process.stdout.write(`key, shown only once: ${key}\nentry for clients: ${entry}`);
  return 0;
}

function checkConfig(path: string | undefined, forWorker: boolean): number {
  const file = path ?? process.env.UNLOOP_CONFIG;
  if (!file) throw new UnloopError("bad_setting", "Name the file to check, or set UNLOOP_CONFIG.");
  const text = fileText(file, path === undefined ? "UNLOOP_CONFIG" : "the path");
  const problems = problemsIn(file, text, forWorker);
  const count = problems.length === 1 ? "1 mistake" : `${problems.length} mistakes`;
  const result = forWorker ? JSON.stringify(parse(text)) : `${file} is valid.`;
  process.stdout.write(`${problems.length > 0 ? [...problems, count].join("\n") : result}\n`);
  return problems.length === 0 ? 0 : MISTAKES;
}

/** Also what only shows when it is put to use, such as a secret that is not there. */
function problemsIn(file: string, text: string, forWorker: boolean): readonly string[] {
  try {
    if (!forWorker) loadSettings({ env: process.env, flags: { config: file }, text });
    else {
      readConfigFile(text, file);
      edgeConfiguration({ UNLOOP_CONFIG: parse(text), UNLOOP_SECRET: NOT_LOOKED_FOR }, undefined, () => NOT_LOOKED_FOR);
    }
    return [];
  } catch (error) {
    if (!(error instanceof UnloopError)) throw error;
    return error.message.split("\n");
  }
}

async function printSchema(): Promise<number> {
  // Only here: it takes longer to load than a file to be checked.
  const { readPageFile } = await import("../node.ts");
  process.stdout.write(readPageFile("config.schema.json"));
  return 0;
}

interface AskedRequest {
  readonly config?: string;
  readonly path: string;
  readonly model: string;
  readonly client?: string;
  readonly header: readonly string[];
}

function explainRequest({ config, path, model, client: name, header: headerLines }: AskedRequest): number {
  const { settings, configured } = loadSettings({ env: process.env, flags: { config } });
  if (configured === undefined)
    throw new UnloopError("bad_setting", "Name a configuration file with --config, or set UNLOOP_CONFIG.");
  const client = configured.clients.find((one) => one.name === name);
  if (name !== undefined && client === undefined) {
    const names = configured.clients.map((one) => one.name);
    const meant = names.length === 0 ? "it has no clients." : knownInstead(name, names);
    throw new UnloopError("bad_setting", `--client ${JSON.stringify(name)} is not in the configuration file; ${meant}`);
  }
  const headers = new Map(headerLines.map(headerIn));
  const facts: RequestFacts = { path, header: (one) => headers.get(one), tenant: client?.tenant, client: client?.name };
  const { terms, considered } = configured.rules.explain(facts, model);
  for (const { rule, matched, because } of considered)
    process.stdout.write(`${matched ? "->" : "  "} ${rule}: ${because}\n`);
  if (terms.rule === undefined) process.stdout.write("-> no rule matches: defaults apply\n");
  const share =
    terms.rollout === undefined ? "" : `, enforced for ${terms.rollout} % of sessions, observed for the others`;
  process.stdout.write(
    `policy ${terms.policy.name}, mode ${terms.mode}${share} (agent ${agentName(facts.header) || "unknown"}; default policy ${settings.policy})\n`,
  );
  return 0;
}

function headerIn(line: string): readonly [name: string, value: string] {
  const [, name = "", value = ""] = /^([^:\s]+)\s*:\s*(.*)$/s.exec(line) ?? [];
  if (name !== "") return [name.toLowerCase(), value];
  throw new UnloopError(
    "bad_setting",
    `--header must be a name, a colon and a value, such as "x-unloop-agent: researcher", not ${JSON.stringify(line)}.`,
  );
}
