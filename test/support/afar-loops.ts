import { acted, did, each, hex, said, times, user, uuid, words, type Message } from "./conversations.ts";

/** Loops in yet other words, written when those in `abroad-loops.ts` were all found. */
export const afarLoops: Readonly<Record<string, readonly Message[]>> = {
  "one want of rights, whatever tool": [
    user("Get the report."),
    ...each(["read_report", "fetch_url", "download_file", "open_page", "get_object"], (tool, i) =>
      did(
        tool,
        { target: `report-${words[i]}` },
        `403 Forbidden: your account has no access to reports (request ${hex(i, 8)})`,
      ),
    ),
  ],
  "the same build log under new layers (tr)": [
    user("Docker imajını düzelt."),
    ...times(5, (i) =>
      did(
        "kabuk",
        { komut: "docker build -t web ." },
        `#${i + 3} [internal] load build definition\n#${i + 4} sha256:${hex(i, 40)} ${i}.2kB done\nERROR: failed to solve: process "/bin/sh -c npm run build" did not complete successfully: exit code: 2`,
      ),
    ),
  ],
  "a form that misses the same thing (vi)": [
    user("Nộp tờ khai thuế."),
    ...each(["tháng 1", "quý 1", "năm 2025", "tháng 01/2026", "kỳ 1", "kỳ đầu"], (ky) =>
      did("nop_to_khai", { ky, loai: "GTGT" }, { ket_qua: "that_bai", ly_do: "Thiếu chữ ký số của người đại diện" }),
    ),
  ],
  "a bot that forgets (pl)": [
    user("Chcę zwrócić buty."),
    ...each(["Zamówienie 7781.", "Numer 7781.", "Mówiłem: 7781.", "To 7781, proszę.", "7781!"], (answer) => [
      said("Aby zwrócić produkt, proszę podać numer zamówienia."),
      user(answer),
    ]),
  ],
  "farewells (sv)": [
    user("Okej."),
    said("Varsågod! Ha en fin dag!"),
    user("Tack, detsamma! Ha det bra!"),
    said("Tack! Ha det så bra!"),
    user("Tack, ha en fin dag!"),
    said("Hej då, ha en fin kväll!"),
    user("Hej då, tack!"),
    said("Tack, hej då!"),
    user("Ha det bra, hej då!"),
    said("Hej då!"),
    user("Tack, hej då!"),
  ],
  "an inspector that opens the same panel": [
    user("Why is the button grey?"),
    ...times(5, (i) =>
      did(
        "devtools_inspect",
        { selector: "#buy" },
        {
          nodeId: 90 + i,
          backendNodeId: 4100 + i * 13,
          computed: { color: "rgb(128,128,128)", cursor: "not-allowed", display: "inline-block" },
          matchedRule: "button[disabled]",
        },
      ),
    ),
  ],
  "a claim that is refused whatever it is called (nl)": [
    user("Dien de declaratie in."),
    ...each(
      [
        ["taxi", 40],
        ["vervoer", 40],
        ["reiskosten", 38],
        ["taxi", 35],
        ["parkeren", 12],
        ["reis", 40],
        ["overig", 40],
      ] as const,
      ([soort, bedrag], i) =>
        did(
          "declaratie_indienen",
          { soort, bedrag },
          `Geweigerd: het budget van deze afdeling is gesloten. Referentie ${hex(i, 8)}.`,
        ),
    ),
  ],
  "notes of one insight": [
    user("Review the contract and give your verdict."),
    ...each(
      [
        "The termination clause in section nine favours the supplier and lacks any notice period.",
        "Section nine: the termination clause lacks a notice period and so favours the supplier.",
        "No notice period in the termination clause of section nine, which favours the supplier.",
        "The supplier is favoured by section nine, whose termination clause lacks any notice period at all.",
        "Termination clause, section nine, lacks a notice period; it favours the supplier.",
        "In section nine the termination clause favours the supplier as it lacks notice.",
      ],
      (text, i) => did("write_note", { text }, { note_id: 40 + i, saved: true }),
    ),
  ],
  "the queue is drained, and asked again and again": [
    user("Process all messages of the queue."),
    ...times(3, (i) => did("sqs_receive", { queue: "orders" }, { Messages: [{ MessageId: uuid(i), Body: words[i] }] })),
    ...times(8, (i) =>
      did(
        "sqs_receive",
        { queue: "orders" },
        { Messages: [], ResponseMetadata: { RequestId: uuid(i + 20), HTTPStatusCode: 200 } },
      ),
    ),
  ],
  "schema asked for with other flags": [
    user("Which columns does the view have?"),
    ...each(["-v", "--verbose", "-vv", "--full", "--all", "--debug"], (flag) =>
      did(
        "bash",
        { command: `dbtool describe sales_view ${flag}` },
        "dbtool: cannot describe sales_view: relation is a materialized view and not populated",
      ),
    ),
  ],
  "a search whose hits shuffle (JSON, id)": [
    user("Cari aturan cuti melahirkan."),
    ...each(
      [
        "cuti melahirkan",
        "aturan cuti hamil",
        "cuti ibu melahirkan berapa lama",
        "hak cuti melahirkan",
        "peraturan cuti persalinan",
      ],
      (q, i) => {
        const hits = ["Jam kerja dan lembur", "Tunjangan transportasi", "Prosedur klaim kesehatan"];
        const turned = [...hits.slice(i % 3), ...hits.slice(0, i % 3)];
        return did(
          "cari_dokumen",
          { q, top_k: 3 },
          { hasil: turned.map((judul, k) => ({ judul, skor: 0.8 - k * 0.1 + i * 0.01 })), waktu_ms: 30 + i },
        );
      },
    ),
  ],
  "a worker is asked again in new words, its report worded alike": [
    user("Find the cause of the outage."),
    ...each(
      [
        "Investigate the outage",
        "Look into why the site went down",
        "Determine the root cause of last night's outage",
        "Please analyse the downtime",
        "Check what caused the outage",
      ],
      (task, i) =>
        did(
          "delegate",
          { agent: "sre", task },
          `[agent sre, run ${uuid(i)}, ${30 + i * 7}s]\nI could not reach the monitoring system because my credentials for it have expired, so the cause remains unknown.`,
        ),
    ),
  ],
  "the wizard that jumps back": [
    user("Register the company."),
    ...times(4, () => [
      ...did("browser_fill", { field: "vat", value: "DE123" }, "filled"),
      ...did(
        "browser_click",
        { text: "Next" },
        "Step 2 of 5: company details. The VAT number is invalid. Please correct it.",
      ),
      ...did("browser_click", { text: "Back" }, "Step 1 of 5: VAT number"),
    ]),
  ],
  "promises in Turkish": [
    user("Raporu yaz."),
    ...each(
      [
        "Tamam, raporu hemen yazıyorum.",
        "Elbette, şimdi raporu hazırlamaya başlıyorum.",
        "Anladım, birazdan raporu yazacağım.",
        "Raporu hemen oluşturuyorum.",
        "Peki, yazmaya başlıyorum.",
      ],
      (text) => [said(text), user("devam et")],
    ),
  ],
  "an action in XML text": [
    user("Find the definition of Foo."),
    ...times(4, () =>
      acted(
        "<thinking>I should search.</thinking>\n<search_files>\n<path>src</path>\n<regex>class Foo</regex>\n</search_files>",
        "[search_files for 'class Foo'] Result:\nFound 0 results.",
      ),
    ),
  ],
  "a canary that stays yellow (prose)": [
    user("Promote the canary."),
    ...times(5, (i) =>
      did(
        "promote",
        { service: "cart" },
        `Promotion refused at ${10 + i}:${20 + i}:07 — the canary's error rate of 2.${i} % is above the limit of 1 %.`,
      ),
    ),
  ],
};
