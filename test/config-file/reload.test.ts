import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { parse } from "yaml";
import { loadSettings, watchFiles } from "../../src/config-file/config-file.ts";
import { newFolder } from "../support/servers/of-test.ts";

const file = (nudge: number, note = "") => `${note}
policies:
  calm: { extends: default, ladders: { repeated-call: { nudge: ${nudge} } } }
  strict: { extends: duplicate-calls }
rules:
  - { name: all, when: { model: "*" }, policy: calm }
`;

function reader(flags: Readonly<Record<string, string>> = {}) {
  const config = join(newFolder(), "unloop.yaml");
  return (text: string, before?: ReturnType<typeof loadSettings>) => {
    writeFileSync(config, text);
    return loadSettings({ env: {}, flags: { ...flags, config } }, before?.configured);
  };
}

it("keeps the policies that have not changed when a file is read again, whatever else has", () => {
  const read = reader({ policy: '{"extends":"web-actions"}' });
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

type Row = Readonly<Record<"first" | "next", string> & Partial<Record<"what" | "mode" | "at" | "open", string>>>;
type Rows = Readonly<Record<"closed" | "opened" | "flags" | "around", readonly Row[]> & { whole: string }>;
const rows: Rows = parse(readFileSync("test/fixtures/config-file/reload.yaml", "utf8"));

describe("what is closed stays closed when a file is read again", () => {
  it.each(rows.closed)("a file that no longer says $what is refused, with the word that opens it", (row) => {
    const { first, next, at, open } = row;
    const read = reader();
    expect(() => read(next, read(first))).toThrow(`${at} is missing, and narrows what is in force; write \`${open}`);
    expect(() => read(next)).not.toThrow();
  });

  it.each(rows.opened)("and may be opened by a file that says so: $what", ({ first, next }) => {
    const read = reader();
    expect(() => read(next, read(first))).not.toThrow();
  });

  it.each(rows.flags)("which a mode that flags set decides: $mode", ({ mode = "", first, next }) => {
    const read = reader({ mode });
    expect(() => read(next, read(first))).not.toThrow();
  });

  it.each(rows.around)("and is refused where the mode around it $what", ({ first, next, at }) => {
    const read = reader();
    expect(() => read(next, read(first))).toThrow(`${at} is missing`);
  });

  it("at whatever place it was cut", () => {
    const read = reader();
    const before = read(rows.whole);
    // A hash is no longer one wherever it is cut.
    const ends = Array.from(rows.whole, (_, end) => end).filter(
      (end) => !/^(.)\1{3}$/.test(rows.whole.slice(end, end + 4)),
    );
    const opened = ends
      .filter((end) => end % 5 === 0)
      .flatMap((end) => {
        try {
          const { configured } = read(rows.whole.slice(0, end), before);
          const isClosed =
            (configured?.clients.length ?? 0) > 0 &&
            (configured?.clients ?? []).every(
              ({ mayAsk, requestsPerMinute, expires }) => mayAsk && requestsPerMinute && expires,
            ) &&
            (configured?.tokens ?? []).every(({ tenant }) => tenant !== undefined) &&
            (configured?.tokens.length ?? 0) > 0 &&
            Object.keys(configured?.upstreams ?? {}).length > 0;
          return isClosed ? [] : [end];
        } catch {
          return [];
        }
      });
    expect(opened).toEqual([]);
  });
});

it("takes a file that changes only once two looks have seen it the same", () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const config = join(newFolder(), "unloop.yaml");
  writeFileSync(config, "{}");
  const taken: string[] = [];
  const read = () => loadSettings({ env: {}, flags: { config } }).files;
  const end = watchFiles(read(), () => {
    taken.push(readFileSync(config, "utf8"));
    return read();
  });
  onTestFinished(() => {
    end();
    vi.useRealTimers();
  });
  for (const text of ["mode: o", "mode: obser", "mode: observe"]) {
    writeFileSync(config, text);
    vi.advanceTimersByTime(250);
  }
  expect(taken).toEqual([]);
  vi.advanceTimersByTime(1_000);
  expect(taken).toEqual(["mode: observe"]);
});
