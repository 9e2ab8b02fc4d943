import { describe, expect, it } from "vitest";
import { type Policy, policyFrom, presetNames } from "../../src/policy/policy.ts";
import { mergeHistory } from "../../src/session/session.ts";
import { judgeWith, preset, sign, storyOf } from "../support/builders/detection.ts";
import { ask, call, conversation, heard, type Part, said, times, together } from "../support/builders/steps.ts";

/** What a policy does in the course of a conversation: `short-circuit repeated-call x3 at 2`. */
const story = (policy: Policy, parts: readonly Part[], system?: string) =>
  storyOf(conversation(parts, system), judgeWith({ policy }));
/** A preset with some of it said otherwise, as an operator would write it. */
const changed = (name: string, said: object) => policyFrom({ extends: name, ...said });

describe("web-actions", () => {
  const policy = preset("web-actions");
  const type = (page = "results: none yet, fill in the form") =>
    call("type", { target: "input[name='search']", value: "箱根" }, page);
  const click = (target: string) => call("click", { target, value: "" }, `page after ${target}`);

  it.each([
    { name: "ends at the second identical repeat", parts: [type(), type(), type()], at: 2 },
    { name: "lets one repeat pass", parts: [type(), type(), click("button")], at: undefined },
    {
      name: "lets a task go forward",
      parts: [type(), click("button[type='submit']"), click("input[name='checkin']"), click("#day-13")],
      at: undefined,
    },
    {
      name: "sees a repeat with other actions between",
      parts: [type(), click("a"), type(), click("b"), type()],
      at: 4,
    },
    {
      name: "looks back five actions from each repeat",
      parts: [type(), ...times(4, (i) => click(`a${i}`)), type(), ...times(4, (i) => click(`b${i}`)), type()],
      at: 10,
    },
    {
      name: "looks back no further",
      parts: [type(), ...times(5, (i) => click(`a${i}`)), type(), type()],
      at: undefined,
    },
    {
      name: "takes a changed page for progress",
      parts: times(4, (i) => type(`the page shows ${i} of nine hotels`)),
      at: undefined,
    },
    {
      name: "takes an empty value for none",
      parts: [{ target: "#go" }, { target: "#go", value: "" }, { target: "#go", value: null }].map((args) =>
        call("click", args, "the same page"),
      ),
      at: 2,
    },
    {
      name: "compares the actions of a turn in their order",
      parts: times(3, (i) => {
        const both = [ask("type", { target: "#a", value: "x" }, "p q"), ask("click", { target: "#b" }, "r s")];
        return together(...(i === 1 ? both.toReversed() : both));
      }),
      at: undefined,
    },
    {
      name: "counts waiting and failing like anything else",
      parts: times(3, () => call("wait", { target: "#x" }, "Error: still loading")),
      at: 2,
    },
  ])("$name", ({ parts, at }) =>
    expect(story(policy, parts)).toEqual(at === undefined ? [] : [`short-circuit repeated-call x3 at ${at}`]),
  );

  it("ends where three turns explain themselves in the same words", () => {
    const text = "検索キーワード入力欄に「箱根」を入力します。";
    const parts = times(3, (i) => ({ ...call("click", { target: `#field${i}` }, "the page with the form"), text }));
    expect(story(policy, parts)).toEqual(["short-circuit repeated-message x3 at 2"]);
    const walking = times(3, (i) => ({ ...click(`#field${i}`), text }));
    expect(story(policy, walking)).toEqual([]);
  });

  it("has another threshold for an action's type where the policy says so", () => {
    const patient = changed("web-actions", {
      tools: { click: { ladders: { "repeated-call": { "short-circuit": 4 } } } },
    });
    const same = (tool: string) => times(4, () => call(tool, { target: "#more" }, "the same page"));
    expect(story(patient, same("click"))).toEqual(["short-circuit repeated-call x4 at 3"]);
    expect(story(patient, same("type"))[0]).toBe("short-circuit repeated-call x3 at 2");
  });
});

describe("user-simulator", () => {
  const policy = preset("user-simulator");
  const round: readonly Part[] = [
    said("You're welcome! Have a great day! 😊"),
    heard("Thank you, you too! Have a great day. 😊"),
  ];
  it("keeps ending while nothing but farewells follow, and lets the other side go on with news", () => {
    const ended = [...round, ...round, said("[unloop] This run was stopped.")];
    const answerTo = (words: string) =>
      mergeHistory(undefined, conversation([...ended, heard(words)]), { sign, policy }).now;
    expect(answerTo("Thanks, bye bye!")?.intervention.rung).toBe("short-circuit");
    expect(answerTo("Wait, my refund has not come.")).toBeUndefined();
  });
});

describe("consecutive-failures", () => {
  const fail = (index = 123) => call("click", { index }, "Error: element not found");

  it.each([
    { multi: "any", story: ["force-done consecutive-failures x3 at 2"] },
    { multi: "all", story: [] },
    { multi: "reset", story: [] },
  ])("a turn that half failed under $multi", ({ multi, story: expected }) => {
    const parts = [
      fail(1),
      together(ask("a", {}, "Error: x y"), ask("b", {}, "fine, two rows")),
      call("c", {}, "Error: z"),
    ];
    expect(story(changed("consecutive-failures", { detectors: { "consecutive-failures": { multi } } }), parts)).toEqual(
      expected,
    );
  });
});

describe("every preset", () => {
  it.each(presetNames)("%s is plain JSON, and survives being written as a policy", (name) => {
    const policy = preset(name);
    expect(JSON.parse(JSON.stringify(policy))).toEqual(policy);
    expect(policyFrom({ extends: name, name })).toEqual(policy);
    expect(policyFrom({ ...policy, extends: null })).toEqual(policy);
  });
});
