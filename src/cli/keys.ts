import type { Command } from "commander";
import { randomBytes } from "node:crypto";
import { type Document, isSeq, parseDocument } from "yaml";
import { type ConfigFileText, fileText, readConfigFile } from "../config-file/config-file.ts";
import { UnloopError } from "../errors.ts";
import { sha256Hex } from "../text/keyed-hash.ts";
import { knownInstead } from "../text/nearest-name.ts";
import { changeFile } from "./change-file.ts";

/** `keys`: client keys of a configuration file, which keeps its comments. */
export function addKeyCommands(program: Command, done: (exitCode: number) => void): void {
  const keys = program.command("keys").description("Make, list and revoke the client keys of a configuration file.");
  const command = (name: string, about: string) =>
    keys.command(name).description(about).option("--config <file>", "the file; default: UNLOOP_CONFIG");
  command("create <name>", "Add a client key to the file, and print the key once.")
    .requiredOption("--tenant <tenant>", "the tenant that its sessions belong to")
    .option("--expires <time>", "a date or time from which on the key is refused")
    .option("--models <pattern...>", "models that it may ask, such as gpt-5*; default: all")
    .option("--requests-per-minute <count>", "more are refused with 429", numberIn)
    .action(async (name: string, options: KeyOptions) => done(await createKey(name, options)));
  command("list", "List the client keys: name, tenant, when they expire.").action((options: KeyOptions) =>
    done(listKeys(options)),
  );
  command("revoke <name>", "Let a client key expire now; the entry stays, so that the audit names its use.").action(
    async (name: string, options: KeyOptions) => done(await revokeKey(name, options)),
  );
}

/** What is no number stays as it is, so that the check of the file names it. */
const numberIn = (text: string) => (Number.isNaN(Number(text)) ? text : Number(text));

interface KeyOptions {
  readonly config?: string;
  readonly tenant?: string;
  readonly expires?: string;
  readonly models?: readonly string[];
  readonly requestsPerMinute?: number | string;
}

async function createKey(name: string, { config, tenant = "", ...limits }: KeyOptions): Promise<number> {
  const key = `ul-${randomBytes(32).toString("base64url")}`;
  await changeConfig(config, (document) => {
    const entry = document.createNode({ name, tenant, sha256: sha256Hex(key), ...limits });
    if (isSeq(document.get("clients"))) document.addIn(["clients"], entry);
    else document.set("clients", [entry]);
  });
  process.stdout.write(`key for the client, shown only once: ${key}\n`);
  return 0;
}

function listKeys({ config }: KeyOptions): number {
  for (const { name, tenant, expires } of checked(config, fileText(pathOf(config), "UNLOOP_CONFIG or --config"))
    .clients ?? [])
    process.stdout.write(`${name}\t${tenant}\t${expires ?? "never expires"}\n`);
  return 0;
}

async function revokeKey(name: string, { config }: KeyOptions): Promise<number> {
  await changeConfig(config, (document, { clients = [] }) => {
    const names = clients.map((client) => client.name);
    const at = names.indexOf(name);
    const others = names.length === 0 ? "it has none." : knownInstead(name, names);
    if (at === -1) throw new UnloopError("bad_setting", `${pathOf(config)} has no such client key; ${others}`);
    document.setIn(["clients", at, "expires"], new Date().toISOString());
  });
  process.stdout.write(`${name} is revoked as soon as the guard has read the file.\n`);
  return 0;
}

type ChangeDocument = (document: Document, file: ConfigFileText) => void;

/** Of what others have written meanwhile nothing is lost. */
async function changeConfig(config: string | undefined, change: ChangeDocument): Promise<void> {
  await changeFile(pathOf(config), (text) => {
    const document = parseDocument(text);
    change(document, checked(config, text));
    checked(config, String(document));
    return String(document);
  });
}

/** @throws UnloopError `bad_setting` for a text that the guard would refuse: it is not written */
const checked = (config: string | undefined, text: string) => readConfigFile(text, pathOf(config)).text;

function pathOf(config = process.env.UNLOOP_CONFIG): string {
  if (!config) throw new UnloopError("bad_setting", "Name a configuration file with --config, or set UNLOOP_CONFIG.");
  return config;
}
