import { describe, expect, it } from "vitest";
import { browserAgent, browserOutput, outputForms } from "./prompt-agents.ts";
import { passes, presetRig, told } from "./rig.ts";

const named = { "x-unloop-session": "run-1" };
const click = (index: number) => ({ click_element: { index } });

describe.each(
  outputForms.flatMap((form) =>
    [{}, named].map((headers) => ({ ...form, headers, extra: { stream: headers === named } })),
  ),
)(
  "a browser agent that tells its last entries and answers with $form, named by $headers,",
  ({ offer, headers, extra }) => {
    const rigged = (said: (index: number) => string) =>
      presetRig(
        (_, index) =>
          "tools" in offer
            ? { kind: "calls", calls: [{ tool: "AgentOutput", args: said(index) }] }
            : { kind: "text", text: said(index) },
        { extends: "consecutive-failures" },
      );
    const play = (said: (index: number) => string, result: (step: number) => string) =>
      browserAgent(rigged(said), { offer, extra, headers, turns: 9, result });

    it("is forced to its end after three failing actions, and ended after the fourth", async () => {
      const turns = await play(
        (i) => browserOutput(i, click(i)),
        () => "Error: Element not found",
      );
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
      const result = (step: number) => (step % 3 === 0 ? "Clicked it" : "Error: Element not found");
      expect(told(await play((i) => browserOutput(i, click(i)), result))).toBe(passes(9));
    });
  },
);
