import { describe, expect, it } from "vitest";
import { countsOf } from "../support/builders/detection.ts";
import { call, type Part, times } from "../support/builders/steps.ts";

const repeats = (parts: readonly Part[]) => countsOf("repeated-call", parts);
const PAGE = times(6, (i) => `line ${"abcdef"[i]} of a page that says what the shop has on its shelves today`).join(
  "\n",
);

describe("a figure that every result counts on, whatever was called, is the harness's", () => {
  const numbered = (text: string, i: number) => `${text}\n<shellId: ${i} completed with exit code 0>`;
  const files = ["the first file tells of harbours", "the other one tells of the mountains behind them"];

  it("in two commands that take turns", () => {
    const parts = times(8, (i) => call("bash", { command: `cat ${"xy"[i % 2]}` }, numbered(files[i % 2] ?? "", i + 3)));
    expect(countsOf("call-cycle", parts)).toEqual(["4"]);
  });
});

describe("what the mouse and the page add is noise", () => {
  it("some pixels beside the click before", () => {
    const clicks = (step: number) => times(4, (i) => call("click", { x: 512 + step * i, y: 300 }, PAGE));
    expect(repeats(clicks(3))).toEqual(["4"]);
    expect(repeats(clicks(40))).toEqual([]);
  });

  it("elements that are numbered anew", () => {
    const shown = (i: number) => `[${i}] Home\n[${i + 1}] Cart\n[${i + 2}] Pay\nThe shop is closed for now`;
    expect(repeats(times(4, (i) => call("snapshot", {}, shown(7 * i))))).toEqual(["4"]);
  });
});

it("a function that is written again under another name is the same", () => {
  const code = (name: string) => `def ${name}(rows):\n    return rows[99]\n\n${name}([1, 2])`;
  const run = (name: string) => call("python", { code: code(name) }, "IndexError: list index out of range");
  expect(repeats(["solve", "solve_again", "attempt"].map(run))).toEqual(["3 failing"]);
});

describe("a long answer in which next to nothing differs", () => {
  const seen = (views: number, more = "") => call("open_listing", { id: "k7" }, `${PAGE}\n${views} views ${more}`);

  it("is told of from the sixth on, though its figure grows", () =>
    expect(repeats(times(6, (i) => seen(4_100 + 37 * i))).at(-1)).toBe("6 still"));

  it("is none where the figure is part of a whole, or the answer is short", () => {
    expect(repeats(times(8, (i) => seen(i + 1, `${i + 1} of 40`)))).toEqual([]);
    expect(repeats(times(8, (i) => call("total", {}, `${4_100 + 37 * i} rows`)))).toEqual([]);
  });
});

describe("the same words about another thing", () => {
  const warning = "WARNING the plugin of this build is deprecated and will be removed with the next major release";
  const build = (module: string) => call("bash", { command: `mvn -q -pl ${module} compile` }, warning);
  const modules = ["app/core", "app/web", "app/jobs", "lib/mail", "lib/pdf", "lib/auth", "tools/cli", "tools/seed"];

  it("are a walk, module by module", () => expect(countsOf("no-progress", modules.map(build))).toEqual([]));

  it("are none where nothing else is named", () =>
    expect(
      countsOf(
        "no-progress",
        times(6, (i) => build(modules[i % 2] ?? "")),
      )[0],
    ).toMatch(/^[4-6]/));
});
