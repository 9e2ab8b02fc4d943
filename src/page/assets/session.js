// One session: how it is and why, what can be done, a lane for each thread, and its journal.
import { html, useEffect, useMemo } from "./htm.js";
import { Acts, RaiseLimit, Rating } from "./acts.js";
import { readAsset, useAnswer, useNews } from "./api.js";
import { actName } from "./drawing.js";
import { Thread } from "./lane.js";
import {
  address,
  Ago,
  armOf,
  lasting,
  Name,
  number,
  percent,
  plural,
  Problem,
  save,
  short,
  State,
  Table,
  Team,
  Waiting,
} from "./parts.js";
import { reportFile } from "./report-file.js";

const NEWS_MS = 1_000;

export function Session({ query: { id = "", step, thread }, status, open, acts, back }) {
  const { version } = useNews(NEWS_MS, id);
  const path = `/sessions/${encodeURIComponent(id)}`;
  const { value: session, problem } = useAnswer(path, version + acts);
  const journal = useAnswer(`/journal?${new URLSearchParams({ session: id, limit: "50" })}`, version + acts).value;
  const policy = useAnswer(session && `/policies/${encodeURIComponent(session.policy)}`).value;
  useEffect(() => {
    document.title = `${session?.name || "Run"} · Unloop`;
  }, [session?.name]);
  const way = html`<p class="way"><a href=${back}>← Runs</a></p>`;
  if (session === undefined)
    return problem?.status === 404 ? html`${way}<${Gone} />` : html`${way}<${Waiting} problem=${problem} />`;
  const place = { step: step === undefined ? undefined : Number(step), thread };
  return html`${way}
    <header class="head">
      <h1><${Name} of=${session.name || id} /> <${State} session=${session} /></h1>
      <p class="dim"><${Name} of=${session.agent || "unknown agent"} /> · <${Name} of=${session.model || "unknown model"} /> · <${Team} of=${session.tenant} /> · ${session.policy}${armOf(session.arm)} (${session.mode})</p>
    </header>
    <${Problem} problem=${problem} />
    <${Verdict} ...${{ session, status, open }} />
    <${Facts} session=${session} />
    <div class="bar">
      <${Acts} ...${{ session, status, open }} kind="button" />
      <a class="button" href=${address("what-if", { sessions: id })}>Try another policy</a>
      <${Share} session=${session} />
    </div>
    ${session.lineages.length === 0 && html`<p class="card empty">Its steps are no longer stored.</p>`}
    ${loopingFirst(session).map(([one, i]) => html`<${OneThread} key=${one.id} ...${{ thread: one, session, i, place, ladders: policy?.ladders }} />`)}
    ${journal && html`<${Journal} entries=${journal.entries} />`}`;
}

function Gone() {
  return html`<div class="card empty"><h1>This run is not known any more</h1>
    <p>Runs are kept as long as <code>UNLOOP_SESSION_TTL_MS</code> says; without Redis, until a restart.</p></div>`;
}

/** In a sentence: what happened, why, and whether it was right. */
function Verdict({ session, status, open }) {
  const { state, stateAt, why, containment, loop, tokens, loopTokens, unread } = session;
  const all = tokens.input + tokens.output;
  const share = loopTokens > 0 && all > 0 && ` ${percent(loopTokens, all)} of its tokens were spent inside the loop.`;
  const sentences = {
    looping: "It repeats itself.",
    warned: "It was warned, and has not gone on with the loop.",
    forced: "It was given no choice but to finish.",
    ended: `Unloop ended it after ${plural(loop?.count ?? 0, "lap")}: its model was not asked again.`,
    cut: "Its newest answer repeated itself, and was cut off.",
    failing: "The upstream did not answer its newest request.",
    contained: `${containment?.actor} contained it, until ${containment && new Date(containment.until).toLocaleString()}:`,
    recovered: "It was warned, and has left the loop behind.",
    running: unread
      ? `Its loops cannot be seen: its history has ${unread}, which is not understood.`
      : "Nothing is wrong with it.",
    idle: "Silent for ten minutes.",
    done: `It has answered${loop === null ? "" : "; before that it looped"}.`,
  };
  return html`<div class=${`card verdict ${state}`}><p><b>${sentences[state]}</b> <${Name} of=${why} />${why && "."}${share} <span class="dim"><${Ago} at=${stateAt} /></span></p>
    <${Rating} ...${{ session, status, open }} />
    <${RaiseLimit} session=${session} /></div>`;
}

function Facts({ session }) {
  const { firstSeenAt, lastSeenAt, requests, steps, threads, tokens, loopTokens, interventions, mode } = session;
  const all = tokens.input + tokens.output;
  const acts = Object.entries(interventions).map(([rung, count]) => `${count} × ${actName(rung, mode)}`);
  const facts = [
    ["Lasted", lasting(Date.parse(lastSeenAt) - Date.parse(firstSeenAt))],
    ["Last seen", html`<${Ago} at=${lastSeenAt} />`],
    ["Requests", number(requests)],
    ["Steps", `${number(steps)}${threads > 1 ? ` in ${plural(threads, "thread")}` : ""}`],
    ["Tokens", all === 0 ? "not told" : short(all)],
    ["Inside loops", loopTokens === 0 ? "none" : `${short(loopTokens)} (${percent(loopTokens, all)})`],
    [mode === "observe" ? "Only observed" : "Acts", acts.join(", ") || "none"],
  ];
  return html`<dl class="strip">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

function Share({ session }) {
  const file = session.name || session.id;
  const conversations = () =>
    session.lineages.map(({ id, window, findings }, i) => ({
      id: session.lineages.length === 1 ? file : `${file}, thread ${i + 1}`,
      task: "",
      steps: window,
      findings: findings.map((one) => ({ ...one, next: null })),
      mode: session.mode,
      thread: id,
    }));
  const ways = [
    [
      "One HTML file",
      async () => save(`${file}.html`, await reportFile(readAsset, file, conversations()), "text/html"),
    ],
    ["JSON", () => save(`${file}.json`, JSON.stringify(session, null, 2), "application/json")],
  ];
  return html`<details class="menu"><summary>Share</summary><div>
    ${ways.map(([name, act]) => html`<button type="button" class="quiet" onClick=${act}>${name}</button>`)}
  </div></details>`;
}

/** Threads with their place, the one with the session's loop first. */
const loopingFirst = ({ lineages, loop }) =>
  lineages
    .map((thread, i) => [thread, i])
    .sort(([a], [b]) => (b.id === loop?.thread) - (a.id === loop?.thread) || b.findings.length - a.findings.length);

function OneThread({ thread, session, i, place, ladders }) {
  const { loop, mode, state } = session;
  const isOver = state !== "looping" && state !== "warned";
  const { window, findings: all, steps, times } = thread;
  const findings = useMemo(
    () =>
      all.map((one) =>
        isOver || loop?.thread !== thread.id || loop.step !== one.step ? one : { ...one, next: loop.next },
      ),
    [all, isOver],
  );
  const byStep = times && new Map(times.map((one) => [one.step, one]));
  const first = window[0]?.index ?? 0;
  const title = session.lineages.length === 1 ? "Steps" : `Thread ${i + 1}`;
  const isMeant = place.thread === undefined || place.thread === thread.id;
  const told = (step) => {
    const query = { id: session.id, step, ...(session.lineages.length > 1 && { thread: thread.id }) };
    history.replaceState(null, "", address("session", query));
  };
  return html`<${Thread} title=${title} steps=${window} ...${{ findings, mode, ladders, told, times: byStep }} chosen=${isMeant ? place.step : undefined} isOnly=${session.lineages.length === 1} />
    ${first > 0 && html`<p class="dim">These are the newest ${number(window.length)} of ${number(steps)} steps: no more are stored.</p>`}`;
}

const TYPES = {
  intervention: "",
  recovered: "left the loop",
  "near-miss": "turned away from the loop",
  contained: "answered with the reason",
};

function Journal({ entries }) {
  const told = ({ type, rung, mode, detector, count, of, step, note, actor, reason, word }) => {
    const act = {
      intervention: actName(rung, mode),
      warning: `one before it ${mode === "observe" ? "" : "is "}${actName(rung, mode)} (${count} of ${of})`,
      feedback: `said: ${word === "right" ? "it was right" : "a false alarm"}`,
    }[type];
    return [act ?? TYPES[type] ?? type, step !== undefined && `step ${step}`, detector, note, actor, reason].filter(
      Boolean,
    );
  };
  return html`<section class="card"><h2>Journal</h2>
    <${Table} caption="Journal of this run" columns=${[["When"], ["What"]]} none="Nothing was done about this run." rows=${entries.map(
      (entry) => [html`<${Ago} at=${entry.at} />`, html`<${Name} of=${told(entry).join(" · ")} />`],
    )} /></section>`;
}
