import { describe, expect, it } from "vitest";
import { countsOf } from "../support/builders/detection.ts";
import { call, heard, type Part, times } from "../support/builders/steps.ts";

const code = times(20, (i) => `export const value${i} = compute(input, ${i});`).join("\n");
const repeats = (parts: readonly Part[]) => countsOf("repeated-call", parts);
const answers = (parts: readonly Part[]) => countsOf("no-progress", parts);

describe("of the same call, what is new each time among many words is noise", () => {
  it.each([
    {
      name: "a tool that counts its calls",
      parts: times(4, (i) => call("read", { path: "a" }, `${code}\n(read ${i + 1} times)`)),
    },
    {
      name: "an id in a failure's report",
      parts: times(4, (i) =>
        call("up", { service: "web" }, `Error: cannot start web (${"a1".repeat(8)}${i}): port is already taken`),
      ),
    },
  ])("$name", ({ parts }) => expect(repeats(parts)[0]).toMatch(/^4/));
});

describe("what leads on, or is all that comes, is progress", () => {
  it.each([
    {
      name: "a way of which the length is told",
      parts: times(6, (i) =>
        call("next", {}, `You are looking at page ${i + 1} of 12 of the long report, turn it with next.`),
      ),
    },
    {
      name: "an id that is put to use",
      parts: times(6, (i) => [
        call(
          "next_ticket",
          {},
          `{"id":"T-${i + 300}","type":"bug","priority":"rather low","owner":"not set","due":"no"}`,
        ),
        call("inspect", { ticket: `T-${i + 300}` }, `the story of number ${i}`),
      ]).flat(),
    },
  ])("$name", ({ parts }) => {
    expect(repeats(parts)).toEqual([]);
    expect(answers(parts)).toEqual([]);
  });
});

describe("different calls learn nothing where the same is told in the same words", () => {
  const documents = ["Night work starts late.", "Overtime is paid monthly.", "Shifts are swapped on request."];
  it.each([
    {
      name: "the same documents in another order, with other scores",
      parts: times(6, (i) => {
        const hits = documents.map((text, k) => ({ id: `D-${k}`, text, score: 0.5 + ((i * 7 + k) % 9) / 100 }));
        return call(
          "search",
          { query: `words ${"abcdef"[i]}` },
          JSON.stringify([...hits.slice(i % 3), ...hits.slice(0, i % 3)]),
        );
      }),
      expected: ["6"],
    },
    {
      name: "but not another page of rows that look alike",
      parts: times(6, (i) =>
        call("list_orders", { page: i }, JSON.stringify({ page: i, orders: [{ id: 70 + i, status: "paid" }] })),
      ),
      expected: [],
    },
  ])("$name", ({ parts, expected }) => expect(answers(parts)).toEqual(expected));
});

describe("a change that moves nothing", () => {
  const red = (i: number) =>
    `FAIL slots wrap (pid ${7000 + i * 31})\nassertion left equals right failed: left is not right here`;
  const round = (i: number, text: string) => [call("edit", { line: i }, "edited"), call("run_tests", {}, text)];

  it("the same complaint after each change is one, by whatever command", () => {
    const error =
      "Traceback (most recent call last): IntegrityError: the column client of invoice contains null values";
    const round = (i: number) => [
      call("bash", { command: i % 2 ? "flask db upgrade" : "alembic upgrade head" }, error),
      call("write_file", { path: "migration.py", content: `${i} other lines of code` }, "written"),
    ];
    expect(answers(times(5, round).flat().slice(0, -1))).toEqual(["5 unmoved"]);
  });

  it("two complaints in turn are one, as an edit is undone and made again", () => {
    const errors = [
      "a.ts(9,9): error TS2322: the type of text is not assignable to the type of the field",
      "a.ts(10,3): error TS2345: what is returned lacks the property that the interface of it asks for",
    ];
    const parts = times(8, (i) => round(i, errors[i % 2] ?? "")).flat();
    expect(answers(parts)).toEqual(["6 unmoved"]);
    expect(
      answers(times(8, (i) => round(i, `a.ts: error TS23${i}: ${"abcdefgh"[i]} is of another type`)).flat()),
    ).toEqual([]);
  });

  it("is none where the check is content, or says something else each time", () => {
    expect(answers(times(6, (i) => round(i, "all is well, no complaint of any of the checks")).flat())).toEqual([]);
    expect(
      answers(times(6, (i) => round(i, `FAIL test of case ${"abcdef"[i]}: it is not what was expected`)).flat()),
    ).toEqual([]);
  });

  it("is none where too little is said to be the same complaint, or a user asks for another look", () => {
    expect(answers(times(6, (i) => round(i, "1 failed")).flat())).toEqual([]);
    expect(answers(times(6, (i) => [...round(i, red(i)), heard(`And now with ${"abcdef"[i]}?`)]).flat())).toEqual([]);
  });
});

describe("what a user has listed is worked through", () => {
  const ports = [21, 23, 25, 110, 139, 445];
  const probes = ports.map((port) =>
    call("probe", { host: "edge", port }, '{"ok":false,"error":"connection refused"}'),
  );

  it("a user's list that is worked through over and over is a loop, as is one where nothing can be asked", () => {
    const listing = heard(`Check that these ports of edge are closed: ${ports.slice(0, 3).join(", ")}.`);
    expect(countsOf("consecutive-failures", [listing, ...probes])).toEqual(["6 alike", "6 any"]);
    const denied = ports.map((port) => call("probe", { port }, "401 Unauthorized"));
    expect(answers([heard(`Look at ports ${ports.join(", ")}.`), ...denied])).toEqual(["6 failing"]);
  });
});
