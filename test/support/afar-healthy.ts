import { acted, did, each, hex, said, times, together, user, uuid, words, type Message } from "./conversations.ts";

const HOSTS = ["db-01", "db-02", "web-01", "web-02", "web-03", "cache-01", "queue-01", "mail-01"] as const;

/** Healthy work that looks like the loops in `afar-loops.ts`. */
export const afarHealthy: Readonly<Record<string, readonly Message[]>> = {
  "a light that is toggled as asked": [
    user("Toggle the light three times."),
    ...times(3, () => [...did("set_light", { on: true }, "ok"), ...did("set_light", { on: false }, "ok")]),
  ],
  "other wants with other tools": [
    user("Get the data."),
    ...did("read_file", { path: "data.csv" }, "Permission denied: data.csv belongs to root"),
    ...did("fetch_url", { url: "https://data.example" }, "403 Forbidden: this address is for members"),
    ...did("db_query", { q: "select 1" }, "access denied for user 'guest' to database 'sales'"),
    ...did("open_page", { page: "data" }, "A table of data"),
  ],
  "a build that gets further (tr)": [
    user("Docker imajını düzelt."),
    ...each(["package.json yok", "node sürümü eski", "tsc bulunamadı", "bellek yetmedi", "port dolu"], (why, i) => [
      ...did(
        "kabuk",
        { komut: "docker build -t web ." },
        `#${i + 3} [${i + 2}/8] RUN npm run build\nERROR: failed to solve: ${why}`,
      ),
      ...did("dosya_yaz", { yol: "Dockerfile", icerik: `FROM node:2${i}\nRUN ${words[i]}` }, "yazıldı"),
    ]),
    ...did("kabuk", { komut: "docker build -t web ." }, "Successfully tagged web:latest"),
  ],
  "hosts of an inventory that a tool brought (YAML)": [
    user("Does every host of the inventory have the patch?"),
    ...did(
      "read_file",
      { path: "inventory.yml" },
      `all:\n  hosts:\n${HOSTS.map((host) => `    ${host}:`).join("\n")}\n`,
    ),
    ...each(HOSTS, (host) =>
      did(
        "ssh_run",
        { host, command: "rpm -q --changelog openssl | grep CVE" },
        "- fix CVE-2026-1001 in the record layer",
      ),
    ),
  ],
  "ids of a JSON list that a tool brought": [
    user("Are all open tickets without an owner?"),
    ...did(
      "list_tickets",
      { state: "open" },
      { tickets: times8((i) => ({ id: `T-${810 + i * 7}`, title: words[i] })) },
    ),
    ...times(8, (i) =>
      did("get_owner", { ticket: `T-${810 + i * 7}` }, { owner: null, note: "This ticket has no owner yet" }),
    ),
  ],
  "a customer who buys again (pl)": [
    user("Chcę kupić kawę."),
    ...each(["mleko", "chleb", "masło", "ser", "jajka"], (item, i) => [
      ...did("dodaj_do_koszyka", { produkt: item }, { dodano: true, pozycji: i + 1 }),
      said("Dodałem do koszyka. Czy coś jeszcze?"),
      user(`Tak, jeszcze ${words[i]}.`),
    ]),
  ],
  "a wizard that goes on": [
    user("Register the company."),
    ...times(6, (i) =>
      did("browser_click", { text: "Next" }, `Step ${i + 2} of 8: ${words[i]}. Please fill in the fields.`),
    ),
  ],
  "notes of different insights": [
    user("Review the contract clause by clause."),
    ...times(7, (i) =>
      did(
        "write_note",
        {
          text: `Clause ${i + 1} on ${words[i]}: ${words[(i + 5) % 12]} is regulated, ${words[(i + 3) % 12]} is missing.`,
        },
        { note_id: 40 + i, saved: true },
      ),
    ),
  ],
  "a queue that is drained": [
    user("Process all messages."),
    ...times(9, (i) => [
      ...did("sqs_receive", { queue: "orders" }, { Messages: [{ MessageId: uuid(i), Body: `order ${words[i]}` }] }),
      ...did("sqs_delete", { queue: "orders", id: uuid(i) }, {}),
    ]),
    ...did("sqs_receive", { queue: "orders" }, { Messages: [] }),
  ],
  "workers with other chapters": [
    user("Proofread the book with sub-agents."),
    ...times(4, (k) =>
      together(
        times8(
          (i) =>
            [
              "delegate",
              { agent: "proof", task: `Proofread chapter ${k * 8 + i + 1}` },
              `Chapter ${k * 8 + i + 1}: no mistakes found.`,
            ] as const,
        ),
      ),
    ),
  ],
  "a canary watched as ordered": [
    user("Watch the canary's error rate every minute for ten minutes, then promote."),
    ...times(10, (i) => [
      ...did("error_rate", { service: "cart" }, `error rate 0.${4 + (i % 2)} %`),
      ...did("sleep", { seconds: 60 }, ""),
    ]),
    ...did("promote", { service: "cart" }, "promoted"),
  ],
  "edits with one acknowledgement (de)": [
    user("Benenne die Variable überall um."),
    ...times(12, (i) =>
      did("datei_aendern", { datei: `src/${words[i]}.ts`, suche: "foo", ersatz: "bar" }, "Änderung übernommen."),
    ),
  ],
  "letters read aloud": [
    user("Lies die Briefe vor."),
    ...times(8, (i) =>
      did(
        "tts",
        { text: `Sehr geehrte Frau ${words[i]}, wir danken für Ihr Schreiben.` },
        { audio: `${hex(i, 90)}==`, format: "mp3", seconds: 4 },
      ),
    ),
  ],
  "an order book, level by level": [
    user("Show the depth of the book."),
    ...times(10, (i) =>
      did("book_level", { level: i + 1 }, { level: i + 1, bid: 101.5 - i * 0.5, ask: 102 + i * 0.5, size: 100 }),
    ),
  ],
  "tests that pass after each change (ja)": [
    user("各ファイルに型を付けて。"),
    ...each(words.slice(0, 7), (word) => [
      ...did("edit", { file: `${word}.ts`, add: `: ${word}` }, "編集しました"),
      ...did("run", { cmd: "npm test" }, "Tests: 42 passed, 42 total"),
    ]),
  ],
  "thoughts between acts": [
    user("Solve the riddle."),
    ...times(6, (i) => [
      ...did("think", { thought: `The hint about ${words[i]} points to the ${words[i + 3]}.` }, "ok"),
      ...did("open_box", { name: words[i + 3] }, `inside: a ${words[i + 5]}`),
    ]),
  ],
  "an action in XML text, other places": [
    user("Where is Foo used?"),
    ...each(words.slice(0, 6), (word, i) =>
      acted(
        `<search_files>\n<path>src/${word}</path>\n<regex>Foo</regex>\n</search_files>`,
        `[search_files for 'Foo'] Result:\nFound ${i + 1} results.\nsrc/${word}/a.ts:${i * 9}: new Foo()`,
      ),
    ),
  ],
  "rejected until the right size (pl)": [
    user("Wgraj zdjęcie."),
    ...did("wgraj", { plik: "a.png", szerokosc: 4000 }, { blad: "Obraz jest za duży, najwyżej 2000 pikseli" }),
    ...did("wgraj", { plik: "a.png", szerokosc: 1800 }, { blad: "Plik ma 6 MB, najwyżej 5 MB" }),
    ...did("wgraj", { plik: "a.jpg", szerokosc: 1800 }, { ok: true }),
  ],
};

function times8<T>(make: (i: number) => T): readonly T[] {
  return Array.from({ length: 8 }, (_, i) => make(i));
}
