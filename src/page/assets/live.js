// Sessions as they are now.
import { html, useEffect, useMemo, useState } from "./htm.js";
import { useAnswer, useNews } from "./api.js";
import { actName } from "./drawing.js";
import { Meter } from "./lane.js";
import { Acts, age, Choice, goTo, News, number, Problem } from "./parts.js";

const STATES = [
  ["", "all"],
  ["looping", "looping"],
  ["ended", "ended by Unloop"],
  ["cut", "cut off"],
  ["contained", "contained"],
  ["healthy", "healthy"],
];
const RUNGS = [
  ["", "any"],
  ["nudge", "nudge"],
  ["force-done", "force-done"],
  ["short-circuit", "short-circuit"],
  ["cut", "cut"],
];

export function Live({ query, status }) {
  const [paused, setPaused] = useState(false);
  const { version, again, state } = useNews(paused);
  useEffect(() => {
    const onKey = (event) => {
      if (event.key !== " " || event.target !== document.body) return;
      event.preventDefault();
      setPaused((before) => !before);
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  const path = useMemo(() => `/sessions?${new URLSearchParams({ ...query, limit: "100" })}`, [query]);
  const { value, problem } = useAnswer(path, version);
  const filter = (name) => (chosen) => goTo("live", { ...query, cursor: "", [name]: chosen });
  return html`<h1>Sessions</h1>
    <div class="bar">
      <label>Name <input type="search" value=${query.q ?? ""} onChange=${(event) => filter("q")(event.target.value)} /></label>
      <${Choice} label="State" value=${query.state} options=${STATES} onChange=${filter("state")} />
      <${Choice} label="Rung" value=${query.rung} options=${RUNGS} onChange=${filter("rung")} />
      <label>Tenant <input type="search" value=${query.tenant ?? ""} onChange=${(event) => filter("tenant")(event.target.value)} /></label>
      <label>Agent <input type="search" value=${query.agent ?? ""} onChange=${(event) => filter("agent")(event.target.value)} /></label>
      <button type="button" aria-pressed=${paused} onClick=${() => setPaused(!paused)}>Pause</button>
      <${News} state=${state} />
    </div>
    <${Problem} problem=${problem} />
    ${value && html`<${Sessions} ...${{ page: value, query, status, again }} />`}`;
}

function Sessions({ page: { sessions, next }, query, status, again }) {
  // One call looks through so many sessions only, and may have found none among them.
  const older = html`<p><button type="button" onClick=${() => goTo("live", { ...query, cursor: next })}>Older</button></p>`;
  if (sessions.length === 0) {
    const isFiltered = Object.keys(query).length > 0;
    return html`<div class="empty"><p>${isFiltered ? "No session is like that." : "No session yet."}</p>
      ${next !== null && html`<p>Not all were looked through.</p>${older}`}
      ${!isFiltered && html`<p>Point an agent at <code>${location.origin}/v1</code> and it appears here.</p>`}</div>`;
  }
  const columns = [
    "Session",
    "Tenant",
    "Agent",
    "Policy",
    "Steps",
    "Tokens",
    "In loops",
    "State",
    "To the next rung",
    "Age",
    "",
  ];
  return html`<div class="scroll"><table>
      <thead><tr>${columns.map((name) => html`<th scope="col">${name || html`<span class="dim">Act</span>`}</th>`)}</tr></thead>
      <tbody>${sessions.map((session) => html`<${Row} key=${session.id} ...${{ session, status, again }} />`)}</tbody>
    </table></div>
    ${next !== null && older}`;
}

function Row({ session, status, again }) {
  const {
    id,
    name,
    tenant,
    agent,
    policy,
    mode,
    arm,
    steps,
    threads,
    tokens,
    loopTokens,
    loop,
    cut,
    state,
    lastSeenAt,
  } = session;
  const all = tokens.input + tokens.output;
  return html`<tr class=${loop || cut !== null ? "looping" : ""}>
    <td><a href=${`#session?${new URLSearchParams({ id })}`}>${name || id}</a></td>
    <td>${tenant.slice(0, 24)}</td>
    <td>${agent}</td>
    <td>${policy} <small>${mode}${arm ? `, ${arm}` : ""}</small></td>
    <td class="number">${number(steps)}${threads > 1 && html` <small>in ${threads}</small>`}</td>
    <td class="number">${all === 0 && cut !== null ? "not told" : number(all)}</td>
    <td class="number">${number(loopTokens)}</td>
    <td><${State} session=${session} /></td>
    <td>${state === "looping" && html`<${Meter} count=${loop.count} next=${loop.next} />`}</td>
    <td class="number">${age(lastSeenAt)}</td>
    <td><${Acts} ...${{ session, status, done: again }} /></td>
  </tr>`;
}

function State({ session: { state, mode, loop, cut } }) {
  if (state === "contained") return html`<b>contained</b>`;
  if (state === "healthy") return html`<span class="fine">healthy</span>`;
  if (state === "cut") return html`<span class="act cut">${actName("cut", mode)}</span> runaway text: ${cut}`;
  const { rung, detector, tools } = loop;
  return html`<span class=${`act ${rung}`}>${actName(rung, mode)}</span> ${state === "ended" && "ended; "}${detector}: ${tools.join(", ")}`;
}
