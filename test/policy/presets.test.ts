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
  const REFUND = "Your refund of forty dollars has been issued to your card.";

  it.each([
    { name: "ends after the second polite round", parts: [...round, ...round], story: ["polite-closure x2 at 1"] },
    { name: "lets one round pass", parts: round, story: [] },
    {
      name: "ends after two rounds of thanks, however many of them",
      parts: [said("Thanks!"), heard("Thanks!"), said("Thanks!"), heard("Thanks a lot!")],
      story: ["polite-closure x2 at 1"],
    },
    {
      name: "lets thanks pass that order something",
      parts: [said("Thanks!"), heard("Thanks!"), said("Thanks!"), heard("Thanks, a coffee please!")],
      story: [],
    },
    {
      name: "counts afresh after another round",
      parts: [...round, said("Your order has shipped."), heard("Which one?"), ...round],
      story: [],
    },
    {
      name: "works where the guarded side plays the user",
      parts: [
        heard("You're welcome! Have a great day! 😊"),
        said("Thank you, you too! Have a great day. 😊"),
        heard("You're welcome! Take care!"),
        said("Thanks, bye!"),
        heard("Goodbye!"),
      ],
      story: ["polite-closure x2 at 1"],
    },
    {
      name: "ends after three similar messages, though they are answered",
      parts: times(3, (i) => [said(REFUND), heard(`And what about item ${i}?`)]).flat(),
      story: ["repeated-message x3 at 2"],
    },
    {
      name: "ends after three similar messages of the other side",
      parts: times(3, (i) => [said(`Item ${i} is in stock.`), heard("Please tell me when my refund arrives.")]).flat(),
      story: ["repeated-message x3 at 2"],
    },
    {
      name: "lets a user say yes as often as they are asked",
      parts: times(5, (i) => [said(`Shall I cancel item ${i}?`), heard("Yes, please.")]).flat(),
      story: [],
    },
    {
      name: "ends at step 30",
      parts: times(30, (i) => call("look", { page: i }, `text of ${i}`)),
      story: ["budget x30 at 29"],
    },
    {
      name: "ends at step 30 though the other side speaks each time",
      parts: times(30, (i) => [said(`Fact ${i} of many.`), heard(`What is fact ${i + 1}?`)]).flat(),
      story: ["budget x30 at 29"],
    },
  ])("$name", ({ parts, story: expected }) =>
    expect(story(policy, parts)).toEqual(expected.map((line) => `short-circuit ${line}`)),
  );

  it("acts on the very request that brings the second farewell", () => {
    const { now } = mergeHistory(undefined, conversation([...round, ...round]), { sign, policy });
    expect(now?.intervention).toMatchObject({ rung: "short-circuit", detector: "polite-closure", count: 2 });
  });

  it("keeps ending while nothing but farewells follow, and lets the other side go on with news", () => {
    const ended = [...round, ...round, said("[unloop] This run was stopped.")];
    const answerTo = (words: string) =>
      mergeHistory(undefined, conversation([...ended, heard(words)]), { sign, policy }).now;
    expect(answerTo("Thanks, bye bye!")?.intervention.rung).toBe("short-circuit");
    expect(answerTo("Wait, my refund has not come.")).toBeUndefined();
  });

  it("takes another threshold from 2 to 5", () => {
    const patient = changed("user-simulator", { ladders: { "repeated-message:similar": { "short-circuit": 5 } } });
    const talk = (count: number) => times(count, (i) => [said(REFUND), heard(`And what about item ${i}?`)]).flat();
    expect(story(patient, talk(4))).toEqual([]);
    expect(story(patient, talk(5))).toEqual(["short-circuit repeated-message x5 at 4"]);
  });

  it("ends after so many turns without a call where the policy asks for it", () => {
    const strict = changed("user-simulator", { ladders: { "repeated-message:no-call": { "short-circuit": 4 } } });
    const talk = times(4, (i) => [said(`Fact ${i} of many.`), heard(`What is fact ${i + 1}?`)]).flat();
    expect(story(strict, talk)).toEqual(["short-circuit repeated-message x4 at 3"]);
    expect(story(policy, talk)).toEqual([]);
  });
});

describe("consecutive-failures", () => {
  const policy = preset("consecutive-failures");
  const fail = (index = 123) => call("click", { index }, "Error: element not found");
  const fine = (index: number) => call("click", { index }, `clicked ${index}, the page has changed`);
  const half = together(ask("click", { index: 1 }, "Error: not found"), ask("scroll", {}, "Error: no page"));

  it.each([
    { name: "one failure, then another approach", parts: [fail(), fine(7), fine(8)], story: [] },
    {
      name: "three failures are forced done, a fourth ends the run",
      parts: times(4, () => fail()),
      story: ["force-done consecutive-failures x3 at 2", "short-circuit consecutive-failures x4 at 3"],
    },
    {
      name: "whatever it was that failed",
      parts: [fail(1), call("go_to", { url: "a" }, "Error: timed out"), call("type", { text: "x" }, "Error: no field")],
      story: ["force-done consecutive-failures x3 at 2"],
    },
    { name: "a success resets", parts: [fail(), fail(), fine(7), fail(), fail()], story: [] },
    { name: "a step with several calls resets", parts: [fail(1), fail(2), half, fail(3), fail(4)], story: [] },
    {
      name: "the same action on the same index three times ends",
      parts: times(3, (i) => call("click", { index: 123 }, `page ${i}`)),
      story: ["short-circuit repeated-call x3 at 2"],
    },
    {
      name: "whatever else its arguments say",
      parts: times(3, (i) => call("input_text", { index: 4, text: `try ${i}` }, `page ${i}`)),
      story: ["short-circuit repeated-call x3 at 2"],
    },
    { name: "another index is another action", parts: [fine(1), fine(2), fine(1), fine(2), fine(1)], story: [] },
    {
      name: "ends at step 50",
      parts: times(50, (i) => call("click", { index: i }, `page ${i} of the catalogue`)),
      story: ["short-circuit budget x50 at 49"],
    },
  ])("$name", ({ parts, story: expected }) => expect(story(policy, parts)).toEqual(expected));

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

  it("gives no final response where the policy ends at the first limit", () => {
    const strict = changed("consecutive-failures", { ladders: { "consecutive-failures:any": { "short-circuit": 3 } } });
    expect(
      story(
        strict,
        times(3, () => fail()),
      ),
    ).toEqual(["short-circuit consecutive-failures x3 at 2"]);
  });

  it("takes another limit", () => {
    const strict = changed("consecutive-failures", {
      ladders: { "consecutive-failures:any": { "force-done": 1, "short-circuit": 2 } },
    });
    expect(story(strict, [fail(1), fail(2)])).toEqual([
      "force-done consecutive-failures x1 at 0",
      "short-circuit consecutive-failures x2 at 1",
    ]);
  });
});

describe("duplicate-calls", () => {
  const policy = preset("duplicate-calls");
  const message = (i: number) => call("message", { text: "⚙️ Checking database..." }, `{"ok":true,"id":"m${i}"}`);
  const turn = (...ids: readonly string[]) => together(...ids.map((id, i) => ask(`tool${i + 1}`, { id }, `row ${id}`)));

  it.each([
    { name: "the third of 15 equal messages ends the run", parts: times(3, message), at: 2 },
    { name: "whatever the answers say", parts: times(3, (i) => call("get", { id: 1 }, `version ${i}`)), at: 2 },
    {
      name: "all calls of a turn are compared",
      parts: [turn("1", "2"), turn("1", "3"), turn("1", "4")],
      at: undefined,
    },
    { name: "equal turns with several calls", parts: times(3, () => turn("1", "2")), at: 2 },
    {
      name: "another call between starts afresh",
      parts: [message(0), message(1), turn("1"), message(2)],
      at: undefined,
    },
    { name: "two are no reason to end", parts: times(2, message), at: undefined },
    {
      name: "arguments that are no JSON",
      parts: times(3, (i) => call("message", '{"text": "hi', `sent as ${i}`)),
      at: 2,
    },
    {
      name: "progress reports that say something new",
      parts: ["Database: OK", "API: OK", "Memory: 82% used"].map((text) => call("message", { text }, "ok")),
      at: undefined,
    },
  ])("$name", ({ parts, at }) =>
    expect(story(policy, parts)).toEqual(at === undefined ? [] : [`short-circuit repeated-call x3 at ${at}`]),
  );

  it("sends a message once where the policy ends sends at 2", () => {
    const strict = changed("duplicate-calls", { ladders: { "repeated-call:send": { "short-circuit": 2 } } });
    expect(story(strict, times(2, message))).toEqual(["short-circuit repeated-call x2 at 1"]);
    expect(
      story(
        strict,
        times(2, (i) => call("get", { id: 1 }, `version ${i}`)),
      ),
    ).toEqual([]);
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
