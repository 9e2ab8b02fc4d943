import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type DetectorName, doubtIn } from "../../src/engine/engine.ts";
import { evidenceAt } from "../../src/engine/evidence.ts";
import { viewOf } from "../../src/engine/view.ts";
import { countsOf, judgeWith, ledgerAfter } from "../support/builders/detection.ts";
import { ask, call, conversation, heard, type Part, said, times, together } from "../support/builders/steps.ts";

type Row = readonly [name: string, detector: DetectorName, parts: readonly Part[], counts: readonly unknown[]];

/** The first counts, where a pattern stands for some. */
function expectCounts(found: readonly string[], counts: readonly unknown[]): void {
  const patterns = counts.map((count) => (count instanceof RegExp ? expect.stringMatching(count) : count));
  expect(found.slice(0, Math.max(1, counts.length))).toEqual(patterns);
}

const letters = "abcdefgh";
const PAGE = times(6, (i) => `line ${letters[i]} of a page that says what the shop has on its shelves today`).join(
  "\n",
);
const KESTREL =
  "Kestrel Optics makes lenses for field microscopes and telescopes, sells through regional dealers, offers repair and training.";
const words = ["founded", "history", "origin", "start", "established", "year", "beginning", "first"];
const search = (i: number, text = KESTREL) => call("search", { q: `kestrel ${words[i]}` }, text);

/* What differs in a result and means nothing, and what differs and leads on. */

const clicks = (step: number) => times(4, (i) => call("click", { x: 512 + step * i, y: 300 }, PAGE));
const computer = (step: number) =>
  times(4, (i) => {
    const args = { action: "left_click", coordinate: [512 + step * i, 300] };
    return call("computer", args, "The layer list. The layer is still displayed.");
  });
const map = (at: number) =>
  `The hall.\n|${".".repeat(at)}@${".".repeat(14 - at)}|\nYou stand in the hall of the old castle T:${at}`;
const why = ["I go on.", "The page is the same, so I click again.", "I have to press Next.", "Once more, then!"];
const explained = times(4, (i) => call("click", { pensée: why[i] ?? "", cible: 6 }, PAGE));
const sentences = [
  "Dear Anna, the ship is in.",
  "Its cargo is coffee.",
  "We unload at nine.",
  "Best wishes from us all.",
];
const worded = (tool: string, args: (sentence: string) => object) =>
  sentences.map((sentence) => call(tool, args(sentence), PAGE));
const found = (text: string) => call("find", { q: "kestrel" }, text);
const foundIn = (text: string) => ask("find", { q: "kestrel" }, text);
const besideNews = [together(foundIn("No matches"), foundIn(PAGE)), found("No matches"), found("No matches")];
const queued = (i: number) =>
  call("ci_jobs", { id: 7 }, `{"jobs":[{"name":"arm","state":"created","queued_duration":${31.2 + 14 * i}}]}`);
const covered = (i: number) =>
  call("click", { index: i }, `Clicked ${i}\nTitle Sign in\n[${i + 5}] Accept all cookies\nThe dialog covers the page`);
const files = ["the first file tells of harbours", "the other one tells of the mountains behind them"];
const shell = (i: number) =>
  call("bash", { command: `cat ${"xy"[i % 2]}` }, `${files[i % 2]}\n<shellId: ${i} completed with exit code 0>`);
const listing = (views: number, more = "") => call("open_listing", { id: "k7" }, `${PAGE}\n${views} views ${more}`);
const started = (i: number) =>
  call("up", { service: "web" }, `Error: cannot start web (${"a1".repeat(8)}${i}): port is already taken`);
const tickets = times(6, (i) => [
  call("next_ticket", {}, `{"id":"T-${i + 300}","type":"bug","priority":"rather low","owner":"not set"}`),
  call("inspect", { ticket: `T-${i + 300}` }, `the story of number ${i}`),
]).flat();
const note = (text: (i: number) => string, result = "Record x9 belongs to the harbour office in Split") =>
  times(4, (i) => [call("lookup", { id: "x9" }, result), heard(text(i))]).flat();

it.each<Row>([
  ["another index of an element on an unchanged page is noise", "no-progress", times(6, covered), ["6"]],
  ["some pixels beside the click before are", "repeated-call", clicks(3), ["4"]],
  ["so they are of a tool that takes every gesture", "repeated-call", computer(3), ["4"]],
  ["but far from it another place is clicked", "repeated-call", computer(90), []],
  ["why a click is made is no part of it, by any name", "repeated-call", explained, ["4"]],
  ["but what is typed is", "repeated-call", worded("computer", (text) => ({ action: "type", text })), []],
  ["what is kept under a key is", "repeated-call", worded("put_key", (value) => ({ key: "log", value })), []],
  ["what is to be done is", "repeated-call", worded("act", (said) => ({ action: `${said} Click.`, tab: 1 })), []],
  ["what alone says where to click is", "repeated-call", worded("click", (at) => ({ at, timeout: 9 })), []],
  ["a call beside one with other news is another turn", "repeated-call", besideNews, ["2"]],
  ["how long something took so far is no news", "repeated-call", times(4, queued), [/^4/]],
  ["a figure that every result counts on is the harness's", "call-cycle", times(8, shell), ["4"]],
  ["an id in a failure's report is", "repeated-call", times(4, started), [/^4/]],
  ["a figure that grows in a long answer is, late", "repeated-call", times(6, (i) => listing(37 * i)), ["6 still"]],
  ["to want it twice lifts nothing", "repeated-call", [heard("Run the tests twice."), ...clicks(3)], ["4"]],
  ["a map is told by its signs", "repeated-call", times(8, (i) => call("press", { key: "l" }, map(i))), []],
  ["but not a part of a whole", "repeated-call", times(8, (i) => listing(i + 1, `${i + 1} of 40`)), []],
  ["nor an id that is put to use", "repeated-call", tickets, []],
  ["a note that counts what is left is no news", "repeated-call", note((i) => `Remaining steps: ${24 - i}`), ["4"]],
  ["nor one of the time", "repeated-call", note((i) => `<env>\n# Time\n11/23/2026, 3:1${i}:11 AM\n</env>`), ["4"]],
  ["but it may be what the act has brought", "repeated-call", note((i) => `Page ${i + 1} of 9 is shown`, "ok"), []],
])("of the same call: %s", (_, detector, parts, counts) => expectCounts(countsOf(detector, parts), counts));

/* Different calls that learn the same. */

const documents = ["Night work starts late.", "Overtime is paid monthly.", "Shifts are swapped on request."];
const hits = (i: number) => {
  const all = documents.map((text, k) => ({ id: `D-${k}`, text, score: 0.5 + ((i * 7 + k) % 9) / 100 }));
  return call("search", { query: `word ${letters[i]}` }, JSON.stringify([...all.slice(i % 3), ...all.slice(0, i % 3)]));
};
const orders = (page: number) =>
  call("list_orders", { page }, JSON.stringify({ page, orders: [{ id: 70 + page, status: "paid" }] }));
const modules = ["app/core", "app/web", "app/jobs", "lib/mail", "lib/pdf", "lib/auth", "tools/cli", "tools/seed"];
const warning = "WARNING the plugin of this build is deprecated and will be removed with the next major release";
const build = (module = "") => call("bash", { command: `mvn -q -pl ${module} compile` }, warning);
const round = (i: number, text: string) => [call("edit", { line: i }, "edited"), call("run_tests", {}, text)];
const rounds = (count: number, text: (i: number) => string) => times(count, (i) => round(i, text(i))).flat();
const integrity =
  "Traceback (most recent call last): IntegrityError: the column client of invoice contains null values";
const migrated = times(5, (i) => [
  call("bash", { command: i % 2 ? "flask db upgrade" : "alembic upgrade head" }, integrity),
  call("write_file", { path: "migration.py", content: `${i} other lines of code` }, "written"),
]).flat();
const denied = (i: number) => {
  const told = `"Die Periode 09/2024 ist gesperrt. Buchung nicht möglich.","request":"a7f1-${i + 20}"`;
  return call(
    "create_posting",
    { invoice: "EB-3318", sum: 4212 + i, text: words[i] },
    `{"status":"abgelehnt","why":${told}}`,
  );
};
const ports = [21, 23, 25, 110, 139, 445];
const refused = ports.map((port) => call("probe", { host: "edge", port }, '{"ok":false,"error":"connection refused"}'));
const openings = ["Dear all,", "A kind word:", "Good day,", "We write again:", "Just so you know:", "One more note:"];
const reminders = (invoice: (i: number) => string) =>
  openings.map((opening, i) => {
    const text = `${opening} ${letters[i]}${letters[i]} invoice ${invoice(i)} is open, ${letters[i]} please pay it ${i} days from now`;
    return call(
      "send_email",
      { to: "a@shop.example", text },
      `{"status":"accepted","id":"<66c59d${i}e.44${i}0@m.example>"}`,
    );
  });
const states = [
  "I have started to read src/parser.ts and will come back with what I find there.",
  "The bug in src/parser.ts is a missing check in the branch for numbers; writing a fix.",
  "A first version of the change to src/parser.ts is done, now running all the tests.",
  "Two tests failed after the edit of src/parser.ts because a fixture was old; updated that.",
  "Everything is green: src/parser.ts is mended and the pull request waits for your review.",
  "Merged. The release notes have src/parser.ts under bug fixes, and the ticket is closed.",
].map((text, i) => call("send_message", { channel: "team", text }, `{"ok":true,"ts":"17000${i}.00${i}"}`));
const listed = (count: number) =>
  heard(`Check that these ports of edge are closed: ${ports.slice(0, count).join(", ")}.`);

it.each<Row>([
  ["the same long answer to other questions", "no-progress", times(5, (i) => search(i)), ["5"]],
  ["up to another answer", "no-progress", [search(0), search(1), search(2, "In 1901."), search(3), search(4)], ["3"]],
  ["errors without a cure", "no-progress", times(3, (i) => call("get", { i }, `Error: 403 for ${i}`)), ["3 failing"]],
  ["the same documents in another order are the same", "no-progress", times(6, hits), ["6"]],
  ["another page of rows that look alike is not", "no-progress", times(6, orders), []],
  ["the same words about another thing are a walk", "no-progress", modules.map(build), []],
  ["the same complaint after each change, by any command", "no-progress", migrated.slice(0, -1), ["5 unmoved"]],
  ["nor is a check that is content", "no-progress", rounds(6, () => "all is well, no complaint of the checks"), []],
  ["a change that is denied in the same words, whatever figures it names", "no-progress", times(6, denied), ["6"]],
  ["searches that count no hits", "no-progress", times(8, (i) => search(i, "0 matches (911 files searched)")), [/^6/]],
  [
    "nor are checks that find nothing wrong",
    "no-progress",
    words.map((name) => call("scan_package", { name }, "0 vulnerabilities")),
    [],
  ],
  ["a message in other words that names the same", "no-progress", reminders(() => "RE-1187"), [/./]],
  ["a message that names another thing is not", "no-progress", reminders((i) => `RE-118${i}`), []],
  ["nor is each state of work on one file", "no-progress", states, []],
  ["a list that goes on beyond its end fails", "consecutive-failures", [listed(3), ...refused], ["6 alike", "6 any"]],
])("of different calls: %s", (_, detector, parts, counts) => expectCounts(countsOf(detector, parts), counts));

/* Words. */

const excuses = [
  "It is all there.",
  "I have nothing to add.",
  "Every point was done.",
  "As I said: done.",
  "Look at it again.",
];
const pushedBy = (prompt: string, quotes = false) =>
  excuses.flatMap((text) => [said(text), heard(quotes ? `${prompt}:\n${text}` : prompt)]);
const thinking = (texts: readonly string[]) => texts.map((thought, number) => call("think", { thought, number }, "ok"));
const thoughts = [
  "We need to check the train times before we book a hotel.",
  "Before booking the hotel the train times have to be checked.",
  "So first the train times, and then the hotel.",
  "Check the train times first, and book the hotel then.",
  "To book the hotel we need the train times first.",
  "First the train times, then the hotel.",
];
const questions = [
  "Hello! To look into this we need the serial number on the back of your reader.",
  "Thank you for your reply. Could you please send us the serial number of your reader?",
  "To look into this, please send the serial number; it is on the back of your reader.",
  "Hello again! Could you please look at the back of your reader and send us the serial number?",
  "Thank you! We need the serial number of your reader to look into this.",
  "Hello, please send us the number on the back of your reader, the serial number.",
];
const asking = (tool: string, to = (_: number) => "58") =>
  questions.flatMap((text, i) => [
    call("get_ticket", { id: "58" }, times(i + 1, (k) => `the customer has written ${words[k]}`).join("; ")),
    call(tool, { to: to(i), text }, "ok"),
  ]);
const farewells = [
  ["Nema na čemu! Lijep dan!", "Hvala, lijep dan i vama!"],
  ["Hvala i vama! Doviđenja!", "Doviđenja, lijep dan!"],
  ["Doviđenja! Hvala!", "Hvala, doviđenja!"],
  ["Lijep dan! Doviđenja!", "Doviđenja i hvala!"],
].flatMap(([ours = "", theirs = ""]) => [said(ours), heard(theirs)]);

const asks = ["May I have your order's number?", "I need your order's number.", "Thanks, what number is your order?"];
const guesses = (count: number) =>
  times(count, () => given(["higher!", "lower!"], ["Is it two hundred and ninety?", "Is it three hundred?"])).flat();
const chapters = [
  "The first harbour lies below a white chapel; fishermen sell from their boats until nine in the morning on weekdays.",
  "Behind the old mill a path climbs through vineyards, and two benches look over valleys full of almond trees.",
  "Salt was won here for centuries: shallow basins, wooden sluices, heaps under tarpaulins, herons standing between them.",
  "Trains stop twice daily; from that platform a steep lane leads past bakeries towards castle gates closed every Monday.",
  "Bring wide tyres, much water, cash for ferries, sun cream, spare tubes, rain jacket, lights since tunnels stay dark.",
].flatMap((text) => [said(text), heard("[auto] Continue.")]);
const common = "the and of a to in was that with his on for".split(" ");
/** Each in words of its own, among those that every text has. */
const prose = times(40, (i) => {
  const own = (k: number) => `${letters[i % 8]}${letters[k % 8]}o${letters[i >> 3]}${letters[k >> 3]}an`;
  return [said(times(32, (k) => `${common[(i + k) % 12]} ${own(k)}`).join(" ")), heard("[auto] Continue.")];
}).flat();
const given = (answers: readonly string[], asked = asks) =>
  answers.flatMap((text, i) => [said(asked[i % asked.length] ?? ""), heard(text)]);

it.each<Row>([
  ["a harness that says the same again", "repeated-message", pushedBy("[CHECK] nothing was written"), ["5 pushed"]],
  [
    "a harness that quotes each answer",
    "repeated-message",
    pushedBy("[CHECK] nothing was written", true),
    ["5 pushed"],
  ],
  [
    "a number that is given again and again is not heard",
    "repeated-message",
    given(["R-208", "It is R-208!", "as I said: r-208.", "R-208"]),
    ["4 unheeded"],
  ],
  [
    "though it is looked for where it has been looked for before",
    "repeated-message",
    ["R-208", "It is R-208!", "as I said: r-208."].flatMap((text, i) => [
      call("find", { order: "R-208" }, "no order"),
      said(asks[i] ?? ""),
      heard(text),
    ]),
    ["3 unheeded"],
  ],
  [
    "a quiz is a talk, whatever the run has done before",
    "repeated-message",
    [
      call("load_deck", {}, PAGE),
      ...given(
        words,
        words.map((word) => `Correct, well done! Next question: what is the German word for "${word}"?`),
      ),
    ],
    [],
  ],
  ["chapters that a program asks for one by one are no excuses", "repeated-message", chapters, []],
  ["nor are those of a long book, whose words are everybody's", "repeated-message", prose, []],
  ["farewells in a language without a list are known by saying again", "polite-closure", farewells, ["4 echo"]],
  ["thoughts in other words are the same", "repeated-message", thinking(thoughts), [/^[5-6] reworded/]],
  ["so is what one customer is asked again", "repeated-message", asking("send_reply"), [/^[5-6] reworded/]],
  ["by whatever tool a person is asked", "repeated-message", asking("ask_followup_question"), [/^[5-6] reworded/]],
  ["but not what several customers are asked", "repeated-message", asking("send_reply", (i) => `${i}`), []],
  ["nor is each state of work on one file", "repeated-message", states, []],
])("of words: %s", (_, detector, parts, counts) => {
  const found = countsOf(detector, parts).filter((one) => /pushed|unheeded|echo|reworded/.test(one));
  expectCounts(found, counts);
});

it("guesses that both sides go round with are a refrain, other guesses are none", () => {
  expect(countsOf("repeated-message", guesses(4))).toContain("4 refrain");
  const others = given(
    ["higher!", "lower!"],
    words.map((word) => `Is it ${word}?`),
  );
  expect(countsOf("repeated-message", others)).not.toContainEqual(expect.stringContaining("refrain"));
});

function evidenceOf(parts: readonly Part[]) {
  const { window, total } = ledgerAfter(conversation(parts), judgeWith());
  return evidenceAt(viewOf({ window, total, requestedRepeats: 0, elsewhere: 0 }).actions);
}

describe("the evidence that nothing new is learnt", () => {
  const poem = [
    ...["The harbour lies in the morning mist", "and a gull cries over the empty pier"],
    ...["where nets are hung between two masts", "until the fishermen return from sea"],
    ...["with silver in their heavy wooden boats", "and songs about the lanterns of the town"],
    ...["that wait for them along the narrow quay", "as candles wait behind a window pane"],
  ];
  const read = (from: number, i: number) =>
    call("read", { file: "poem", window: words[i] }, poem.slice(from, from + 4).join("\n"));
  const lines = times(12, (i) => `${words[i % 8]} of the harbour is told in line ${letters[i % 8]}${i}`);
  const slice = (from: number) => {
    const told = lines.slice(from, from === 0 ? 12 : from + 4);
    const numbered = told.map((line, i) => `${String(from + i + 1).padStart(4)}\t${line}`);
    return call("view", { path: "harbour.txt", from, to: from + told.length }, numbered.join("\n"));
  };
  const verdict = (i: number) =>
    call("can", { of: `may the ${words[i % 8]} be changed by ${i % 3}` }, i % 4 ? "no" : "yes");
  const jobs = (news: number) =>
    together(...times(12, (i) => ask("job", { id: `j${i}` }, i === 11 ? `${words[news]} is done` : KESTREL)));

  it.each<readonly [name: string, parts: readonly Part[], sum: number]>([
    ["one long answer to four more questions", times(5, (i) => search(i)), 4],
    ["other windows of one text, all of whose lines were told", [0, 4, 2, 1, 3, 2].map(read), 4],
    ["slices of a file that was read whole, with their numbers in front", [0, 2, 6, 4].map(slice), 3],
    ["a wide turn of which all is known", times(6, () => jobs(0)), 5],
    ["a wide turn whose last call brings something new", times(6, jobs), 0],
  ])("%s: %d", (_, parts, sum) => expect(evidenceOf(parts).sum).toBeCloseTo(sum, 5));

  it("is little where a verdict of one word comes to many questions, or something new at the last step", () => {
    const found = [...times(5, (i) => search(i)), call("read", {}, "an article that is new")];
    for (const parts of [times(9, verdict), found]) expect(evidenceOf(parts).sum).toBeLessThan(2);
  });

  it("is never less than nothing, nor more than the steps that add to it", () => {
    const part = fc.oneof(
      fc
        .tuple(fc.constantFrom("search", "read", "send_email", "press"), fc.nat(3), fc.nat(3))
        .map(([tool, asks, tells]) => call(tool, { q: words[asks] }, `${KESTREL} ${words[tells]}`)),
      fc.constantFrom("And the other one?", "Thanks, now the next.").map((text) => heard(text)),
    );
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 40 }), (parts) => {
        const { sum, actions } = evidenceOf([call("look", {}, "a first look"), ...parts]);
        expect(sum).toBeGreaterThanOrEqual(0);
        expect(sum).toBeLessThanOrEqual(actions.length);
      }),
    );
  });
});

describe("a judge's doubt", () => {
  const state = (i: number) => `frame ${14_016 + 37 * i} of the game, at the bed of the house, nothing in the box`;
  const questions = ["Which size do you want, small or large?", "Do you want small or large, which size?"];
  const asks = (replies: readonly string[]) =>
    replies.flatMap((reply, i) => [said(questions[i % 2] ?? ""), heard(reply)]);

  it.each<readonly [name: string, parts: readonly Part[], doubt: string | undefined, least: number]>([
    ["acts answered in the same form", times(3, (i) => call("press", { button: "a" }, state(i * i))), "acts", 2],
    ["acts that hear what is known", times(3, (i) => search(i)), "acts", 2],
    ["sooner, as the policy says", times(2, (i) => search(i)), "acts", 1],
    ["acts with other answers", times(6, (i) => call("read", { page: i }, `${letters[i]} chapter`)), undefined, 2],
    ["talk that asks the same in other words", asks(["Large.", "Large!", "The large one."]), "talk", 2],
  ])("%s: %s", (_, parts, doubt, least) => {
    const { window, total } = ledgerAfter(conversation(parts), judgeWith());
    const found = doubtIn({ window, total, requestedRepeats: 0, elsewhere: 0 }, least)?.loop;
    expect(found).toBe(doubt && `judged-loop:${doubt}`);
  });
});
