import { did, each, hex, said, times, together, user, words, type Message } from "./conversations.ts";

const stamp = (i: number): string => `2026-04-1${i % 10}T0${i % 9}:1${i % 6}:2${i % 10}Z`;

/** Loops in other languages, tools and result envelopes than the mechanisms were first shown. */
export const abroadLoops: Readonly<Record<string, readonly Message[]>> = {
  "test report in XML under new run ids (es)": [
    user("Arregla la prueba de facturas, falla desde ayer."),
    ...did("ejecutar", { orden: "git log -2 --oneline" }, "a81c2f1 redondeo\n77be021 inicio"),
    ...times(6, (i) =>
      did(
        "ejecutar",
        { orden: "vendor/bin/phpunit tests/FacturaTest.php" },
        `<run id="${hex(i, 12)}" started="${stamp(i)}" seconds="${(3.1 + i * 0.37).toFixed(2)}">\n<exit>1</exit>\n<stdout>F....\nFailed asserting that 104.99 matches expected 105.00.\ntests/FacturaTest.php:41\nTests: 5, Assertions: 9, Failures: 1.</stdout>\n</run>`,
      ),
    ),
  ],
  "guesses at the old text (de)": [
    user("Ersetze in der Satzung überall den alten Vereinsnamen."),
    ...each(
      [
        "Der Verein heißt",
        "Der Verein führt den Namen",
        "§1 Name",
        "Name des Vereins:",
        "Der Verein trägt",
        "Vereinsname ist",
      ],
      (alt, i) =>
        did(
          "ersetze_text",
          { datei: "satzung.md", alt: `${alt} Alpenfreunde`, neu: `${alt} Bergfreunde` },
          { ok: 0, meldung: `Die Textstelle wurde in satzung.md nicht gefunden (Vorgang ${hex(i, 6)}).` },
        ),
    ),
  ],
  "a harness that wants a call (pt)": [
    user("Atualize o cadastro do cliente 88."),
    ...each(
      [
        "O cliente 88 é a Padaria Aurora, certo? O telefone parece desatualizado.",
        "Pelo que entendi, o cadastro precisa de um endereço novo.",
        "O cadastro do cliente tem três campos: nome, telefone e endereço.",
        "Em resumo, falta apenas confirmar o bairro da padaria.",
        "A Padaria Aurora fica na zona norte da cidade, segundo consta.",
        "Os dados do cliente são simples e poucos.",
        "Considerando tudo, o telefone é o campo mais importante.",
      ],
      (texto) => [
        said(texto),
        user(
          "A sua última resposta não contém nenhuma chamada de ferramenta. Responda usando uma das ferramentas disponíveis.",
        ),
      ],
    ),
  ],
  "an output that does not validate (ko)": [
    user("회의록을 JSON으로 요약해 주세요."),
    ...each(
      [
        "회의에서는 예산과 일정이 논의되었습니다.",
        "요약: 예산은 승인되었고 일정은 다음 주로 미뤄졌습니다.",
        "참석자는 다섯 명이었고 결론은 예산 승인입니다.",
        "결정 사항은 두 가지입니다. 예산 승인과 일정 연기.",
        "다음 회의는 다음 주 화요일입니다.",
        "핵심은 예산이 승인되었다는 점입니다.",
      ],
      (text) => [
        said(text),
        user("[검증 실패] 출력이 스키마와 일치하지 않습니다. 필수 필드가 없습니다: decisions, owner. 다시 시도하세요."),
      ],
    ),
  ],
  "a page that counts its views (ru, YAML)": [
    user("Выясни, кто отвечает за релиз."),
    ...times(6, (i) =>
      did(
        "wiki_get",
        { page: "Релиз 4.2" },
        `title: Релиз 4.2\nviews: ${418 + i}\nbody: |\n  Релиз готовится командой платформы.\n  Ветка заморожена, список изменений проверен.\n  Ответственный указан в отдельном документе.\n`,
      ),
    ),
  ],
  "what is read is put aside again (es)": [
    user("¿Cuántas líneas con ERROR tiene el registro?"),
    ...times(6, (i) =>
      did(
        "leer_archivo",
        { ruta: i === 0 ? "/srv/app/registro.log" : `/tmp/volcado/salida-${4410 + i * 7}.txt` },
        `La salida era demasiado larga (61.233 caracteres) y se ha guardado en /tmp/volcado/salida-${4410 + (i + 1) * 7}.txt. Use leer_archivo con esa ruta para verla.`,
      ),
    ),
  ],
  "a preview that never grows (CSV)": [
    user("Which region has the most returns in the whole file?"),
    ...each([10, 25, 50, 100, 250, 500, 1000], (rows) =>
      did(
        "preview_table",
        { file: "returns.csv", rows },
        `region,returns,rate\nnorth,120,0.03\nsouth,98,0.02\neast,77,0.04\nwest,64,0.01\n(preview is limited to 4 rows, ${rows} asked)`,
      ),
    ),
  ],
  "only the reason is new (fr)": [
    user("Vérifie si le colis 5521 est arrivé."),
    ...each(
      [
        "Vérifier l'état du colis",
        "Consulter encore une fois le suivi",
        "S'assurer que le colis est parti",
        "Contrôle supplémentaire",
        "Dernière vérification avant de répondre",
        "Confirmation finale",
      ],
      (motif) =>
        did(
          "suivi_colis",
          { numero: "5521", libelle: motif },
          "Colis 5521 : pris en charge par le transporteur au dépôt de Lyon, aucune autre étape connue.",
        ),
    ),
  ],
  "a picture whose bytes differ (JSON)": [
    user("What does the sign in photo sign.jpg say?"),
    ...times(5, (i) =>
      did(
        "camera.describe",
        { file: "sign.jpg" },
        {
          mime: "image/jpeg",
          bytes: `${hex(i, 60)}/9j+${hex(i + 9, 80)}==`,
          caption: "A blurred street sign in front of a brick wall, the letters cannot be made out.",
        },
      ),
    ),
  ],
  "a run is started anew and never looked at": [
    user("Rebuild the sales mart."),
    ...times(6, (i) =>
      did(
        "airflow_trigger",
        { dag_id: "sales_mart", run_id: `manual__${stamp(i)}`, conf: {} },
        {
          dag_run_id: `manual__${stamp(i)}`,
          state: "queued",
          logical_date: stamp(i),
        },
      ),
    ),
  ],
  "a function that is not registered (hi)": [
    user("मेरे ऋण की मासिक किस्त निकालो।"),
    ...each([100000, 150000, 200000, 250000, 300000, 90000], (rakam) =>
      did(
        "emi_ganana",
        { rakam, dar: 8.5, mahine: 60 },
        "त्रुटि: 'emi_ganana' नाम का कोई उपकरण उपलब्ध नहीं है। उपलब्ध उपकरण: kharcha_jodo, vinimay_dar",
      ),
    ),
  ],
  "a terminal that is gone": [
    user("Start the dev server and tell me its port."),
    ...did("terminal_open", { command: "npm run dev" }, { terminal: 3, output: "starting…" }),
    ...each([5, 10, 15, 20, 30, 60, 90], (seconds) =>
      did("terminal_read", { terminal: 3, wait_seconds: seconds }, "terminal 3: no such terminal (it has been closed)"),
    ),
  ],
  "four equal look-ups in one message": [
    user("オフィスの営業時間は？"),
    ...times(3, () =>
      together(
        times4(
          () =>
            [
              "kb_lookup",
              { term: "営業時間" },
              "営業時間に関する記事は一件あります：『本社の受付について』。時間の記載はありません。",
            ] as const,
        ),
      ),
    ),
  ],
  "promises, nothing done (es)": [
    user("Genera el informe trimestral y guárdalo."),
    ...each(
      [
        "Perfecto, voy a generar el informe trimestral ahora mismo.",
        "De acuerdo, empiezo ya a redactar el informe y lo guardo en un momento.",
        "Claro, me pongo con el informe: primero las ventas, luego los gastos.",
        "Enseguida preparo el documento con todas las secciones.",
        "Muy bien, procedo a crear el archivo del informe.",
        "Sí, ahora mismo escribo el informe completo.",
        "Vale, comienzo con la redacción del informe trimestral.",
      ],
      (texto) => [said(texto), user("adelante")],
    ),
  ],
  "the same pages in another order (pt, HTML)": [
    user("Qual é o prazo para recorrer da multa?"),
    ...each(
      [
        "prazo recurso multa",
        "recorrer multa quantos dias",
        "multa de trânsito recurso prazo legal",
        "defesa prévia multa dias",
        "até quando posso recorrer",
        "prazo JARI",
        "recurso infração prazo",
      ],
      (q, i) => {
        const hits = [
          "Tabela de multas por categoria",
          "Como pagar uma multa com desconto",
          "Endereços dos postos de atendimento",
          "Consulta de pontos na carteira",
        ];
        const turned = [...hits.slice(i % 4), ...hits.slice(0, i % 4)];
        return did(
          "buscar",
          { q },
          `<ol>${turned.map((hit, k) => `<li data-score="0.${91 - k * 7 - i}"><a>${hit}</a></li>`).join("")}</ol>`,
        );
      },
    ),
  ],
  "taps on a screen that stays (XML)": [
    user("Open the settings of the app and turn on dark mode."),
    ...each(
      [
        [88, 120],
        [540, 300],
        [540, 900],
        [96, 1710],
        [980, 140],
        [300, 620],
        [700, 1200],
      ] as const,
      ([x, y], i) =>
        did(
          "tap",
          { x, y },
          `<hierarchy rotation="0" dump="${hex(i, 6)}"><node class="FrameLayout"><node class="TextView" text="We have updated our terms"/><node class="TextView" text="Please read and accept to go on"/><node class="Button" text="Accept" bounds="[120,1500][960,1620]"/></node></hierarchy>`,
        ),
    ),
  ],
  "the last page again and again": [
    user("Collect all reviews of the lamp."),
    ...each(["p1", "p2"], (cursor, i) =>
      did("reviews", { cursor }, { items: [`${words[i]} light`, `nice ${words[i + 3]}`], next: `p${i + 2}` }),
    ),
    ...times(5, () =>
      did("reviews", { cursor: "p3" }, { items: ["too small for me", "fine for the price"], next: "p3" }),
    ),
  ],
  "the same values whatever is edited (Go)": [
    user("TestRound fails. Make it pass."),
    ...each(
      [
        "math.Round(v*100) / 100",
        "float64(int(v*100+0.5)) / 100",
        "math.Floor(v*100+0.5) / 100",
        "math.Trunc(v*100+0.5) / 100",
        "math.RoundToEven(v*100) / 100",
        "float64(int64(v*100)) / 100",
        "math.Ceil(v*100-0.5) / 100",
      ],
      (expression, i) => [
        ...did("edit_file", { path: "round.go", line: 12, text: `\treturn ${expression}` }, `round.go: 1 line changed`),
        ...did(
          "shell",
          { command: "go test ./..." },
          `--- FAIL: TestRound (0.0${i}s)\n    round_test.go:19: Round(2.675) = 2.67, want 2.68\nFAIL\nexit status 1\nFAIL\texample/money\t0.${100 + i * 13}s`,
        ),
      ],
    ),
  ],
  "to and fro (terraform)": [
    user("Make `terraform validate` pass."),
    ...times(4, () => [
      ...did("set_attribute", { file: "main.tf", key: "engine_version", value: "15" }, "main.tf updated"),
      ...did(
        "shell",
        { command: "terraform validate" },
        'Error: Unsupported value\n  engine_version "15" is not available in this region',
      ),
      ...did("set_attribute", { file: "main.tf", key: "engine_version", value: "13" }, "main.tf updated"),
      ...did(
        "shell",
        { command: "terraform validate" },
        'Error: Unsupported value\n  engine_version "13" has reached its end of life',
      ),
    ]),
  ],
  "a column that is not there (BigQuery, de)": [
    user("Wie hoch war der Umsatz je Filiale?"),
    ...each(
      [
        "SELECT filiale, umsatz FROM t.verkauf",
        "SELECT filiale, SUM(umsatz) FROM t.verkauf GROUP BY 1",
        "SELECT v.filiale, v.umsatz FROM t.verkauf v",
        "SELECT umsatz FROM t.verkauf LIMIT 5",
        "SELECT MAX(umsatz) FROM t.verkauf",
        "SELECT filiale FROM t.verkauf ORDER BY umsatz",
        "SELECT COUNT(umsatz) FROM t.verkauf",
      ],
      (sql, i) => did("bq_query", { sql }, `Unrecognized name: umsatz at [1:${8 + ((i * 5) % 17)}]`),
    ),
  ],
  "two desks hand the caller on (es)": [
    user("Me han cobrado dos veces y además no me funciona internet."),
    ...times(4, () => [
      ...did("derivar_a_facturacion", { motivo: "cobro doble" }, "Transferido a Facturación."),
      ...did("derivar_a_tecnico", { motivo: "sin internet" }, "Transferido a Soporte técnico."),
    ]),
  ],
  "asks what it was told (ko)": [
    user("예약을 변경하고 싶어요."),
    ...each(
      [
        "1990년 3월 2일이에요.",
        "3월 2일, 1990년생입니다.",
        "19900302요.",
        "말씀드렸듯이 1990년 3월 2일입니다.",
        "네, 1990년 3월 2일.",
        "생년월일은 900302입니다.",
      ],
      (answer) => [said("본인 확인을 위해 생년월일을 말씀해 주세요."), user(answer)],
    ),
  ],
  "farewells (ru)": farewells([
    ["Всегда пожалуйста! Хорошего вам дня!", "Спасибо, и вам хорошего дня!"],
    ["Спасибо! Всего вам доброго!", "И вам всего доброго, до свидания!"],
    ["До свидания! Хорошего вечера!", "Спасибо, и вам хорошего вечера!"],
    ["Благодарю, всего хорошего!", "Всего хорошего!"],
    ["До свидания, берегите себя!", "Спасибо, до свидания!"],
  ]),
  "farewells (ar)": farewells([
    ["على الرحب والسعة، أتمنى لك يوما سعيدا!", "شكرا لك، ولك أيضا يوما سعيدا!"],
    ["شكرا، مع السلامة!", "مع السلامة، إلى اللقاء!"],
    ["إلى اللقاء، أتمنى لك يوما سعيدا!", "شكرا لك، إلى اللقاء!"],
    ["مع السلامة!", "شكرا، مع السلامة!"],
    ["شكرا لك، إلى اللقاء!", "إلى اللقاء!"],
  ]),
  "farewells (hi)": farewells([
    ["आपका स्वागत है! आपका दिन शुभ हो!", "धन्यवाद, आपका भी दिन शुभ हो!"],
    ["धन्यवाद! फिर मिलेंगे!", "फिर मिलेंगे, धन्यवाद!"],
    ["आपका दिन शुभ हो!", "धन्यवाद, आपका भी!"],
    ["फिर मिलेंगे, अपना ध्यान रखिए!", "धन्यवाद, आप भी अपना ध्यान रखिए!"],
    ["धन्यवाद, शुभ दिन!", "शुभ दिन!"],
  ]),
  "farewells (nl)": farewells([
    ["Graag gedaan! Fijne dag nog!", "Dank je, jij ook een fijne dag!"],
    ["Dank je wel, tot ziens!", "Tot ziens, en bedankt!"],
    ["Bedankt en een fijne avond!", "Jij ook een fijne avond, tot ziens!"],
    ["Tot ziens, het beste!", "Dank je, het beste!"],
    ["Fijne dag!", "Jij ook, fijne dag!"],
  ]),
};

function times4<T>(make: () => T): readonly T[] {
  return [make(), make(), make(), make()];
}

function farewells(rounds: readonly (readonly [string, string])[]): readonly Message[] {
  return [user("OK"), ...rounds.flatMap(([ours, theirs]) => [said(ours), user(theirs)])];
}
