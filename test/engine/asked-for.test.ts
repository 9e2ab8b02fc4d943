import { describe, expect, it } from "vitest";
import { storyOf } from "../support/builders/detection.ts";
import { call, conversation, heard, type Part, times } from "../support/builders/steps.ts";

const rungs = (parts: readonly Part[], system?: string) => storyOf(conversation(parts, system));
const counted = (lines: readonly string[]) => lines.map((line) => line.replace(/ .* x/, " ").replace(/ at .*/, ""));

const run = (i: number) =>
  call("bash", { command: "npx vitest run upload" }, `PASS test/upload.test.ts (1 test) 1.${20 + ((i * 37) % 60)}s`);

describe("a run that was asked for by a number is left alone for so many, and no more", () => {
  it.each([["English", "Run the upload test 20 times and tell me how often it fails."]])("%s", (_, wish) => {
    expect(rungs([heard(wish), ...times(20, run)])).toEqual([]);
    expect(counted(rungs([heard(wish), ...times(30, run)])).slice(0, 2)).toEqual(["nudge 3", "force-done 5"]);
  });

  it("beyond what a window holds, too", () => {
    const wish = heard("Run the upload test 100 times.");
    expect(rungs([wish, ...times(102, run)])).toEqual([]);
    expect(counted(rungs([wish, ...times(110, run)])).slice(0, 2)).toEqual(["nudge 3", "force-done 5"]);
  });

  it("while another call that repeats is told of as ever", () => {
    const wish = heard("Run the upload test 5 times, then sum it up.");
    const reads = times(6, () =>
      call("read_file", { path: "conf/app.yaml" }, "port: 80\nhost: example.org\nmode: fast"),
    );
    expect(counted(rungs([wish, ...times(5, run), ...reads])).slice(0, 2)).toEqual(["nudge 3", "force-done 5"]);
  });
});

describe("a run that was asked for without a number leads to a word at most, and late", () => {
  const all = (lap: (i: number) => readonly Part[], wish: string, system?: string, laps = 50) =>
    counted(rungs([heard(wish), ...times(laps, lap).flat()], system));

  it.each([
    ["until it fails", "The upload test is flaky. Run it again and again until it fails, then show me the log."],
  ])("%s", (_, wish) => expect(all((i) => [run(i)], wish)).toEqual(["nudge 3"]));

  it("a look at every minute, with pauses between", () => {
    const look = () => [call("sleep", { seconds: 60 }, "ok"), call("get_status", { id: 7 }, "status: waiting")];
    expect(all(look, "Check the status of job 7 every minute.").filter((line) => !line.startsWith("nudge"))).toEqual(
      [],
    );
  });

  it("the system text, in place of the user", () => {
    const system = "You watch the upload test: run it until it fails.";
    expect(all((i) => [run(i)], "Begin.", system)).toEqual(["nudge 3"]);
  });

  it.each([["nothing is to be done until then", "Is the shop open until 8 pm?"]])("unless %s", (_, wish) =>
    expect(all((i) => [run(i)], wish, undefined, 8).slice(0, 2)).toEqual(["nudge 3", "force-done 5"]),
  );

  it("unless it has failed for good", () => {
    const fails = () => [call("bash", { command: "npx vitest run upload" }, "FAIL upload: expected 1 to be 2", true)];
    expect(all(fails, "Run the upload test until it fails.", undefined, 8).slice(0, 2)).toEqual([
      "nudge 3",
      "force-done 4",
    ]);
  });
});

const names =
  "Abel Bruns Costa Drew Eder Funk Graf Holm Imhof Jahn Kurz Lang Mohr Nagy Otto Paul Quast Roth Senn Toth".split(" ");

describe("a list is worked through, however alike the answers are", () => {
  const screened = names.map((name) => call("check_sanctions", { name }, "No matches found in the sanctions lists."));

  it("one of the system text", () => {
    expect(rungs([heard("Screen every client."), ...screened], `Clients: ${names.join(", ")}`)).toEqual([]);
    expect(rungs([heard("Screen every client."), ...screened])).not.toEqual([]);
  });

  it("one of hundreds of items", () => {
    const codes = times(300, (i) => `Customer number ${i * 7919} of the northern branch`);
    const calls = codes
      .slice(250, 280)
      .map((name) => call("check_sanctions", { name }, "No matches found in the sanctions lists."));
    expect(rungs([heard(`Screen them:\n${codes.map((name) => `- ${name}`).join("\n")}`), ...calls])).toEqual([]);
  });

  it.each([
    ["a path", (name: string) => ({ pattern: "TODO", path: `src/${name}.ts` })],
    ["a command", (name: string) => ({ command: `grep -n TODO src/${name}.ts` })],
  ])("one that a folder lists, each named in %s", (_, args) => {
    const files = names.map((name) => name.toLowerCase());
    const listing = call("ls", { path: "src" }, files.map((file) => `${file}.ts`).join("\n"));
    const looks = files.map((file) => call("grep", args(file), "No matches found"));
    expect(rungs([heard("Look in each file for a leftover TODO."), listing, ...looks])).toEqual([]);
  });

  it.each(["Load blocks 1 to 24.", "Load all 24 blocks."])("%s", (wish) => {
    const loads = times(24, (i) => call("load_block", { block: i + 1 }, "Loaded 1000 rows into memory."));
    expect(rungs([heard(wish), ...loads])).toEqual([]);
  });

  it("unless it is gone through a second time", () => {
    const parts = [heard("Screen every client."), ...screened, ...screened.slice(0, 12)];
    expect(rungs(parts, `Clients: ${names.join(", ")}`)).not.toEqual([]);
  });
});
