import { acted, did, each, hex, said, times, user, uuid, words, type Message } from "./conversations.ts";

const ONE_ERRAND = [
  "Averigua por qué falla el despliegue en producción",
  "Investiga la causa del fallo del despliegue de producción",
  "Mira el despliegue de producción y dime la razón del fallo",
  "Analiza de nuevo por qué no se despliega en producción",
  "Busca el motivo del error de despliegue (producción)",
  "Necesito la causa raíz del despliegue fallido en producción",
];

/** More loops in other languages, tools and result envelopes than the mechanisms were first shown. */
export const abroadRounds: Readonly<Record<string, readonly Message[]>> = {
  "the same list of tasks under new ids (YAML)": [
    user("Plane den Umzug."),
    ...times(6, (i) =>
      did(
        "plan_schreiben",
        {
          punkte: [
            { text: "Kartons kaufen", stand: "offen" },
            { text: "Wagen mieten", stand: "offen" },
          ],
        },
        `plan: ${uuid(i)}\ngespeichert: 2026-03-0${i + 1}T08:0${i}:00Z\npunkte: 2\n`,
      ),
    ),
  ],
  "access denied to every bucket (XML)": [
    user("Find last month's invoice export."),
    ...each(["exports", "invoices", "finance-exports", "billing", "archive", "reports"], (bucket, i) =>
      did(
        "s3_list",
        { bucket },
        `<?xml version="1.0"?><Error><Code>AccessDenied</Code><Message>Access Denied</Message><RequestId>${hex(i, 16).toUpperCase()}</RequestId><HostId>${hex(i + 3, 40)}=</HostId></Error>`,
      ),
    ),
  ],
  "quota used up, asked at once again (gRPC)": [
    user("Transcribe the five recordings."),
    ...times(8, (i) =>
      did(
        "speech.Recognize",
        { uri: "gs://rec/1.flac" },
        `rpc error: code = ResourceExhausted desc = quota exceeded for requests per minute, retry in ${58 - i * 3}s`,
      ),
    ),
  ],
  "pods whose age grows, after much work": [
    user("Deploy the new version."),
    ...times(12, (i) => did("apply", { file: `k8s/${words[i]}.yaml` }, `deployment.apps/${words[i]} configured`)),
    ...times(7, (i) =>
      did(
        "kubectl",
        { args: "get pods -n shop" },
        `NAME                READY   STATUS    RESTARTS   AGE\nweb-7c9f6d-x2x1     1/1     Running   0          ${14 + i}m\nworker-5b8c-99ab    1/1     Running   0          ${14 + i}m\ncache-0             1/1     Running   0          3d`,
      ),
    ),
  ],
  "a failing call with looks at the clock (fr)": [
    user("Imprime l'étiquette de la commande 31."),
    ...times(6, (i) => [
      ...did(
        "imprimer",
        { commande: 31, imprimante: "HP-2" },
        { statut: "échec", raison: "L'imprimante HP-2 est hors ligne" },
      ),
      ...(i % 2 === 0 ? did("heure", {}, `10:${12 + i}`) : did("noter", { texte: `essai ${i}, ${words[i]}` }, "noté")),
    ]),
  ],
  "the same message to one person (ar)": [
    user("أرسل رسالة إلى سارة بأن الاجتماع غدا."),
    ...times(5, (i) =>
      did(
        "telegram.send",
        { chat: "sara", text: "الاجتماع غدا الساعة العاشرة." },
        { ok: true, result: { message_id: 9120 + i, date: 1760000000 + i * 61 } },
      ),
    ),
  ],
  "against the wall and round about": [
    user("Reach the castle."),
    ...times(6, () => [
      ...did("act", { command: "walk forward" }, "You bump into a solid wall."),
      ...did("act", { command: "look around" }, "A narrow corridor. A wall in front of you, a torch on the left."),
    ]),
  ],
  "one thought in other words (es)": [
    user("Decide qué base de datos usamos y crea el esquema."),
    ...each(
      [
        "Debería pensar qué base de datos conviene: Postgres parece buena por sus transacciones.",
        "Pensando qué base de datos conviene, Postgres parece buena, sus transacciones ayudan.",
        "Qué base de datos conviene: creo que Postgres es buena por las transacciones que ofrece.",
        "Conviene una base de datos con transacciones, así que Postgres parece buena.",
        "Por sus transacciones, Postgres parece la base de datos que conviene.",
        "La base de datos que conviene parece Postgres, debería ser buena por sus transacciones.",
        "Postgres parece buena base de datos; sus transacciones convienen.",
      ],
      (pensamiento, i) => did("pensar", { pensamiento, paso: i + 1 }, { registrado: true, pasos: i + 1 }),
    ),
  ],
  "guesses at a path (PowerShell)": [
    user("Show me the service's configuration."),
    ...each(
      [
        "C:\\svc\\config.json",
        "C:\\svc\\conf\\config.json",
        "C:\\svc\\settings.json",
        "C:\\svc\\appsettings.json",
        "C:\\svc\\etc\\service.json",
        "C:\\svc\\config\\service.json",
      ],
      (path) =>
        did(
          "powershell",
          { script: `Get-Content '${path}'` },
          `Get-Content : Cannot find path '${path}' because it does not exist.\n    + CategoryInfo : ObjectNotFound: (${path}:String) [Get-Content], ItemNotFoundException`,
        ),
    ),
  ],
  "a broker that is connected (YAML, uptime)": [
    user("Subscribe to the greenhouse sensors and report the first reading."),
    ...times(7, (i) =>
      did(
        "mqtt_status",
        { broker: "greenhouse" },
        `broker: greenhouse\nconnected: true\nclient: ${hex(i, 10)}\nuptime_s: ${31 + i * 9}\nsubscriptions: []\nlast_will: none set\nkeepalive: configured\n`,
      ),
    ),
  ],
  "the same action as text (Hermes)": [
    user("How tall is the tower?"),
    ...times(5, () =>
      acted(
        '<tool_call>\n{"name": "search", "arguments": {"q": "height of the tower"}}\n</tool_call>',
        "<tool_response>\nThe tower was built in 1889 and is visited by many people.\n</tool_response>",
      ),
    ),
  ],
  "one errand, a sub-agent each time (es)": [
    user("¿Por qué no sale la versión nueva?"),
    ...each(ONE_ERRAND, (prompt, i) =>
      did(
        "lanzar_agente",
        { prompt, descripcion: `intento ${i + 1}` },
        `El agente terminó en ${12 + i * 5} s con ${2100 + i * 330} tokens.\n\nInforme: el despliegue falla porque falta la variable de entorno DATABASE_URL en el espacio de producción. No tengo permiso para crearla.`,
      ),
    ),
  ],
  "the same record again (Airtable)": [
    user("Registra el gasto del taxi."),
    ...times(5, (i) =>
      did(
        "airtable_create",
        { table: "Gastos", fields: { concepto: "Taxi aeropuerto", importe: 32 } },
        { id: `rec${hex(i, 14)}`, createdTime: stampOf(i), fields: { concepto: "Taxi aeropuerto", importe: 32 } },
      ),
    ),
  ],
  "declined whatever the amount": [
    user("Pay the supplier as much as we can."),
    ...each([9000, 7500, 6000, 5000, 4200, 3100, 2500], (amount, i) =>
      did(
        "create_transfer",
        { to: "IBAN DE02", amount, currency: "EUR" },
        { result: "declined", reason: "The account is frozen by compliance", trace: uuid(i) },
      ),
    ),
  ],
  "booking refused in other words of the request (ja)": [
    user("来週の金曜に大阪のホテルを予約して。"),
    ...each(["シングル", "ツイン", "ダブル", "禁煙シングル", "スイート", "和室"], (room, i) =>
      did(
        "yoyaku",
        { hotel: "大阪中央", room, date: "2026-05-15", people: (i % 2) + 1 },
        { 結果: "不可", 理由: "ご指定の日は全館休業のため予約を受け付けておりません。" },
      ),
    ),
  ],
  "the same page written again (hi)": [
    user("स्वागत पृष्ठ लिखो।"),
    ...times(6, (i) =>
      did(
        "file_likho",
        {
          path: "swagat.md",
          content: `# स्वागत है\n\nयह हमारी दुकान का पृष्ठ है।${" ".repeat(i)}\n${"\n".repeat(i % 3)}हम हर दिन खुले रहते हैं।\n`,
        },
        `swagat.md में लिखा गया (${96 + i} बाइट)`,
      ),
    ),
  ],
  "search reworded, nothing there (de)": [
    user("Suche das Protokoll der Sitzung vom Mai."),
    ...each(
      [
        "Protokoll Mai",
        "Sitzungsprotokoll Mai",
        "Protokoll der Sitzung im Mai",
        "Mai Sitzung",
        "Protokoll 05",
        "Niederschrift Mai",
        "Sitzung Mai Niederschrift",
        "Protokoll Vorstandssitzung Mai",
        "Vorstand Mai",
      ],
      (anfrage) => did("ablage_suchen", { anfrage }, { treffer: [], anzahl: 0 }),
    ),
  ],
  "an HTML error page each time": [
    user("Post the survey answers."),
    ...each(["survey", "surveys", "survey/answers", "answers", "api/survey", "v2/survey"], (path, i) =>
      did(
        "http_post",
        { url: `https://forms.example/${path}`, body: { q1: "yes" } },
        `<html><head><title>403 Forbidden</title></head><body><center><h1>403 Forbidden</h1></center><hr><center>edge-${hex(i, 8)}</center></body></html>`,
      ),
    ),
  ],
  "an answer in prose about a lock (it)": [
    user("Chiudi la pratica 77."),
    ...times(6, (i) =>
      did(
        "chiudi_pratica",
        { pratica: 77, tentativo: i + 1 },
        `Operazione non riuscita: la pratica 77 è bloccata da un altro utente (sessione ${hex(i, 6)}).`,
      ),
    ),
  ],
  "a stop hook that wants tests (zh)": [
    user("把登录页面改成深色。"),
    ...each(
      [
        "页面已经改好了。",
        "深色样式已完成，请查看。",
        "我已经更新了登录页面的颜色。",
        "修改完成，背景现在是深色的。",
        "登录页面现在使用深色主题。",
        "工作已结束，没有其他改动。",
      ],
      (text) => [said(text), user("<stop-hook>测试尚未运行。请先运行 npm test 再结束。</stop-hook>")],
    ),
  ],
  "ReAct with an unknown action (pl)": [
    user("Jaka będzie jutro pogoda?"),
    ...each(["Kraków", "Kraków jutro", "pogoda Kraków", "Krakow", "Kraków, Polska"], (miasto) =>
      acted(
        `Thought: Muszę sprawdzić pogodę.\nAction: pogoda_jutro\nAction Input: ${miasto}`,
        "Observation: pogoda_jutro is not a valid tool, try one of [kalkulator, notatnik].",
      ),
    ),
  ],
  "log lines in another order": [
    user("Why does the worker restart?"),
    ...each(
      ["worker restart", "worker restarts reason", "why worker restart", "worker crash", "worker exit"],
      (q, i) => {
        const lines = [
          "queue reconnect after idle close",
          "metrics flush skipped while draining",
          "config reload finished without changes",
          "lease renewed by scheduler",
        ];
        const turned = [...lines.slice(i % 4), ...lines.slice(0, i % 4)];
        return did(
          "log_search",
          { q, limit: 20 },
          turned.map((line, k) => `${10 + ((i * 3 + k) % 9)}:0${k}:11 worker[${4100 + i}]: ${line}`).join("\n"),
        );
      },
    ),
  ],
};

function stampOf(i: number): string {
  return `2026-02-0${i + 1}T10:00:0${i}.000Z`;
}
