import { acted, did, each, hex, said, times, user, uuid, words, type Message } from "./conversations.ts";

const CLIENTS = [
  "Ana Prado",
  "Luis Mora",
  "Eva Ruiz",
  "Juan Sol",
  "Marta Gil",
  "Pedro Rey",
  "Rosa Paz",
  "Iván Cano",
  "Nora Vega",
  "Hugo Lima",
] as const;
const 公司 = ["蓝海贸易", "金桥物流", "华远电子", "新城建材", "东方纸业", "长河机械", "星光食品", "云山茶叶"] as const;

/** More healthy work that looks like loops. */
export const abroadDealings: Readonly<Record<string, readonly Message[]>> = {
  "a plan that goes on (YAML, de)": [
    user("Plane und erledige den Umzug."),
    ...times(6, (i) => [
      ...did(
        "plan_schreiben",
        { punkte: words.slice(0, 6).map((text, k) => ({ text, stand: k <= i ? "erledigt" : "offen" })) },
        `plan: ${uuid(i)}\ngespeichert: 2026-03-0${i + 1}\npunkte: 6\n`,
      ),
      ...did("erledige", { punkt: words[i + 1] ?? "x" }, `${words[i + 1]} erledigt`),
    ]),
  ],
  "nine roles that must be refused (es)": [
    user(
      "Comprueba que los roles invitado, lector, editor, autor, becario, auditor, soporte, ventas y prensa NO pueden borrar usuarios. Debe dar 403 en todos.",
    ),
    ...each(["invitado", "lector", "editor", "autor", "becario", "auditor", "soporte", "ventas", "prensa"], (rol, i) =>
      did(
        "llamada_api",
        { metodo: "DELETE", ruta: "/usuarios/1", como: rol },
        { status: 403, error: "Forbidden", request_id: hex(i, 12) },
      ),
    ),
  ],
  "pauses that grow, then an answer": [
    user("Transcribe the recording."),
    ...each([2, 4, 8, 16, 32], (seconds) => [
      ...did(
        "speech.Recognize",
        { uri: "gs://rec/1.flac" },
        `rpc error: code = ResourceExhausted desc = quota exceeded, retry in ${seconds}s`,
      ),
      ...did("sleep", { seconds }, "slept"),
    ]),
    ...did("speech.Recognize", { uri: "gs://rec/1.flac" }, { transcript: "good morning" }),
  ],
  "companies of the user's list (zh)": [
    user(`请检查以下公司是否在制裁名单上:${公司.join("、")}。`),
    ...each(公司, (名称) => did("screening", { name: 名称, list: "UN" }, { hits: [], checked: true })),
  ],
  "customers of a list that a tool brought": [
    user("Are any of our new customers on the warning list?"),
    ...did("read_file", { path: "new-customers.txt" }, CLIENTS.join("\n")),
    ...each(CLIENTS, (name) => did("warning_list_search", { name }, "No entry was found in the warning list.")),
  ],
  "lots of a table that a tool brought (CSV)": [
    user("Check every lot of the delivery for recalls."),
    ...did(
      "get_delivery",
      { id: 88 },
      `lot,product\n${words.map((word, i) => `L${4410 + i * 13},${word}`).join("\n")}`,
    ),
    ...each(words, (_, i) =>
      did("recall_lookup", { lot: `L${4410 + i * 13}` }, { recalls: 0, message: "No recalls are known for this lot." }),
    ),
  ],
  "a status between edits, and it changes": [
    user("Clean the module up."),
    ...times(10, (i) => [
      ...did("edit_file", { path: `src/${words[i]}.rs`, text: `fn ${words[i]}() {}` }, "1 line changed"),
      ...did(
        "shell",
        { command: "git status --short" },
        words
          .slice(0, i + 1)
          .map((word) => ` M src/${word}.rs`)
          .join("\n"),
      ),
    ]),
  ],
  "the temperature as ordered (ru)": [
    user("Записывай температуру в теплице каждые десять минут в течение двух часов."),
    ...times(12, (i) => [
      ...did(
        "temperature",
        { place: "теплица" },
        { celsius: [21.4, 21.4, 21.5, 21.5, 21.5, 21.6, 21.6, 21.6, 21.7, 21.7, 21.7, 21.8][i], place: "теплица" },
      ),
      ...did("wait", { minutes: 10 }, "ok"),
    ]),
  ],
  "one text to nine people (ar)": [
    user("أرسل الدعوة إلى الجميع."),
    ...each(CLIENTS.slice(0, 9), (chat, i) =>
      did(
        "telegram.send",
        { chat, text: "ندعوكم إلى حفل الافتتاح يوم الجمعة." },
        { ok: true, result: { message_id: 100 + i } },
      ),
    ),
  ],
  "through rooms": [
    user("Find the treasure."),
    ...each(["hall", "kitchen", "cellar", "garden", "tower", "attic", "library", "stable", "crypt"], (room, i) =>
      did(
        "act",
        { command: ["walk east", "walk north"][i % 2] ?? "" },
        `You are in the ${room}. There is a ${words[i]} here.`,
      ),
    ),
  ],
  "thoughts that lead on (es)": [
    user("Elige base de datos."),
    ...each(
      [
        "Primero, requisitos: escrituras concurrentes, informes mensuales y copias diarias.",
        "Los informes piden consultas complejas; eso descarta los almacenes clave-valor.",
        "Entre las relacionales, la licencia y el precio favorecen a dos candidatas.",
        "El equipo ya opera una de ellas en otro proyecto, con réplicas en dos zonas.",
        "Las extensiones geográficas harán falta para el mapa de tiendas el año próximo.",
        "Con todo, Postgres cumple; el único riesgo es la migración de fechas antiguas.",
      ],
      (pensamiento, i) => did("pensar", { pensamiento, paso: i + 1 }, { registrado: true, pasos: i + 1 }),
    ),
    ...did("crear_esquema", { motor: "postgres" }, "esquema creado"),
  ],
  "three paths, then the folder (PowerShell)": [
    user("Show me the service's configuration."),
    ...each(["C:\\svc\\config.json", "C:\\svc\\conf\\config.json"], (path) =>
      did(
        "powershell",
        { script: `Get-Content '${path}'` },
        `Get-Content : Cannot find path '${path}' because it does not exist.`,
      ),
    ),
    ...did("powershell", { script: "Get-ChildItem C:\\svc" }, "Mode   Name\n----   ----\n-a---  svc.toml"),
    ...did("powershell", { script: "Get-Content 'C:\\svc\\svc.toml'" }, "port = 80"),
  ],
  "code steps in text (Hermes)": [
    user("Weather in seven cities?"),
    ...each(["Oslo", "Rome", "Lima", "Cairo", "Delhi", "Quito", "Perth"], (city, i) =>
      acted(
        `<tool_call>\n{"name": "weather", "arguments": {"city": "${city}"}}\n</tool_call>`,
        `<tool_response>\n{"city": "${city}", "sky": "${words[i]}"}\n</tool_response>`,
      ),
    ),
  ],
  "one sub-agent for each chapter (es)": [
    user("Resume los nueve capítulos."),
    ...times(9, (i) =>
      did(
        "lanzar_agente",
        { prompt: `Resume el capítulo ${i + 1} en una frase`, descripcion: `capítulo ${i + 1}` },
        `El agente terminó en ${9 + i} s con ${1800 + i * 91} tokens.\n\nInforme: el capítulo trata de ${words[i]} y ${words[(i + 4) % 12]}.`,
      ),
    ),
  ],
  "rows that differ in the day (Airtable)": [
    user("Registra el taxi de cada día laborable de las dos semanas."),
    ...times(10, (i) =>
      did(
        "airtable_create",
        {
          table: "Gastos",
          fields: { fecha: `2026-02-${String(2 + i).padStart(2, "0")}`, concepto: "Taxi", importe: 32 },
        },
        {
          id: `rec${hex(i, 14)}`,
          fields: { fecha: `2026-02-${String(2 + i).padStart(2, "0")}`, concepto: "Taxi", importe: 32 },
        },
      ),
    ),
  ],
  "an amount in parts": [
    user("Pay the supplier in eight parts."),
    ...times(8, (i) =>
      did(
        "create_transfer",
        { to: "IBAN DE02", amount: 500, part: i + 1 },
        { result: "booked", balance: 9000 - (i + 1) * 500 },
      ),
    ),
  ],
  "eight pages of the same build (hi)": [
    user("हर शहर का पृष्ठ लिखो।"),
    ...each(["दिल्ली", "मुंबई", "पुणे", "जयपुर", "लखनऊ", "भोपाल", "पटना", "सूरत"], (shahar) =>
      did(
        "file_likho",
        { path: `${shahar}.md`, content: `# ${shahar}\n\nहमारी दुकान ${shahar} में है।` },
        `${shahar}.md में लिखा गया`,
      ),
    ),
  ],
  "a build that says nothing for long (wait varies)": [
    user("Baue das Abbild und sag mir, wenn es fertig ist."),
    ...did("terminal_open", { command: "docker build ." }, { terminal: 3, output: "" }),
    ...each([10, 20, 30], (seconds) =>
      did("terminal_read", { terminal: 3, wait_seconds: seconds }, "terminal 3: running, no new output"),
    ),
    ...did("terminal_read", { terminal: 3, wait_seconds: 60 }, "terminal 3: running\nStep 4/9 : RUN npm ci"),
    ...each([60, 90, 120], (seconds) =>
      did("terminal_read", { terminal: 3, wait_seconds: seconds }, "terminal 3: running, no new output"),
    ),
    ...did("terminal_read", { terminal: 3, wait_seconds: 120 }, "terminal 3: exited with 0\nSuccessfully built"),
  ],
  "the same courtesy after other errands (ja)": [
    user("会議室Aを予約してください。"),
    ...each(
      ["会議室Bも。", "プリンターを直して。", "名刺を50枚注文して。", "来客に駐車場を。", "会議室Cを取消して。"],
      (next, i) => [
        ...did(
          ["reserve", "ticket", "order", "parking", "cancel"][i] ?? "x",
          { request: words[i] },
          { done: true, number: 300 + i },
        ),
        said("承知いたしました。手続きが完了しました。他にご用件はございますか？"),
        user(next),
      ],
    ),
  ],
  "a stop hook that names another check each time (zh)": [
    user("把登录页面改成深色。"),
    ...each(["lint", "types", "test", "build", "e2e"], (check) => [
      said("已完成修改。"),
      user(`<stop-hook>请先运行 npm run ${check} 再结束。</stop-hook>`),
      ...did("shell", { command: `npm run ${check}` }, `${check}: ok`),
    ]),
  ],
  "log of each worker": [
    user("Do all workers start alike?"),
    ...each(words.slice(0, 8), (worker, i) =>
      did(
        "log_search",
        { worker, limit: 3 },
        `10:0${i}:11 ${worker}[${4100 + i}]: lease renewed by scheduler\n10:0${i}:12 ${worker}[${4100 + i}]: ready after ${words[(i + 3) % 12]}`,
      ),
    ),
  ],
  "texts by one recipe in another order of words": [
    user("Draw random ingredient lists until I say stop."),
    ...times(8, (i) =>
      did(
        "draw",
        { n: 6 },
        shuffled(["flour", "milk", "sugar", "butter", "salt", "eggs", "honey", "oats", "plums", "cream"], i).join(" "),
      ),
    ),
  ],
};

function shuffled(all: readonly string[], seed: number): readonly string[] {
  return all
    .map((one, at) => ({ one, key: (at * 7919 + seed * 104729 + at * seed * 31) % 97 }))
    .sort((a, b) => a.key - b.key)
    .map(({ one }) => one);
}
