import { spawnSync, execFileSync } from "node:child_process";
import { readdirSync, readFileSync, mkdirSync, writeFileSync } from "node:fs";
import { resolve, join } from "node:path";
import { expect, it, beforeEach, describe } from "vitest";
import { newFolder } from "../support/servers/of-test.ts";

const root = resolve(import.meta.dirname, "../..");

it("npm run bench lists every benchmark that there is, and bench/README.md has a section for each", () => {
  const { status, stdout } = spawnSync(process.execPath, ["scripts/bench.mjs"], { cwd: root, encoding: "utf8" });
  const namesIn = (text: string, name: RegExp) => [...text.matchAll(name)].map(([, one]) => one).sort();
  const names = namesIn(stdout, /^ {2}([\w-]+) +\w/gm);
  const files = readdirSync(resolve(root, "bench")).filter((file) => file.endsWith(".ts"));
  expect([status, names]).toEqual([0, files.map((file) => file.replace(".ts", "")).sort()]);
  const readme = readFileSync(resolve(root, "bench/README.md"), "utf8");
  expect(namesIn(readme, /^## `npm run bench -- ([\w-]+)`/gm)).toEqual(names);
});

const scripts = resolve(import.meta.dirname, "../../scripts");
const changelog =
  "# Changelog\n\n## Unreleased\n\n### Added\n\n- Something new.\n\n## 0.1.0 - 2026-01-01\n\n- The first.\n";

let folder: string;
const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: folder, encoding: "utf8" }).trim();
const put = (name: string, text: string) => writeFileSync(join(folder, name), text);
const get = (name: string) => readFileSync(join(folder, name), "utf8");

beforeEach(() => {
  folder = newFolder();
  const manifest = { name: "a-package", version: "0.1.0" };
  put("package.json", JSON.stringify(manifest));
  put("package-lock.json", JSON.stringify({ ...manifest, lockfileVersion: 3, packages: { "": manifest } }));
  put("CHANGELOG.md", changelog);
  mkdirSync(join(folder, "deploy/helm/unloop"), { recursive: true });
  put("deploy/helm/unloop/Chart.yaml", 'apiVersion: v2\nversion: 0.1.0\nappVersion: "0.1.0"\n');
  put("deploy/kubernetes.yaml", "          image: unloop:0.1.0\n");
  git("init", "--quiet", "--initial-branch", "main");
  git("config", "user.name", "A maintainer");
  git("config", "user.email", "maintainer@example.com");
  git("add", ".");
  git("commit", "--quiet", "--message", "Begin");
  git("tag", "v0.1.0");
});

const run = (script: string, ...args: readonly string[]) =>
  spawnSync(process.execPath, [join(scripts, script), ...args], { cwd: folder, encoding: "utf8" });
const release = (...args: readonly string[]) => run("release.mjs", ...args);

describe("the release script", () => {
  it("raises the version, dates the changelog, commits, and tags with the notes", () => {
    expect(release("minor", "--skip-checks")).toMatchObject({ status: 0 });
    expect(JSON.parse(get("package.json")).version).toBe("0.2.0");
    expect(JSON.parse(get("package-lock.json"))).toMatchObject({
      version: "0.2.0",
      packages: { "": { version: "0.2.0" } },
    });
    expect(get("CHANGELOG.md")).toMatch(
      /^## Unreleased\n\n## 0\.2\.0 - \d{4}-\d\d-\d\d\n\n### Added\n\n- Something new\.$/m,
    );
    expect(get("deploy/helm/unloop/Chart.yaml")).toBe('apiVersion: v2\nversion: 0.2.0\nappVersion: "0.2.0"\n');
    expect(get("deploy/kubernetes.yaml")).toBe("          image: unloop:0.2.0\n");
    expect(git("log", "-1", "--format=%s")).toBe("Release 0.2.0");
    expect(git("status", "--porcelain")).toBe("");
    expect(git("tag", "--list", "--format=%(contents)", "v0.2.0")).toBe(
      "Unloop 0.2.0\n\n### Added\n\n- Something new.",
    );
  });

  it.each([
    {
      name: "changes that are not committed",
      before: () => put("CHANGELOG.md", `${changelog}\n`),
      says: "not committed",
    },
    { name: "a version that is tagged", version: "0.1.0", says: "tagged already" },
    { name: "an empty changelog", before: () => emptyChangelog(), says: "says nothing" },
  ])("refuses $name, whether dry or not", ({ before, version = "0.2.0", says }) => {
    before?.();
    const head = git("rev-parse", "HEAD");
    for (const mode of ["--dry-run", "--skip-checks"]) {
      expect(release(version, mode)).toMatchObject({ status: 1, stderr: expect.stringContaining(says) });
    }
    expect(git("rev-parse", "HEAD")).toBe(head);
  });
});

it("the notes of a release are what the changelog says of the version that the release script has tagged", () => {
  release("minor", "--skip-checks");
  const stdout = "### Added\n\n- Something new.\n";
  expect(run("release-notes.mjs", "v0.2.0")).toMatchObject({ status: 0, stdout });
});

function emptyChangelog(): void {
  put("CHANGELOG.md", "# Changelog\n\n## Unreleased\n\n## 0.1.0 - 2026-01-01\n\n- The first.\n");
  git("commit", "--quiet", "--all", "--message", "Say nothing");
}
