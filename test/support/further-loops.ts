import { did, each, hex, said, times, together, user, words, type Message } from "./conversations.ts";

/** Agents that are thanked, corrected, denied and sent back, and do not notice. */
export const furtherLoops: Readonly<Record<string, readonly Message[]>> = {
  "empty replies, nobody speaks": [user("Go"), ...times(4, () => [said("")])],
  "attempt counter long": [
    user("Go"),
    ...times(5, (i) => [
      said(`Attempt ${i + 1}: I am still working on the report and will be done with the last section shortly.`),
      user("continue"),
    ]),
  ],
  "paraphrased announcements": [
    user("Fix it"),
    ...each(
      [
        "I'll begin by looking at the parser.",
        "I'm going to look at the parser first.",
        "Let me start with the parser.",
        "First, I will look into the parser.",
        "I will now examine the parser.",
      ],
      (t) => [said(t), user("Go ahead.")],
    ),
  ],
  "gratitude, long": [
    user("Thanks!"),
    ...times(4, (i) => [
      said(
        `You're welcome! It was a pleasure ${["helping", "working with", "assisting", "supporting"][i]} you. If you need anything else, don't hesitate to reach out. Have a wonderful day!`,
      ),
      user("Thank you so much for your help! Have a great day too, and take care!"),
    ]),
  ],
  "gratitude in whole paragraphs": [
    user("That is all."),
    ...each(
      [
        "You're welcome! It was a pleasure helping you today. Have a wonderful rest of your day, and take care!",
        "Thank you for your kind words! I really appreciate it. Wishing you all the best, and have a great evening!",
        "Likewise, it was lovely talking to you. Don't hesitate to reach out if you need anything else. Goodbye!",
      ],
      (text) => [
        said(text),
        user("Thank you so much for your help and your patience! I really appreciate it. Take care and goodbye!"),
      ],
    ),
  ],
  "gratitude, other words": [
    user("Bye"),
    ...each(
      [
        "Thank you! Wishing you all the best, goodbye!",
        "Take care and have a lovely evening!",
        "Thanks again, see you soon!",
        "Goodbye, take care!",
      ],
      (t, i) => [said(t), user(["You too, bye!", "Thanks, take care!", "See you!", "Bye!"][i] ?? "")],
    ),
  ],
  "growing timeout": [
    user("Fetch"),
    ...times(6, (i) =>
      did("http_get", { url: "https://a.example", timeout: 10 * (i + 1) }, "Error: request timed out"),
    ),
  ],
  "attempt argument": [
    user("Fetch"),
    ...times(6, (i) =>
      did("load_page", { url: "https://a.example", attempt: i + 1 }, "The page is blank. Nothing was rendered."),
    ),
  ],
  "job failed, asked again": [user("Wait"), ...times(5, () => did("get_job", { id: 7 }, { id: 7, status: "failed" }))],
  "paths spelled otherwise": [
    user("Read"),
    ...each(["a.txt", "./a.txt", "/repo/a.txt", "/repo/./a.txt", "a.txt", "./a.txt", "/repo/a.txt"], (p) =>
      did("read_file", { path: p }, "the whole text of a"),
    ),
  ],
  "status and diff, both empty": [
    user("Commit"),
    ...times(4, () => [
      ...did("bash", { command: "git status --short" }, ""),
      ...did("bash", { command: "git diff" }, ""),
    ]),
  ],
  "asks the user by a tool": [
    user("Deploy"),
    ...times(4, () => did("ask_user", { question: "Which environment?" }, "staging")),
  ],
  "hand-offs": [
    user("Refund"),
    ...times(4, () => [
      ...did("transfer_to_billing", {}, "Transferred to billing."),
      ...did("transfer_to_support", {}, "Transferred to support."),
    ]),
  ],
  "switches tools, host down": [
    user("Ping"),
    ...each(
      [
        ["curl", { u: "h" }],
        ["wget", { u: "h" }],
        ["fetch", { u: "h" }],
        ["http_get", { u: "h" }],
        ["browser_open", { u: "h" }],
        ["ping", { u: "h" }],
        ["telnet", { u: "h" }],
      ] as const,
      ([t, a]) => did(t, a, "Error: connect ECONNREFUSED 10.0.0.1:80"),
    ),
  ],
  "same message to the same person": [
    user("Tell Ann"),
    ...times(3, (i) => did("send_sms", { to: "+1", body: "We are late" }, { sid: `SM${hex(i)}`, status: "queued" })),
  ],
  "parallel duplicates each turn": [
    user("x"),
    ...times(4, () =>
      together([
        ["lookup", { k: 1 }, "one"],
        ["lookup", { k: 1 }, "one"],
      ]),
    ),
  ],
  "ping-pong in parallel": [
    user("x"),
    ...times(4, () => [
      ...together([
        ["a", {}, "text of a"],
        ["b", {}, "text of b"],
      ]),
      ...together([
        ["c", {}, "text of c"],
        ["d", {}, "text of d"],
      ]),
    ]),
  ],
  "denied again and again": [
    user("rm"),
    ...each(["rm -rf a", "rm -r a", "sudo rm -rf a", "rm a/*"], (c) =>
      did("bash", { command: c }, "Permission denied by user"),
    ),
  ],
  "read-only disk": [
    user("save"),
    ...each(["/a/x", "/b/x", "/c/x", "/d/x", "/e/x"], (p) =>
      did("write_file", { path: p, content: "t" }, "OSError: [Errno 30] Read-only file system"),
    ),
  ],
  "search then open the same": [
    user("x"),
    ...times(4, (i) => [
      ...did("web_search", { query: `kestrel ${words[i]}` }, "1. Kestrel Optics - about\n2. Kestrel - wiki"),
      ...did("open_url", { url: "https://k.example/about" }, "Kestrel Optics. About us. We make lenses."),
    ]),
  ],
  "observation as user, xml action": [
    user("x"),
    ...times(4, () => [said("<thought>look</thought>\n```bash\nls\n```"), user("<output>a b c</output>")]),
  ],
  "mini-swe style": [
    user("x"),
    ...times(4, () => [
      said("THOUGHT: check\n\n```bash\ncat a.py\n```"),
      user("<returncode>0</returncode>\n<output>\nprint(1)\n</output>"),
    ]),
  ],
  "code blocks as answers": [
    user("x"),
    ...times(4, () => [
      said("```python\nprint(df.head())\n```"),
      user("Execution result:\nNameError: name 'df' is not defined"),
    ]),
  ],
  "nag between calls": [
    user("solve"),
    ...times(5, (i) => [
      ...did("lookup", { q: "x" }, "no entry for x"),
      said(`I could not find ${words[i]} anywhere so far.`),
      user("You have not used the submit tool. Please continue."),
    ]),
  ],
  "same SQL error": [
    user("x"),
    ...each(["select a from t", "select a, b from t", "select t.a from t", "select a as x from t"], (q) =>
      did("sql", { query: q }, "(1054, \"Unknown column 'a' in 'field list'\")"),
    ),
  ],
  "JSON answers unparsed": [
    user("x"),
    ...times(4, (i) => [
      said(`{"action": "click", "target": ${i}`),
      user("Could not parse your response as valid JSON. Please answer with one JSON object."),
    ]),
  ],
  "window scroll bottom": [
    user("x"),
    ...times(5, () => did("scroll", { direction: "down" }, "Already at the bottom of the page.")),
  ],
  "back at the menu": [
    user("x"),
    ...times(4, () => [
      ...did("press", { key: "1" }, "Menu: 1 account 2 help 0 back"),
      ...did("press", { key: "0" }, "Main: 1 settings 0 exit"),
    ]),
  ],
  "clock between": [
    user("x"),
    ...times(5, (i) => [...did("get_time", {}, `10:0${i}:00`), ...did("read_mail", { id: 4 }, "Mail 4: lunch?")]),
  ],
  "list, read the same, list": [
    user("x"),
    ...times(4, () => [
      ...did("list_dir", { path: "." }, "a.md b.md"),
      ...did("read_file", { path: "a.md" }, "# A"),
      ...did("read_file", { path: "b.md" }, "# B"),
    ]),
  ],
};
