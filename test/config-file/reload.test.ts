import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { loadSettings } from "../../src/config-file/config-file.ts";

const file = (nudge: number, note = "") => `${note}
policies:
  calm: { extends: default, ladders: { repeated-call: { nudge: ${nudge} } } }
  strict: { extends: duplicate-calls }
rules:
  - { name: all, when: { model: "*" }, policy: calm }
`;

it("keeps the policies that have not changed when a file is read again, whatever else has", () => {
  const folder = mkdtempSync(join(tmpdir(), "unloop-reload-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const config = join(folder, "unloop.yaml");
  const sources = { env: {}, flags: { config, policy: '{"extends":"web-actions"}' } };
  const read = (text: string, before?: ReturnType<typeof loadSettings>) => {
    writeFileSync(config, text);
    return loadSettings(sources, before?.configured);
  };
  const policiesIn = ({ configured }: ReturnType<typeof loadSettings>) => ({
    calm: configured?.policies.get("calm"),
    strict: configured?.policies.get("strict"),
    own: configured?.policy,
  });
  const first = read(file(3));
  const touched = read(file(3, "# the same, said anew"), first);
  const changed = read(file(4), touched);
  const [a, b, c] = [first, touched, changed].map(policiesIn);
  for (const name of ["calm", "strict", "own"] as const) expect(b?.[name]).toBe(a?.[name]);
  expect(c?.strict).toBe(a?.strict);
  expect(c?.calm).not.toBe(a?.calm);
  expect(c?.calm?.ladders["repeated-call"]?.nudge).toBe(4);
});
