import { expect, it, onTestFinished } from "vitest";
import { readSettings } from "../src/config/config.ts";
import { policyFrom } from "../src/policy/policy.ts";
import { removed, removedSentence } from "../src/removed.ts";
import { mistakesOf } from "./config-file/mistakes-of.ts";
import { startGuard } from "./support/servers/guarded.ts";

const named = (pattern: RegExp) => [...removed].filter(([name]) => pattern.test(name));
const entry = (path: string) =>
  path.split(".").reduceRight<unknown>((inner, key) => (key === "rules" ? { rules: [inner] } : { [key]: inner }), 1);

it("what was removed is told with what takes its place: in the environment, the configuration file, a policy and the admin API", async () => {
  for (const [name] of named(/^UNLOOP_/))
    expect(() => readSettings({ [name]: "1" })).toThrow(removedSentence(name) ?? "no sentence");
  for (const [name] of named(/^(?:limits|rules)\./)) {
    expect(mistakesOf(JSON.stringify(entry(name))).join()).toContain(removedSentence(name));
  }
  for (const [name, instead] of named(/^(?:planning|secondOpinion|maxReasks|whenBudgetUnknown|judge\..*)$/))
    expect(() => policyFrom(entry(name))).toThrow(`any more. ${instead}`);
  const { adminUrl, close } = await startGuard({ upstream: "http://127.0.0.1:9" });
  onTestFinished(close);
  for (const [name] of named(/^GET /)) {
    const answer = await fetch(`${adminUrl}/unloop/api${name.slice(4).replace("{id}", "any")}?window=1h`);
    expect([answer.status, await answer.json()]).toEqual([
      410,
      { error: { code: "removed", message: removedSentence(name) } },
    ]);
  }
});
