// One session: how it is and why, what can be done, its threads, and its journal.
import { html, useMemo, useState } from "./htm.js";
import { Acts, RaiseLimit, Rating } from "./acts.js";
import { readAsset, useAnswer, useTicks } from "./api.js";
import { actName } from "./drawing.js";
import { Thread } from "./lane.js";
import { observedActs } from "./live.js";
import { Ago, Name, Problem, RunName, State, Table, Team, useTitle, Waiting } from "./parts.js";
import { reportParts } from "./report-file.js";
import { address, clockTime, lasting, money, nameOf, number, percent, plural, short } from "./words.js";

const EVERY_MS = 3_000;

export function Session({ query: { id = "", step, thread }, status, open, acts, back }) {
  const ticks = useTicks(EVERY_MS) + acts;
  const { value: session, problem, at } = useAnswer(`/sessions/${encodeURIComponent(id)}`, ticks);
  const journal = useAnswer(`/journal?${new URLSearchParams({ session: id, limit: "50" })}`, ticks).value;
  const policy = useAnswer(session && `/policies/${encodeURIComponent(session.policy)}`).value;
  useTitle(session ? nameOf(session) : "Run");
  const way = html`<p class="way"><a href=${back}>← Runs</a></p>`;
  if (session === undefined)
    return problem?.status === 404 ? html`${way}<${Gone} />` : html`${way}<${Waiting} problem=${problem} />`;
  const place = { step: step === undefined ? undefined : Number(step), thread };
  return html`${way}
    <header class="head">
      <h1><${RunName} of=${session} /> <${State} session=${session} /></h1>
      <p class="dim"><${Name} of=${session.agent || "unnamed agent"} /> · <${Name} of=${session.model || "unknown model"} /> · <${Team} of=${session.tenant} /> · ${session.policy}${session.arm && ` (${session.arm})`} (${session.mode})</p>
    </header>
    <${Problem} problem=${problem} since=${at} />
    <${Verdict} ...${{ session, status, open }} />
    <${Facts} session=${session} />
    <div class="bar">
      ${status.role === "operate" ? html`<${Acts} ...${{ session, status, open }} kind="button" />` : html`<span class="dim">Read only: the menu above says how to stop this run.</span>`}
      <a class="button" href=${address("what-if", { sessions: id })}>Try another policy</a>
      <button type="button" onClick=${() => saveReport(session)}>Save as one HTML file</button>
    </div>
    ${session.lineages.length === 0 && html`<p class="card empty">Its steps are no longer stored.</p>`}
    <${Threads} ...${{ session, place, ladders: policy?.ladders }} />
    ${journal && html`<${Journal} entries=${journal.entries} />`}`;
}

function Gone() {
  return html`<div class="card empty"><h1>This run is not known any more</h1>
    <p>Runs are kept as long as <code>UNLOOP_SESSION_TTL_MS</code> says; without Redis, until a restart.</p></div>`;
}

function reasonOf({ rung, due }) {
  if (due === null) return "";
  if (due.rung === rung) return html`It came to the limit of <b>${number(due.at)}</b>.`;
  if (due.rung === "nudge") return html`Warned at <b>${number(due.at)}</b>; it came back to the loop.`;
  return rung === "short-circuit"
    ? html`Told to finish at <b>${number(due.at)}</b>; it called again, so Unloop answered in its place.`
    : "";
}

function Verdict({ session, status, open }) {
  const { state, stateAt, why, containment, loop, tokens, loopTokens, unread, released, answered, observed } = session;
  const all = tokens.input + tokens.output;
  const sentences = {
    looping: session.mode === "observe" ? "It repeats itself; nothing is done in observe mode." : "It repeats itself.",
    warned: "It was warned, and has not gone on with the loop.",
    forced: "It was given no choice but to finish.",
    ended: "Unloop ended it: its model is not asked again.",
    cut: "Its newest answer repeated itself, and was cut off.",
    failing: `The upstream does not answer: ${failuresOf(session)}.`,
    contained: `${containment?.actor} stopped it, until ${containment && new Date(containment.until).toLocaleString()}.`,
    recovered:
      session.mode === "observe" ? "It left the loop by itself." : "It was warned, and has left the loop behind.",
    running: unread
      ? `Its loops cannot be seen: its history has ${unread}, which is not understood.`
      : released
        ? html`Let go on by ${released.actor} <${Ago} at=${released.at} />: <${Name} of=${released.reason} />.`
        : "Nothing is wrong with it.",
    idle: "Silent for ten minutes.",
    done: `It has answered${loop === null ? "" : "; before that it looped"}.`,
  };
  const isLed = loop !== null && ["looping", "warned", "forced", "ended"].includes(state);
  return html`<div class=${`card verdict ${state}`}><p><b>${sentences[state]}</b> ${why && html`${containment ? "Reason" : "Seen"}: <${Name} of=${why} />. `}${isLed && reasonOf(loop)}
    ${answered > 1 && state === "ended" && ` ${plural(answered - 1, "request")} answered since.`}
    ${Object.keys(observed).length > 0 && html` <span class="would">${observedActs(session)}.</span>`}
    ${loop !== null && loopTokens > 0 && all > 0 && html` <b>${percent(loopTokens, all)}</b> of its tokens were spent inside the loop.`} <span class="dim"><${Ago} at=${stateAt} /></span></p>
    <${Rating} ...${{ session, status, open }} />
    <${RaiseLimit} ...${{ session, status }} /></div>`;
}

const failuresOf = ({ failures }) =>
  Object.entries(failures)
    .map(([name, count]) => `${name} × ${number(count)}`)
    .join(", ");

function Facts({ session }) {
  const { firstSeenAt, lastSeenAt, requests, steps, threads, tokens, loopTokens, interventions, cost, keptBack } =
    session;
  const all = tokens.input + tokens.output;
  const acts = Object.entries(interventions).map(([rung, count]) => `${count} × ${actName(rung)}`);
  const facts = {
    Started: clockTime(firstSeenAt),
    Lasted: lasting(Date.parse(lastSeenAt) - Date.parse(firstSeenAt)),
    "Last seen": html`<${Ago} at=${lastSeenAt} />`,
    Requests: number(requests),
    Steps: `${number(steps)}${threads > 1 ? ` in ${plural(threads, "thread")}` : ""}`,
    Tokens: all === 0 ? "not told" : short(all),
    Cost: cost === null ? "no price" : money(cost),
    "Inside loops": loopTokens === 0 ? "none" : `${short(loopTokens)} (${percent(loopTokens, all)})`,
    Actions: acts.join(", ") || "none",
    ...(keptBack > 0 && { "Kept back": number(keptBack) }),
    ...(failuresOf(session) && { Errors: failuresOf(session) }),
  };
  return html`<dl class="strip">${Object.entries(facts).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

async function saveReport(session) {
  const file = session.name || session.id;
  const conversations = session.lineages.map(({ window, findings }, i) => ({
    id: session.lineages.length === 1 ? file : `${file}, thread ${i + 1}`,
    task: "",
    steps: window,
    findings: findings.map((one) => ({ ...one, next: null })),
    mode: session.mode,
  }));
  const { begin, piece, end } = await reportParts(readAsset, file);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([begin, ...conversations.map(piece), end], { type: "text/html" }));
  link.download = `${file}.html`;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** One thread as a lane; several as a table, loops first, with the lane of the chosen one. */
function Threads({ session, place, ladders }) {
  const { lineages, loop } = session;
  const [chosen, choose] = useState(place.thread);
  const ordered = lineages
    .map((thread, i) => ({ thread, title: `Thread ${i + 1}` }))
    .sort(
      (a, b) =>
        (b.thread.id === loop?.thread) - (a.thread.id === loop?.thread) ||
        b.thread.findings.length - a.thread.findings.length,
    );
  const shown = ordered.find(({ thread }) => thread.id === chosen) ?? ordered[0];
  if (shown === undefined) return null;
  const rows = ordered.map(({ thread, title }) => [
    html`<button type="button" class="link" aria-pressed=${thread === shown.thread} onClick=${() => choose(thread.id)}>${title}</button>`,
    html`<${Name} of=${thread.findings.at(-1)?.note ?? "no loop"} />`,
    html`<${Name} of=${[...new Set(thread.window.flatMap(({ calls }) => calls.map(({ tool }) => tool)))].slice(0, 4).join(", ")} />`,
    number(thread.steps),
    thread.times.length > 0 ? html`<${Ago} at=${thread.times.at(-1).at} />` : "–",
  ]);
  const columns = [["Thread"], ["Loop"], ["Tools"], ["Steps", "number"], ["Last step", "number"]];
  return html`${lineages.length > 1 && html`<section class="card"><h2>${plural(lineages.length, "thread")}</h2><${Table} caption="Threads of this run" columns=${columns} rows=${rows} /></section>`}
    <${OneThread} key=${shown.thread.id} ...${{ ...shown, session, place, ladders }} />`;
}

function OneThread({ thread, title, session, place, ladders }) {
  const { loop, mode, state, lineages } = session;
  const isOver = state !== "looping" && state !== "warned";
  const { window, findings: all, steps, times } = thread;
  const findings = useMemo(
    () =>
      all.map((one) =>
        isOver || loop?.thread !== thread.id || loop.step !== one.step ? one : { ...one, next: loop.next },
      ),
    [all, isOver],
  );
  const first = window[0]?.index ?? 0;
  const isMeant = place.thread === undefined || place.thread === thread.id;
  const told = (step) => {
    const query = { id: session.id, step, ...(lineages.length > 1 && { thread: thread.id }) };
    history.replaceState(null, "", address("session", query));
  };
  return html`<${Thread} title=${lineages.length === 1 ? "Steps" : title} steps=${window} ...${{ findings, mode, ladders, told, times }} chosen=${isMeant ? place.step : undefined} />
    ${first > 0 && html`<p class="dim">These are the newest ${number(window.length)} of ${number(steps)} steps: no more are stored.</p>`}`;
}

const TYPES = {
  recovered: "left the loop",
  "near-miss": "turned away from the loop",
  contain: "stopped",
  contained: "answered with the reason",
  release: "let go on",
};

function Journal({ entries }) {
  const said = ({ type, rung, mode, detector, count, of, step, note, actor, reason, word }) => {
    const act = {
      intervention: actName(rung, mode),
      warning: `one short of "${actName(rung, mode)}" (${count} of ${of})`,
      feedback: `said: ${word === "right" ? "it was right" : "a false alarm"}`,
    }[type];
    const parts = [act ?? TYPES[type] ?? type, step !== undefined && `step ${step}`, detector, note, actor, reason];
    return parts.filter(Boolean).join(" · ");
  };
  return html`<section class="card"><h2>Journal</h2>
    <${Table} caption="Journal of this run" columns=${[["When"], ["What"]]} none="Nothing was done about this run." rows=${entries.map(
      (entry) => [html`<${Ago} at=${entry.at} />`, html`<${Name} of=${said(entry)} />`],
    )} /></section>`;
}
