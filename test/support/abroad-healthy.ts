import { did, each, hex, said, times, together, user, uuid, words, type Message } from "./conversations.ts";

/** Healthy work that looks like the loops in `abroad-loops.ts`. */
export const abroadAtWork: Readonly<Record<string, readonly Message[]>> = {
  "falling failures in XML (es)": [
    user("Deja en verde las pruebas de facturas."),
    ...times(7, (i) => [
      ...did(
        "editar",
        { archivo: "Factura.php", linea: 20 + i * 7, texto: `return redondea($v${i}, ${words[i]});` },
        `Factura.php actualizado`,
      ),
      ...did(
        "ejecutar",
        { orden: "vendor/bin/phpunit" },
        `<run id="${hex(i, 12)}" seconds="3.${i}"><exit>${i === 6 ? 0 : 1}</exit><stdout>Tests: 9, Assertions: 20, Failures: ${6 - i}.</stdout></run>`,
      ),
    ]),
  ],
  "each file is checked out before it is changed (de)": [
    user("Ersetze in allen Satzungen den Namen."),
    ...each(words.slice(0, 6), (datei) => [
      ...did(
        "ersetze_text",
        { datei: `${datei}.md`, alt: "Alpen", neu: "Berg" },
        { ok: 0, meldung: `${datei}.md ist nicht ausgecheckt` },
      ),
      ...did("auschecken", { datei: `${datei}.md` }, { ok: 1, meldung: `${datei}.md ausgecheckt` }),
      ...did(
        "ersetze_text",
        { datei: `${datei}.md`, alt: "Alpen", neu: "Berg" },
        { ok: 1, meldung: "1 Stelle ersetzt" },
      ),
    ]),
  ],
  "a validation that names another field each time (pt)": [
    user("Preencha o formulário em JSON."),
    ...each(["nome", "cpf", "endereço", "telefone", "renda", "profissão"], (campo, i) => [
      said(
        JSON.stringify(
          Object.fromEntries(
            ["nome", "cpf", "endereço", "telefone", "renda", "profissão"]
              .slice(0, i)
              .map((c, k) => [c, `${words[k]} ${k}`]),
          ),
        ),
      ),
      user(`A validação falhou: falta o campo obrigatório "${campo}". Corrija e envie outra vez.`),
    ]),
    said('{"nome":"x","cpf":"1"}'),
  ],
  "the next ticket of a queue (ru, YAML)": [
    user("Разбери очередь обращений."),
    ...each(words, (слово, i) => [
      ...did("queue_next", {}, `ticket: ${7001 + i}\nsubject: ${слово} не работает\nremaining: ${11 - i}\n`),
      ...did("ticket_label", { ticket: 7001 + i, label: слово }, "ok"),
    ]),
  ],
  "slices of one put-aside output (es)": [
    user("¿Qué errores hay en el registro?"),
    ...did(
      "leer_archivo",
      { ruta: "/srv/registro.log" },
      "La salida era demasiado larga y se ha guardado en /tmp/volcado/salida-1.txt (600 líneas).",
    ),
    ...times(6, (i) =>
      did(
        "leer_archivo",
        { ruta: "/tmp/volcado/salida-1.txt", desde: i * 100, hasta: i * 100 + 99 },
        times6(i).join("\n"),
      ),
    ),
  ],
  "a longer look each time (kubectl)": [
    user("When did the restarts begin?"),
    ...each([5, 10, 20, 40], (n) =>
      did(
        "kubectl",
        { args: `logs web-0 --tail=${n}` },
        Array.from({ length: n }, (_, k) => `line ${400 - n + k} ${words[(400 - n + k) % 12]} handled`).join("\n"),
      ),
    ),
  ],
  "twelve events, the title is what is made (fr)": [
    user("Crée les douze réunions mensuelles."),
    ...each(
      [
        "janvier",
        "février",
        "mars",
        "avril",
        "mai",
        "juin",
        "juillet",
        "août",
        "septembre",
        "octobre",
        "novembre",
        "décembre",
      ],
      (mois) => did("creer_evenement", { titre: `Réunion de ${mois}`, duree: 60 }, { statut: "créé", duree: 60 }),
    ),
  ],
  "pages of a scan": [
    user("Read the scanned contract aloud."),
    ...times(8, (i) =>
      did(
        "scan.page",
        { n: i + 1 },
        {
          mime: "image/png",
          bytes: `${hex(i, 80)}==`,
          caption: `Page with a paragraph on ${words[i]} and ${words[(i + 5) % 12]}`,
        },
      ),
    ),
  ],
  "shards are submitted, then collected": [
    user("Embed the corpus."),
    ...times(7, (i) => did("batch_submit", { shard: i }, { job: uuid(i), state: "queued" })),
    ...times(7, (i) => did("batch_result", { job: uuid(i) }, { job: uuid(i), state: "done", vectors: 10_000 })),
  ],
  "six documents in each message": [
    user("Vergleiche die Verträge."),
    ...times(4, (k) =>
      together(
        times3(
          (i) =>
            [
              "dokument_lesen",
              { nr: k * 3 + i },
              `Vertrag ${k * 3 + i}: Laufzeit ${words[(k * 3 + i) % 12]}, Kündigung ${words[(k + i * 5) % 12]}`,
            ] as const,
        ),
      ),
    ),
  ],
  "says and does (ko)": [
    user("보고서를 장별로 작성해 주세요."),
    ...each(words.slice(0, 7), (word, i) =>
      did(
        "write_file",
        { path: `${i + 1}.md`, content: `# ${word}\n\n${word} 에 대한 장입니다.` },
        "저장되었습니다",
        "다음 장을 작성하겠습니다.",
      ),
    ),
  ],
  "each search brings other pages (pt, HTML)": [
    user("Compare os bairros da cidade."),
    ...each(words.slice(0, 8), (bairro, i) =>
      did(
        "buscar",
        { q: `aluguel em ${bairro}` },
        `<ol><li data-score="0.9${i}"><a>Aluguel em ${bairro}: preços</a></li><li data-score="0.8${i}"><a>Viver em ${bairro}</a></li></ol>`,
      ),
    ),
  ],
  "switches are turned on one by one (XML)": [
    user("Turn on all nine notifications."),
    ...times(9, (i) =>
      did(
        "tap",
        { x: 980, y: 200 + i * 150 },
        `<hierarchy dump="${hex(i, 6)}">${words
          .slice(0, 9)
          .map((word, k) => `<node class="Switch" text="${word}" checked="${k <= i}"/>`)
          .join("")}</hierarchy>`,
      ),
    ),
  ],
  "pages of nearly equal rows (CSV)": [
    user("Are all of the 200 payments booked?"),
    ...times(10, (i) =>
      did(
        "payments",
        { page: i + 1 },
        `id,state,amount\n${Array.from({ length: 8 }, (_, k) => `${9000 + i * 8 + k},booked,25.00`).join("\n")}`,
      ),
    ),
  ],
  "red, then green (Go)": [
    user("Write the money package test first."),
    ...each(words.slice(0, 6), (word, i) => [
      ...did(
        "edit_file",
        { path: "money_test.go", text: `func Test${word}(t *testing.T) { want(t, ${word}(), ${i}) }` },
        "money_test.go: 1 line changed",
      ),
      ...did(
        "shell",
        { command: "go test ./..." },
        `./money_test.go:${10 + i}: undefined: ${word}\nFAIL\texample/money [build failed]`,
      ),
      ...did("edit_file", { path: "money.go", text: `func ${word}() int { return ${i} }` }, "money.go: 1 line changed"),
      ...did("shell", { command: "go test ./..." }, `ok  \texample/money\t0.00${i}s`),
    ]),
  ],
  "a bisection": [
    user("Which commit broke the build?"),
    ...times(6, (i) => [
      ...did("shell", { command: "make check" }, i % 2 ? "all checks passed" : "check failed: total differs"),
      ...did(
        "shell",
        { command: i % 2 ? "git bisect good" : "git bisect bad" },
        `Bisecting: ${[40, 20, 10, 5, 2, 0][i]} revisions left to test after this\n[${hex(i, 40)}] ${words[i]}`,
      ),
    ]),
  ],
  "another error each time (BigQuery, de)": [
    user("Wie hoch war der Umsatz je Filiale?"),
    ...did(
      "bq_query",
      { sql: "SELECT filiale, umsatz FROM verkauf" },
      "Table verkauf must be qualified with a dataset",
    ),
    ...did("bq_query", { sql: "SELECT filiale, umsatz FROM t.verkauf" }, "Unrecognized name: umsatz at [1:17]"),
    ...did(
      "bq_query",
      { sql: "SELECT filiale, SUM(betrag) FROM t.verkauf" },
      "SELECT list expression references column filiale which is neither grouped nor aggregated",
    ),
    ...did(
      "bq_query",
      { sql: "SELECT filiale, SUM(betrag) FROM t.verkauf GROUP BY filial" },
      "Unrecognized name: filial; Did you mean filiale? at [1:55]",
    ),
    ...did("bq_query", { sql: "SELECT filiale, SUM(betrag) FROM t.verkauf GROUP BY filiale" }, "Nord,120\nSüd,98"),
  ],
  "translator and reviewer by turns (es)": [
    user("Traduce los cinco capítulos, con revisión."),
    ...each(words.slice(0, 5), (word, i) => [
      ...did(
        "pasar_a_traductor",
        { capitulo: i + 1 },
        `Capítulo ${i + 1} traducido: habla de ${word} y de ${words[i + 6]}.`,
      ),
      ...did("pasar_a_revisor", { capitulo: i + 1 }, `Revisado: dos comas en el párrafo de ${word}.`),
    ]),
  ],
  "a quiz with one praise (ko)": [
    user("한국사 퀴즈를 내 주세요."),
    ...each(words.slice(0, 7), (word, i) => [
      said(`정답입니다! 잘하셨어요. 다음 문제: ${word} 은(는) 몇 년에 세워졌나요?`),
      user(`${1400 + i * 31}년`),
    ]),
  ],
  "a farewell, and one question more (pt)": [
    user("Qual é o horário do banco?"),
    said("Das 10 às 16 horas. Tenha um ótimo dia!"),
    user("Obrigado, até mais!"),
    said("De nada, até mais!"),
    user("Ah, só mais uma coisa: abre no sábado?"),
    said("Não abre aos sábados. Tenha um ótimo dia!"),
    user("Obrigado, até mais!"),
    said("De nada, até mais!"),
    user("E o aplicativo funciona no domingo?"),
    said("Sim, o aplicativo funciona todos os dias."),
  ],
};

function times6(k: number): readonly string[] {
  return Array.from(
    { length: 6 },
    (_, i) => `ERROR ${k * 100 + i * 11} ${words[(k * 5 + i) % 12]}: ${words[(k + i * 7) % 12]} no responde`,
  );
}

function times3<T>(make: (i: number) => T): readonly T[] {
  return [make(0), make(1), make(2)];
}
