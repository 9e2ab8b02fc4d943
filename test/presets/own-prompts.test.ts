import { describe, expect, it } from "vitest";
import { browserAgent, browserOutput, outputForms } from "./prompt-agents.ts";
import { passes, presetRig, told } from "./rig.ts";

const click = (index: number) => ({ click_element: { index } });

describe.each(outputForms)("a browser agent that tells its last entries and answers with $form", ({ offer }) => {
  const play = (said: (index: number) => string, result: (step: number) => string) => {
    const rig = presetRig(
      (_, index) =>
        "tools" in offer
          ? { kind: "calls", calls: [{ tool: "AgentOutput", args: said(index) }] }
          : { kind: "text", text: said(index) },
      { extends: "consecutive-failures" },
    );
    return browserAgent(rig, { offer, turns: 9, result });
  };
  const clicking = (i: number) => browserOutput(i, click(i));
  const gone = "Error: Element not found";

  it("is forced to its end after three failing actions, and ended after the fourth", async () => {
    const turns = await play(clicking, () => gone);
    expect(told(turns)).toBe("ok ok ok force-done end");
    expect(turns[4]?.content).toContain('"success":false');
  });

  it("is ended in place of the third equal action, and goes on where actions succeed in between", async () => {
    expect(
      told(
        await play(
          (i) => browserOutput(i, click(5)),
          () => "Clicked element 5",
        ),
      ),
    ).toBe("ok ok end");
    expect(told(await play(clicking, (step) => (step % 3 === 0 ? "Clicked it" : gone)))).toBe(passes(9));
  });
});
