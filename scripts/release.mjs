// Makes a release of what is on main: version, changelog, commit, tag. Pushing is left to a person; it publishes.
//   npm run release -- minor --dry-run      shows what would be done, and what stands in its way
//   npm run release -- 0.2.0                runs every check first; --skip-checks leaves them out
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";

const UNRELEASED = "## Unreleased";
const USAGE = "usage: npm run release -- <major|minor|patch|x.y.z> [--dry-run] [--skip-checks]";

/** Where else the version stands, behind what. */
const TOLD_IN = {
  "deploy/helm/unloop/Chart.yaml": /^((?:version|appVersion): "?)\d+\.\d+\.\d+/gm,
  "deploy/kubernetes.yaml": /(image: unloop:)\d+\.\d+\.\d+/g,
};

const git = (...args) => execFileSync("git", args, { encoding: "utf8" }).trim();
const today = () => new Date().toISOString().slice(0, 10);

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { "dry-run": { type: "boolean" }, "skip-checks": { type: "boolean" } },
});
const current = JSON.parse(readFileSync("package.json", "utf8")).version;
const next = nextVersion(current, positionals[0]);
if (next === undefined || positionals.length > 1) stop([USAGE], 2);

const changelog = readFileSync("CHANGELOG.md", "utf8");
const notes = notesOf(changelog);
const problems = obstacles();
if (values["dry-run"]) {
  console.log(`version ${current} -> ${next}, tag v${next}, changelog of ${today()}:\n\n${notes || "(empty)"}\n`);
  if (problems.length > 0) stop(problems, 1);
  console.log("Nothing stands in its way. Nothing was changed.");
} else {
  if (problems.length > 0) stop(problems, 1);
  if (!values["skip-checks"])
    for (const checks of [".ci/run", ".ci/full"]) execFileSync("bash", [checks], { stdio: "inherit" });
  release();
}

function release() {
  execFileSync("npm", ["version", next, "--no-git-tag-version", "--allow-same-version", "--ignore-scripts"]);
  writeFileSync("CHANGELOG.md", changelog.replace(UNRELEASED, `${UNRELEASED}\n\n## ${next} - ${today()}`));
  for (const [file, pattern] of Object.entries(TOLD_IN))
    writeFileSync(file, readFileSync(file, "utf8").replaceAll(pattern, `$1${next}`));
  git("add", "package.json", "package-lock.json", "CHANGELOG.md", ...Object.keys(TOLD_IN));
  git("commit", "--quiet", "--message", `Release ${next}`, "--message", "See CHANGELOG.md.");
  git("tag", "--annotate", `v${next}`, "--cleanup=verbatim", "--message", `Unloop ${next}\n\n${notes}`);
  console.log(
    `Tagged v${next}. Then: git push --follow-tags; .github/workflows/release.yml publishes package, wheel, image and chart.`,
  );
}

/** A word raises the present version; a version is taken as it is. Undefined: neither. */
function nextVersion(version, wanted = "") {
  const [major, minor, patch] = version.split(".").map(Number);
  const raised = {
    major: `${major + 1}.0.0`,
    minor: `${major}.${minor + 1}.0`,
    patch: `${major}.${minor}.${patch + 1}`,
  };
  return raised[wanted] ?? (/^\d+\.\d+\.\d+$/.test(wanted) ? wanted : undefined);
}

/** What stands under the heading of the unreleased changes. */
function notesOf(text) {
  const [, section = ""] = text.split(`${UNRELEASED}\n`);
  return section.split(/^## /m, 1)[0].trim();
}

/** All of them at once: each costs the person who releases another try. */
function obstacles() {
  const found = [];
  const branch = git("rev-parse", "--abbrev-ref", "HEAD");
  if (branch !== "main") found.push(`The branch is ${branch}; releases are made on main.`);
  if (git("status", "--porcelain") !== "") found.push("There are changes that are not committed.");
  if (git("tag", "--list", `v${next}`) !== "") found.push(`v${next} is tagged already.`);
  const newest = git("tag", "--list", "v*", "--sort=-version:refname").split("\n")[0];
  if (newest && !isAbove(next, newest.slice(1))) found.push(`${next} is not above ${newest}.`);
  if (!/^- /m.test(notes)) found.push(`CHANGELOG.md says nothing under "${UNRELEASED}".`);
  return found;
}

function isAbove(version, other) {
  const [a, b] = [version, other].map((one) => one.split(".").map(Number));
  const first = a.findIndex((number, i) => number !== b[i]);
  return first >= 0 && a[first] > b[first];
}

function stop(lines, code) {
  for (const line of lines) console.error(line);
  process.exit(code);
}
