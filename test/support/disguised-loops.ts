import { did, each, hex, times, user, uuid, words, type Message } from "./conversations.ts";

/** Agents that do the same again and again, under other names. */
export const disguisedLoops: Readonly<Record<string, readonly Message[]>> = {
  "500 with request id text": [
    user("Fetch"),
    ...times(6, (i) =>
      did(
        "get_invoice",
        { id: 7 },
        `500 Internal Server Error (request id: req_${hex(i)}) at 2026-03-0${i + 1}T10:00:00Z`,
      ),
    ),
  ],
  "error with uuid": [
    user("Fetch"),
    ...times(6, (i) =>
      did("get_invoice", { id: 7 }, `Internal error. Please contact support with reference ${uuid(i)}.`),
    ),
  ],
  "error json with uuid": [
    user("Fetch"),
    ...times(5, (i) => did("get_invoice", { id: 7 }, { error: "internal", reference: uuid(i) })),
  ],
  "create issue fresh ids": [
    user("File the bug"),
    ...times(5, (i) =>
      did(
        "create_issue",
        { title: "Login fails", body: "Steps: open, click." },
        { number: 101 + i, url: `https://git.example/i/${101 + i}`, state: "open" },
      ),
    ),
  ],
  "create draft fresh uuid": [
    user("Draft it"),
    ...times(5, (i) => did("create_draft", { subject: "Hi", body: "See you" }, { id: uuid(i), status: "created" })),
  ],
  "book twice": [
    user("Book a table"),
    ...times(4, (i) =>
      did(
        "book_table",
        { restaurant: "Luna", time: "19:00", people: 2 },
        { confirmation: hex(i, 6).toUpperCase(), restaurant: "Luna", time: "19:00" },
      ),
    ),
  ],
  "cycle of five with stamps": [
    user("Find it"),
    ...times(4, (k) =>
      each(["a", "b", "c", "d", "e"], (t, i) =>
        did("open_tab", { name: t }, `Tab ${t} loaded at 2026-01-01 10:0${k}:0${i}: ${words[i]}`),
      ),
    ),
  ],
  "401 at many urls": [
    user("Get data"),
    ...times(5, (i) => did("http_get", { url: `https://api.example/${words[i]}` }, "401 Unauthorized")),
  ],
  "made-up tools": [
    user("Do"),
    ...each(["open_db", "connect_db", "query_db", "sql_run", "db_exec"], (t) =>
      did(t, { q: "select 1" }, `Error: tool '${t}' not found`),
    ),
  ],
  "sql spelled otherwise": [
    user("Count"),
    ...each(
      [
        "SELECT * FROM users",
        "select * from users",
        "SELECT  * FROM users;",
        "select * from Users",
        "SELECT * FROM users ;",
        "SELECT * FROM `users`",
      ],
      (q) => did("sql", { query: q }, "[(1, 'ann', 'a@x.org'), (2, 'bob', 'b@x.org')]"),
    ),
  ],
  "two tools, one content": [
    user("Read"),
    ...times(4, () => [
      ...did("read_file", { path: "a.txt" }, "the whole text of a"),
      ...did("bash", { command: "cat a.txt" }, "the whole text of a"),
    ]),
  ],
  "weather with epochs only": [
    user("Weather"),
    ...times(5, (i) =>
      did("get_weather", { city: "Oslo" }, { city: "Oslo", temp_c: 4, fetched_at: 1763370840 + i * 7 }),
    ),
  ],
  "correlation id text": [
    user("Go"),
    ...times(5, (i) => did("sync", {}, `Nothing to sync. Correlation ID: ${hex(i)}`)),
  ],
  "took ms": [
    user("Go"),
    ...times(5, (i) =>
      did("search_docs", { q: "install" }, `3 hits (took ${12 + i} ms)\ninstall.md\nsetup.md\nfaq.md`),
    ),
  ],
  "tmp paths": [
    user("Go"),
    ...times(5, (i) => did("export_pdf", { doc: "a" }, `Rendered to /tmp/tmp${hex(i)}/out.pdf (3 pages)`)),
  ],
  "wrong param names": [
    user("Mail"),
    ...each([{ to: "a" }, { recipient: "a" }, { address: "a" }, { email: "a" }], (a) =>
      did("send_mail", a, "Validation error: field 'to_address' is required"),
    ),
  ],
  "same test, no change": [
    user("Fix"),
    ...times(4, (i) =>
      did(
        "bash",
        { command: "pytest -q" },
        `....F\nFAILED tests/test_a.py::test_x - AssertionError: assert 3 == 4\n1 failed, 4 passed in 0.${i + 1}2s`,
      ),
    ),
  ],
  "japanese search": [
    user("調べて"),
    ...each(["東京 天気 明日", "明日 東京 天気", "天気 東京 明日", "東京の明日の天気", "明日の東京の天気"], (q) =>
      did("検索", { q }, "検索結果は前回と同じです。東京の天気に関するページが見つかりました。"),
    ),
  ],
  "narrated repeats": [
    user("Go"),
    ...each(["Let me check.", "Hmm, once more.", "Perhaps now it works.", "I will verify again."], (t) =>
      did("read_config", {}, "mode: safe", t),
    ),
  ],
  "not found in other words": [
    user("Find"),
    ...each(
      [
        "Who built the Vane Hall",
        "Vane Hall architect",
        "architect of Vane Hall",
        "Vane Hall built by",
        "Vane Hall designer",
      ],
      (q) => did("search", { input: q }, "Could not find that page, please try again."),
    ),
  ],
  "curl variants": [
    user("Get"),
    ...each(
      [
        "curl http://localhost:8080",
        "curl -s http://localhost:8080",
        "curl -v http://localhost:8080",
        "curl http://127.0.0.1:8080",
        "curl -s -o - http://localhost:8080",
      ],
      (c) => did("bash", { command: c }, "curl: (7) Failed to connect to localhost port 8080: Connection refused"),
    ),
  ],
  "install fails alike": [
    user("Get"),
    ...each(
      [
        "pip install foo",
        "pip3 install foo",
        "python -m pip install foo",
        "pip install foo --user",
        "pip install foo==1.0",
      ],
      (c) => did("bash", { command: c }, "ERROR: No matching distribution found for foo"),
    ),
  ],
};
