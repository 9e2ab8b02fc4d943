import { describe, expect, it } from "vitest";
import { policyFrom, policyNamed, presetNames } from "../../src/policy/policy.ts";
import { preset } from "../support/builders/detection.ts";

describe("a policy as JSON", () => {
  it("is the default one where it says nothing", () => {
    expect(policyFrom({})).toEqual({ ...preset("default"), name: "custom" });
  });

  it("changes one number and leaves all others", () => {
    const policy = policyFrom({ extends: "default", ladders: { "repeated-call": { "short-circuit": 4 } } });
    const { ladders } = preset("default");
    expect(policy.ladders).toEqual({ ...ladders, "repeated-call": { nudge: 3, "force-done": 5, "short-circuit": 4 } });
  });

  it("takes away with null", () => {
    const policy = policyFrom({ ladders: { "repeated-call": { nudge: null }, "repeated-call:still": null } });
    expect(policy.ladders["repeated-call"]).toEqual({ "force-done": 5, "short-circuit": 7 });
    expect(policy.ladders).not.toHaveProperty(["repeated-call:still"]);
    expect(policyFrom({ extends: "user-simulator", stopSignal: null })).not.toHaveProperty("stopSignal");
  });

  it("turns a ladder off, so that its grade does not go by the main one", () => {
    const policy = policyFrom({
      ladders: { "repeated-call:send": "off" },
      tools: { ping: { ladders: { "repeated-call": "off" } } },
    });
    expect(policy.ladders["repeated-call:send"]).toEqual({});
    expect(policy.tools).toEqual({ ping: { ladders: { "repeated-call": {} } } });
  });

  it("lays several presets over each other, each with what it says of its own", () => {
    const policy = policyFrom({ extends: ["default", "user-simulator"], name: "both" });
    expect(policy).toMatchObject({ name: "both", stopSignal: "###STOP###", runaway: preset("default").runaway });
    expect(policy.ladders).toMatchObject({
      "repeated-call": { nudge: 3 },
      "polite-closure": { "short-circuit": 2 },
      "budget:steps": { "short-circuit": 30 },
    });
  });

  it("replaces lists, and texts by objects", () => {
    const policy = policyFrom({
      extends: "web-actions",
      doneTools: ["stop"],
      preamble: { text: "Look before you act." },
      wording: { en: { stopped: "That is enough after {count} times." } },
    });
    expect(policy.doneTools).toEqual(["stop"]);
    expect(policy.preamble).toEqual({ text: "Look before you act." });
    expect(policy.wording?.en).toEqual({ stopped: "That is enough after {count} times." });
    expect(policy.wording?.ja).toEqual(preset("web-actions").wording?.ja);
  });
});

// Other mistakes are told of the configuration file.
it("a mistake is refused with its place, also in a name of the language's own", () => {
  const said = JSON.parse('{"__proto__": {"finalResponse": "error"}}');
  expect(() => policyFrom(said)).toThrow(expect.objectContaining({ code: "bad_setting" }));
  expect(() => policyFrom(said)).toThrow("policy has a name that is not known");
});

it("a policy in a setting is a preset's name or JSON, and is refused by the name of its setting", () => {
  expect(policyNamed("web-actions")).toBe(preset("web-actions"));
  expect(policyNamed(' {"extends":"duplicate-calls"}').finalText).toBe("own-text");
  expect(() => policyNamed("dflt", "--policy")).toThrow(/^--policy must be one of default, .*not another text\.$/);
  expect(() => policyNamed("{oops", "--policy")).toThrow(
    /^--policy looks like JSON, but is not valid JSON at character 2; check quotes/,
  );
});

it.each(presetNames)("every preset: %s is plain JSON, and survives being written as a policy", (name) => {
  const policy = preset(name);
  expect(JSON.parse(JSON.stringify(policy))).toEqual(policy);
  expect(policyFrom({ extends: name, name })).toEqual(policy);
  expect(policyFrom({ ...policy, extends: null })).toEqual(policy);
});
