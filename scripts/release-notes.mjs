// Prints what the changelog says of a tagged version; fails where the tag, the packages' version and the changelog disagree.
//   node scripts/release-notes.mjs v0.2.0
import { readFileSync } from "node:fs";

const [tag = ""] = process.argv.slice(2);
const version = tag.replace(/^v/, "");
const packaged = JSON.parse(readFileSync("package.json", "utf8")).version;
const sections = readFileSync("CHANGELOG.md", "utf8").split(/^## /m).slice(1);
const notes = sections.find((section) => section.startsWith(`${version} - `))?.replace(/^.*\n/, "");

if (tag !== `v${packaged}`)
  stop(`The tag is ${tag || "missing"}, and package.json says ${packaged}: tag v${packaged}.`);
if (!notes?.trim())
  stop(`CHANGELOG.md has no section "## ${version} - <date>": make the release with npm run release.`);
console.log(notes.trim());

function stop(line) {
  console.error(line);
  process.exit(1);
}
