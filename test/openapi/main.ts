import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { looping } from "../support/agents/scripts.ts";
import { wireAgent } from "../support/agents/wire-agent.ts";
import { startGuard } from "../support/servers/guarded.ts";
import { scriptedUpstream, type Upstream } from "../support/servers/upstream.ts";
import { chatCompletionsWire } from "../support/wires/chat-completions.ts";

/**
 * Schemathesis against a running guard and its published document: `npm run test:openapi [-- OPTION…]`, with options of `st run` behind the
 * dashes. `bash test/python/install.sh .python openapi` makes its environment.
 */
const root = join(import.meta.dirname, "../..");
const st = join(process.env.UNLOOP_PYTHON_ENVIRONMENTS ?? join(root, ".python"), "openapi/bin/st");
const token = "t".repeat(20);

/** @param session an id that there is, so that more than refusals is tested */
const configuration = (session: string) => `
[parameters]
"path.id" = ${JSON.stringify(session)}

# TRACE is refused before anything of it is read: its answer would send credentials back.
[phases.coverage]
unexpected-methods = ["get", "put", "post", "delete", "options", "patch", "query"]

# Their bodies hold a policy, or a request and an answer of another API, whose forms are not in the document.
[[operations]]
include-operation-id = ["dryRun", "decide"]
checks.positive_data_acceptance.expected-statuses = ["2xx", 400, 403, 404]
`;

async function playLoop(url: string, upstream: Upstream): Promise<string> {
  await wireAgent(chatCompletionsWire, { url, upstream, fields: { "x-unloop-session": "s" } }).turns(8);
  const listed = await fetch(`${url}/unloop/api/sessions`, { headers: { authorization: `Bearer ${token}` } });
  const { sessions } = (await listed.json()) as { sessions: [{ id: string }] };
  return sessions[0].id;
}

if (!existsSync(st)) throw new Error("Schemathesis is not there: bash test/python/install.sh .python openapi");
const folder = mkdtempSync(join(tmpdir(), "unloop-openapi-"));
const upstream = await scriptedUpstream(looping("nothing"));
const guard = await startGuard({ upstream: upstream.url, env: { UNLOOP_ADMIN_TOKEN: token } });
try {
  const file = join(folder, "schemathesis.toml");
  writeFileSync(file, configuration(await playLoop(guard.url, upstream)));
  const options = [
    ...["--url", `${guard.adminUrl}/unloop/api`, "--header", `Authorization: Bearer ${token}`],
    ...["--continue-on-failure", "--request-timeout", "10", "--generation-database", "none"],
    ...process.argv.slice(2),
  ];
  const run = spawn(st, ["--config-file", file, "run", join(root, "docs/openapi.json"), ...options], {
    cwd: folder,
    stdio: "inherit",
  });
  process.exitCode = await new Promise<number>((resolve) => run.on("close", (code) => resolve(code ?? 1)));
} finally {
  await guard.close();
  await upstream.close();
  rmSync(folder, { recursive: true });
}
