import { parseArgs } from "node:util";
import { attacks } from "./attacks/attacks.ts";
import { table } from "./overhead/markdown.ts";

/**
 * Everything that a hostile client, page or neighbour has been seen to try against the guard, and what becomes of it.
 * `--only <part of a name>`, `--dist <another build>`.
 */
const { values } = parseArgs({
  options: { only: { type: "string", default: "" }, dist: { type: "string", default: "dist" } },
});

const rows: (readonly string[])[] = [];
for (const { name, run } of attacks.filter((attack) => attack.name.includes(values.only))) {
  process.stderr.write(`${name} …\n`);
  for (const [what, came] of await run(values.dist).catch((error: unknown) => [["failed", String(error)]] as const)) {
    rows.push([name, what, came]);
    process.stderr.write(`   ${what}: ${came}\n`);
  }
}
console.log(table(["finding", "what is sent", "what comes of it"], rows));
process.exit();
