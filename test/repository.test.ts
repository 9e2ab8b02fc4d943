import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";

const root = resolve(import.meta.dirname, "..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const below = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((file) => join(folder, file));

const pages = [...readdirSync(root), ...["docs", "bench", "examples", ".github"].flatMap(below)].filter((path) =>
  path.endsWith(".md"),
);

const anchorsOf = (text: string) =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );

const linksOf = (text: string) =>
  [
    ...text
      .replaceAll(/^```.*?^```/gms, "")
      .replaceAll(/`[^`\n]*`/g, "")
      .matchAll(/\]\(([^)\s]+)\)/g),
  ]
    .map(([, target = ""]) => target)
    .filter((target) => !/^\w+:/.test(target))
    .map((target) => target.split("#"));

describe.each(pages)("%s", (page) => {
  const text = read(page);

  it("links only to pages and headings that there are", () => {
    const broken = linksOf(text).filter(([path = "", anchor]) => {
      const target = path === "" ? page : join(dirname(page), path);
      if (!existsSync(join(root, target))) return true;
      return anchor !== undefined && !anchorsOf(read(target)).includes(anchor);
    });
    expect(broken).toEqual([]);
  });

  // A decision record says what was true when it was written.
  it("names only files of the repository that there are, unless it is a record of what was", () => {
    if (page.startsWith("docs/decisions/")) return;
    const named = [...text.matchAll(/`((?:src|test|bench|scripts|examples|docs)\/[\w/.-]+)`/g)].map(
      ([, path = ""]) => path,
    );
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it("names only scripts that package.json has", () => {
    const scripts = Object.keys(JSON.parse(read("package.json")).scripts);
    const named = [...text.matchAll(/npm run (?:--silent )?([\w:-]+)/g)].map(([, name = ""]) => name);
    expect(named.filter((name) => !scripts.includes(name))).toEqual([]);
  });
});

describe.each(["ARCHITECTURE.md", "docs/glossary.md", ...below("docs/guides")])("%s, a map", (page) => {
  const marked = [...read(page).matchAll(/`([^`\n]+)`/g)].map(([, text = ""]) => text);

  it("leads to files and folders that there are, from the top or from src/", () => {
    const paths = marked.filter((text) => /^[\w-]+(\/[\w.-]*)+$/.test(text) && !text.includes("..."));
    const missing = paths.filter((path) => !["", "src"].some((from) => existsSync(join(root, from, path))));
    expect(missing).toEqual([]);
  });
});

describe("the workflow", () => {
  const { jobs, permissions } = parse(read(".github/workflows/ci.yml"));
  const steps: readonly { readonly run?: string; readonly with?: Readonly<Record<string, string>> }[] =
    jobs.check.steps;

  it("runs what every machine runs, on the Node that contributors use, and may only read", () => {
    expect(steps.flatMap(({ run }) => run ?? [])).toEqual(["bash .ci/run"]);
    expect(steps.map((step) => step.with?.["node-version-file"])).toContain(".nvmrc");
    expect(permissions).toEqual({ contents: "read" });
  });
});

describe.each(below(".github/workflows"))("the workflow %s", (file) => {
  it("takes each action from one commit, and says of which version", () => {
    const used = [...read(file).matchAll(/\buses: (.+)/g)].map(([, action]) => action);
    expect(used.filter((action = "") => !/^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual([]);
  });
});

describe("what the package depends on at runtime", () => {
  interface Locked {
    readonly license?: string;
    readonly integrity?: string;
    readonly hasInstallScript?: boolean;
    readonly dev?: boolean;
    readonly devOptional?: boolean;
    readonly peer?: boolean;
  }
  const { packages }: { readonly packages: Readonly<Record<string, Locked>> } = JSON.parse(read("package-lock.json"));
  const runtime = Object.entries(packages).filter(
    ([path, { dev, devOptional, peer }]) => path !== "" && !dev && !devOptional && !peer,
  );
  const pathsOf = (matches: (locked: Locked) => boolean) =>
    runtime.filter(([, one]) => matches(one)).map(([path]) => path);

  it("runs nothing when it is installed", () => {
    expect(pathsOf(() => true)).toContain("node_modules/undici");
    expect(pathsOf(({ hasInstallScript }) => hasInstallScript === true)).toEqual([]);
  });

  it("is known by its checksum", () => {
    expect(pathsOf(({ integrity }) => !integrity?.startsWith("sha512-"))).toEqual([]);
  });

  it("may be passed on under a permissive licence", () => {
    const permissive = ["MIT", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "0BSD"];
    expect(pathsOf(({ license = "" }) => !permissive.includes(license))).toEqual([]);
  });
});

it("CONTRIBUTING.md has a reason for each dependency of the package, and for none that there is not", () => {
  const table = read("CONTRIBUTING.md")
    .split(/^## /m)
    .find((section) => section.startsWith("Dependencies"));
  const rows = [...(table ?? "").matchAll(/^\| ([^|]+) \|/gm)].slice(1).map(([, names = ""]) => names.split(", "));
  expect(rows.flat().sort()).toEqual(Object.keys(JSON.parse(read("package.json")).dependencies).sort());
});
