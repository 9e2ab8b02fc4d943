import { keepInputs, keptInputs } from "./corpus.ts";
import { explore, startCoverage } from "./explore.ts";
import { targets } from "./targets.ts";

/*
 * Fuzzes every parser in turn, guided by the code that inputs reach: `npm run fuzz`, or with seconds in all and a part of a name:
 * `npm run fuzz -- 600 messages`. `--keep` writes what was found into the corpus that `npm test` reads.
 */

const words = process.argv.slice(2).filter((word) => word !== "--keep");
const keeps = process.argv.includes("--keep");
const [seconds = "60", part = ""] = words;
const chosen = targets.filter(({ name }) => name.includes(part));
const ms = (Number(seconds) * 1000) / chosen.length;
if (!(ms > 0) || chosen.length === 0) {
  console.error(
    `usage: npm run fuzz -- [seconds] [part of a name] [--keep]; the names: ${targets.map(({ name }) => name).join(", ")}`,
  );
  process.exit(2);
}

const coverage = await startCoverage();
for (const target of chosen) {
  const { inputs, blocks, kept, failure } = await explore(target, keptInputs(target.name), { ms, coverage });
  const broken = failure === undefined ? [] : [failure.input];
  if (keeps) keepInputs(target.name, [...broken, ...kept]);
  console.log(`${target.name}: ${inputs} inputs, ${blocks} blocks, ${failure === undefined ? "sound" : "FAILED"}`);
  if (failure === undefined) continue;
  console.error(JSON.stringify(failure.input), failure.error);
  process.exitCode = 1;
}
