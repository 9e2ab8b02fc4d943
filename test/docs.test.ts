import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { flagTable } from "../src/cli/serve.ts";
import { type Setting, settingNames, settingsTable, variableOf } from "../src/config/config.ts";
import { detectorNames, grades, standardDetectorSettings } from "../src/engine/engine.ts";
import { errors } from "../src/errors.ts";
import { type Ladder, policyFrom, presetNamed, presetNames } from "../src/policy/policy.ts";
import { ladderNames, policyFields, toolFields } from "../src/policy/schema.ts";
import { places } from "../src/policy/wording/wording.ts";
import { codeOf, readSources } from "./support/checks/sources.ts";

const doc = (name: string) => readFileSync(new URL(`../docs/${name}`, import.meta.url), "utf8");
const code = (text: string | undefined) => (text === undefined ? "" : `\`${text}\``);

describe("docs/configuration.md", () => {
  it("lists every setting, and none that there is not, with its flag, default and meaning", () => {
    const rows = doc("configuration.md").match(/^\| `(?:UNLOOP_\w+|REDIS_URL)` \|.*\|.*\|.*\|$/gm) ?? [];
    const written = rows.map((row) => row.split("|").map((cell) => cell.trim())).filter(({ length }) => length === 6);
    const real = settingNames.map((name, i) => {
      const { standard }: Setting = settingsTable[name];
      const { [name]: about = written[i]?.[4] } = flagTable;
      const shown = typeof standard === "object" && !(standard instanceof URL) ? undefined : standard;
      const text = shown instanceof URL ? shown.origin : shown?.toString();
      return ["", code(variableOf(name)), code(flagTable[name] && `--${name}`), code(text), about, ""];
    });
    expect(written).toEqual(real);
    expect(written.filter(([, , , , about]) => !about?.endsWith("."))).toEqual([]);
  });

  it("mentions no variable that there is not", () => {
    const known = new Set<string>([...settingNames.map(variableOf), "UNLOOP_DATA"]);
    const docs = ["configuration.md", "errors.md", "deployment.md"].map(doc).join();
    const mentioned = [...docs.matchAll(/UNLOOP_\w+/g)];
    expect(mentioned.map(([name]) => name).filter((name) => name !== "UNLOOP_" && !known.has(name))).toEqual([]);
  });
});

const sectionsOf = (name: string) =>
  new Map(
    doc(name)
      .split(/^## /m)
      .slice(1)
      .map((section) => [section.slice(0, section.indexOf("\n")), section]),
  );

describe("the policy's JSON in docs/configuration.md", () => {
  const section = sectionsOf("configuration.md").get("A policy as JSON") ?? "";

  it("has a row for every field, and none that there is not", () => {
    const rows = [...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
    expect(rows.sort()).toEqual(Object.keys(policyFields).sort());
  });

  it("names every field of a tool, and every place of a sentence", () => {
    for (const field of Object.keys(toolFields)) expect(section).toContain(`\`${field}\``);
    for (const place of places) expect(section).toContain(`\`{${place}}\``);
  });
});

describe("docs/detectors.md", () => {
  const sections = sectionsOf("detectors.md");

  it.each(detectorNames)("says of %s what it sees, shows, gets wrong, and how to tune it", (name) => {
    const section = sections.get(name) ?? "";
    for (const part of ["**Evidence.**", "**When it is wrong.**", "**How to tune it.**"])
      expect(section).toContain(part);
    for (const grade of Object.keys(grades[name])) expect(section).toMatch(new RegExp(`\`(${name}:)?${grade}\``));
    const example = /\*\*Example\*\* \(`(test\/[\w/.-]+)`\)/.exec(section);
    expect(existsSync(new URL(`../${example?.[1]}`, import.meta.url))).toBe(true);
  });

  it.each(Object.entries(standardDetectorSettings))("gives every setting of %s with its default", (name, settings) => {
    for (const [setting, standard] of Object.entries(settings))
      expect(sections.get(name)).toMatch(new RegExp(`\`(\\S+\\.)?${setting}\`( \\| \`?"?| \\()${standard}\\b`));
  });

  it("gives the ladders of the default policy", () => {
    const nudges = ({ nudge, "second-nudge": again }: Ladder) => [nudge ?? "-", again ?? []].flat().join(", ");
    const numbers = (ladder: Ladder = {}) =>
      [nudges(ladder), ladder["force-done"] ?? "-", ladder["short-circuit"] ?? "-"].join(" / ");
    const missing = Object.entries(presetNamed("default")?.ladders ?? {}).filter(
      ([name, ladder]) => !sections.get(name.split(":")[0] ?? "")?.includes(numbers(ladder)),
    );
    expect(missing).toEqual([]);
  });
});

describe("docs/presets.md", () => {
  const sections = sectionsOf("presets.md");

  it("has a section for every preset, and none that there is not", () => {
    expect([...sections.keys()]).toEqual(presetNames);
  });

  it.each(presetNames)("gives documented behaviours and an example of %s", (name) => {
    expect(sections.get(name)).toMatch(/^\| .* \|$/m);
    expect(sections.get(name)).toContain("**Example.**");
  });

  it("shows only policies that can be read, and that change something", () => {
    const blocks = ["presets.md", "configuration.md", "detectors.md"].flatMap((name) => [
      ...doc(name).matchAll(/^```json\n(.*?)^```$/gms),
    ]);
    expect(blocks.length).toBeGreaterThanOrEqual(5);
    for (const [, json = ""] of blocks) expect(policyFrom(JSON.parse(json)).name).toBe("custom");
  });

  it("names only ladders that there are", () => {
    const named = doc("presets.md").matchAll(/`ladders\.([\w-]+(?::[\w-]+)?)/g);
    for (const [, name = ""] of named) expect(ladderNames).toContain(name);
  });
});

describe("docs/errors.md", () => {
  const sections = doc("errors.md")
    .split(/^## /m)
    .slice(1)
    .map((section) => ({ name: section.slice(0, section.indexOf("\n")), text: section }));

  it("has a section for every code, and none that there is not", () => {
    expect(sections.map(({ name }) => name).sort()).toEqual(Object.keys(errors).sort());
  });

  it.each(Object.entries(errors))("says status, cause and cure of %s", (name, { status }) => {
    const section = sections.find((one) => one.name === name);
    expect(section?.text).toMatch(new RegExp(`\n\nStatus ${status}[.,;] .+\n\n\\*\\*Cure:\\*\\* .+`, "s"));
  });
});

it("docs/telemetry.md has every line of the log, with its level", () => {
  const written = readSources().flatMap(({ text }) =>
    [...codeOf(text).matchAll(/(?<!rotocol)\.(debug|info|warn|error)\([^;]{0,200}?, "([a-z]+(?:-[a-z]+)*)"\);/g)].map(
      ([, level = "", event = ""]) => ({ level, event }),
    ),
  );
  const rows =
    sectionsOf("telemetry.md")
      .get("Log")
      ?.match(/^\|.*$/gm) ?? [];
  const untold = written.filter(
    ({ level, event }) =>
      event !== "exchange" && !rows.some((row) => row.includes(`\`${event}\``) && row.includes(level)),
  );
  expect(written.length).toBeGreaterThan(20);
  expect(untold).toEqual([]);
});
