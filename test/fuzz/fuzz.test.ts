import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readConfigFile } from "../../src/config-file/config-file.ts";
import { policyFrom } from "../../src/policy/policy.ts";
import { dialects } from "../../src/protocols/dialects/text-turn.ts";
import { answerReader, protocolFor } from "../../src/protocols/protocols.ts";
import { readLedger } from "../../src/session/session.ts";
import { actionTexts, configurations, policies, samples } from "./samples.ts";
import { asEvent, storedLedger, target, targets } from "./targets.ts";
import { requestWork } from "../../src/work.ts";
import { wholeAnswer } from "../../src/protocols/answer/read-answer.ts";

/** Inputs that were the first to reach a place in the code, or that once broke a reader: a JSON string a line, a file a target. */
function keptInputs(target: string): readonly string[] {
  const file = join(import.meta.dirname, "corpus", `${target.replace(/\W+/g, "-")}.jsonl`);
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  return lines.filter((line) => line !== "").map((line) => String(JSON.parse(line)));
}

/* With a seed `npm run test:properties` tries 2,000 inputs of each row. */
it.each(targets)(
  "$name: whatever comes, it is read without a throw and within its bound",
  ({ name, inputs, check }) => {
    for (const input of keptInputs(name)) check(input);
    fc.assert(fc.property(inputs, check));
  },
);

it.each([
  {
    defect: "throws",
    read: () => {
      throw new Error("unexpected");
    },
  },
  { defect: "answers without bound", read: (text: string) => "x".repeat(20_000 + text.length * 65) },
])("finds a reader that $defect", ({ read }) => {
  const { inputs, check } = target("broken", fc.string(), read);
  expect(fc.check(fc.property(inputs, check)).failed).toBe(true);
});

describe("what is damaged is understood while it is whole:", () => {
  it.each(Object.entries(samples))("%s", (name, { path, request, answer, events }) => {
    const protocol = protocolFor("POST", path);
    if (protocol === undefined) throw new Error(`There is no format at ${path}.`);
    expect(protocol.parse(JSON.stringify(request))?.conversation.steps[0]?.calls).toHaveLength(1);
    expect(wholeAnswer(protocol.decoder(), JSON.stringify(answer))?.step.calls).toHaveLength(1);
    const framing = protocol.framing(path);
    const reader = answerReader(protocol, framing.contentType, undefined, path);
    const mark = name === "chat-completions" ? ["[DONE]"] : [];
    const told = [...events.map((event) => JSON.stringify(event)), ...mark];
    const stream = told.map((data) => asEvent(data, framing)).join("");
    reader.push(new TextEncoder().encode(stream));
    expect(reader.end()).toBeDefined();
  });

  it("actions in text, configurations, policies, a stored ledger", () => {
    for (const text of actionTexts)
      expect(dialects.some((one) => one.read(text, "history", requestWork()) !== undefined)).toBe(true);
    for (const text of configurations) expect(readConfigFile(text, "a")).toHaveProperty("settings");
    for (const policy of policies) expect(policyFrom(policy).name).toBe("custom");
    expect(readLedger(JSON.stringify(storedLedger()))?.total).toBe(6);
  });
});
