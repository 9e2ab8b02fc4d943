import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { settingsTable } from "../src/config.ts";
import { errors } from "../src/errors.ts";

const doc = (name: string) => readFileSync(new URL(`../docs/${name}`, import.meta.url), "utf8");
const code = (text: string | undefined) => (text === undefined ? "" : `\`${text}\``);

describe("docs/configuration.md", () => {
  it("lists every setting, and none that there is not, with its flag, default and meaning", () => {
    const rows = doc("configuration.md").match(/^\| `(UNLOOP_\w+|REDIS_URL)` \|.*\|.*\|.*\|$/gm);
    const written = rows?.filter((row) => row.split("|").length === 6).map((row) => row.replaceAll(/\s+/g, " "));
    const real = Object.values(settingsTable).map(({ env, flag, standard, about }) =>
      `| ${code(env)} | ${code(flag)} | ${code(standard)} | ${about} |`.replaceAll(/\s+/g, " "),
    );
    expect(written).toEqual(real);
  });

  it("mentions no variable that there is not", () => {
    const known = new Set<string>([...Object.values(settingsTable).map(({ env }) => env), "UNLOOP_DATA"]);
    const docs = ["configuration.md", "errors.md", "deployment.md"].map(doc).join();
    const mentioned = [...docs.matchAll(/UNLOOP_\w+/g)];
    expect(mentioned.map(([name]) => name).filter((name) => name !== "UNLOOP_" && !known.has(name))).toEqual([]);
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
