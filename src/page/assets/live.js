// Runs as they are now: figures of today, and a list whose order holds still while it is read.
import { html, useEffect, useMemo, useRef, useState } from "./htm.js";
import { Acts } from "./acts.js";
import { useAnswer, useNews } from "./api.js";
import { actName, stateName } from "./drawing.js";
import { Meter } from "./lane.js";
import {
  address,
  Ago,
  Choice,
  clockTime,
  goTo,
  lasting,
  money,
  Name,
  number,
  percent,
  plural,
  Problem,
  RunName,
  short,
  State,
  Team,
  Waiting,
  WINDOWS,
} from "./parts.js";

const STATES = {
  "looping,warned": "looping or warned",
  "forced,ended,cut": "stopped by Unloop",
  failing: "failing upstream",
  ...Object.fromEntries(
    ["looping", "warned", "contained", "recovered", "running", "idle", "done"].map((state) => [
      state,
      stateName({ state }),
    ]),
  ),
};
const MORE = ["model", "policy", "tool", "detector", "rung"];
const FILTERS = ["q", "state", "tenant", "agent", "window", ...MORE];
const NEWS_MS = 3_000;
const SUMS_MS = 6_000;
const LIMIT = "50";
const PRESSING = "looping,warned,forced,ended,cut,failing,contained";

const asking = (path, query) => `${path}?${new URLSearchParams(query)}`;

export function Live({ query, status, open, acts }) {
  const { version } = useNews(NEWS_MS);
  const slow = useNews(SUMS_MS);
  const list = useAnswer(asking("/sessions", { ...query, limit: LIMIT }), version + acts, true);
  const isOpen = query.state === undefined && query.cursor === undefined;
  const all = isOpen ? asking("/sessions", { ...query, state: PRESSING, limit: LIMIT }) : undefined;
  const pressing = useAnswer(all, version + acts, true);
  const { state: _, cursor: __, ...chosen } = query;
  const sums = useAnswer(asking("/overview", { window: "24h", ...chosen }), slow.version + acts, true);
  const looping = sums.value?.states.looping ?? 0;
  useEffect(() => {
    document.title = looping > 0 ? `(${looping}) looping · Unloop` : "Runs · Unloop";
  }, [looping]);
  const isWaiting = list.value === undefined || (isOpen && pressing.value === undefined);
  return html`<h1 class="sr">Runs</h1>
    ${sums.value && html`<${Today} ...${{ sums: sums.value, query: chosen }} />`}
    <${Filters} ...${{ query, sums: sums.value }} />
    <${Problem} problem=${list.problem} since=${list.at} />
    ${
      isWaiting
        ? !list.problem && html`<${Waiting} />`
        : html`<${Runs} key=${address("live", query)} ...${{ page: list.value, pressing: isOpen ? pressing.value.sessions : [], query, status, open }} />`
    }
    ${sums.value?.by.unread.map(({ name, sessions }) => html`<p class="notice">Loops cannot be seen in ${plural(sessions, "run")}: entries of the kind <b><${Name} of=${name} /></b> are not understood (docs/dialects.md).</p>`)}`;
}

/** What matters today; each figure leads to its sessions. */
function Today({ sums: { states, total, prices, isWhole }, query }) {
  const measured = useAnswer("/savings?window=24h").value?.policies.flatMap(({ saved }) => saved ?? []) ?? [];
  const count = (...names) => names.reduce((sum, name) => sum + (states[name] ?? 0), 0);
  const of = (state) => address("live", { ...query, state });
  const totals = address("totals", query);
  const looping = count("looping");
  const { stopped, wouldHaveStopped, sessions, keptBack, avoidedTokens, loopTokens, tokens, failures } = total;
  const figure = (href, name, value, note, isHot = false) =>
    html`<li><a class=${`figure ${isHot ? "hot" : ""}`} href=${href}><span>${name}</span> <b>${value}</b> <span class="dim">${note}</span></a></li>`;
  const saved = measured.reduce((all, one) => all + one.tokens.value, 0);
  return html`<ul class="figures" aria-label="The last 24 hours">
    ${figure(of("looping"), "Looping now", number(looping), `of ${plural(sessions, "run")} today${count("warned") ? `, ${number(count("warned"))} warned` : ""}`, looping > 0)}
    ${figure(of("forced,ended,cut"), "Stopped by Unloop", number(stopped), wouldHaveStopped ? `${number(wouldHaveStopped)} more only observed` : `${number(count("contained"))} by operators`)}
    ${figure(of("failing"), "Failing upstream", number(count("failing")), failures ? plural(failures, "error") : "no errors", count("failing") > 0)}
    ${figure(totals, "Calls kept back", number(keptBack), measured.length > 0 ? `${short(saved)} tokens saved, measured` : avoidedTokens ? `at least ${short(avoidedTokens)} tokens` : "repeated calls, answers")}
    ${figure(totals, "Tokens inside loops", short(loopTokens), `${percent(loopTokens, tokens)} of ${short(tokens)}${isWhole ? "" : ", newest 5,000 runs"}`)}
    ${figure(totals, "Spent inside loops", total.loopCost === null ? "–" : money(total.loopCost), priced(prices, total))}
  </ul>`;
}

function priced({ list, policy, none, listAt }, { cost }) {
  if (cost === null) return none > 0 ? "no prices set" : "nothing spent yet";
  return html`of ${money(cost)}${list > policy && html`, <span class="whole">list prices ${listAt}</span>`}${none > 0 ? `; ${number(none)} without a price` : ""}`;
}

/** Held here and in the address; what is typed is nobody's to overwrite. */
function Filters({ query, sums }) {
  const search = useRef(null);
  const timer = useRef(undefined);
  const names = useRef({ tenant: new Set(), agent: new Set() });
  for (const kind of ["tenant", "agent"])
    for (const { name } of sums?.by[kind] ?? []) if (name !== "") names.current[kind].add(name);
  useEffect(() => {
    if (document.activeElement !== search.current) search.current.value = query.q ?? "";
  }, [query.q]);
  useEffect(() => {
    const onKey = (event) => {
      if (event.key !== "/" || event.target.closest("input, select, textarea, dialog")) return;
      event.preventDefault();
      search.current.focus();
    };
    addEventListener("keydown", onKey);
    return () => {
      removeEventListener("keydown", onKey);
      clearTimeout(timer.current);
    };
  }, []);
  const filter = (name, value, isTyped) => goTo("live", { ...query, cursor: "", [name]: value }, isTyped);
  const typed = ({ target: { value } }) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => filter("q", value, true), 250);
  };
  const choice = (name, label, all, options) =>
    html`<${Choice} label=${label} value=${query[name]} options=${[["", all], ...withOwn(options, query[name])]} onChange=${(value) => filter(name, value)} />`;
  const own = (kind) => [...names.current[kind]].sort().map((name) => [name, name]);
  const more = MORE.filter((name) => query[name] !== undefined);
  return html`<div class="bar" role="search">
    <label>Name <input ref=${search} type="search" placeholder="press / to search" onInput=${typed} /></label>
    <details class="fold" open=${matchMedia("(min-width: 760px)").matches}><summary>Filters</summary><div class="bar">
      ${choice("state", "State", "all", Object.entries(STATES))}
      ${choice("tenant", "Team", "all", own("tenant"))}
      ${choice("agent", "Agent", "all", own("agent"))}
      ${choice("window", "Time", "all that is known", Object.entries(WINDOWS))}
    </div></details>
    ${more.map((name) => html`<button type="button" class="chip" aria-label=${`Without the filter ${name} ${query[name]}`} onClick=${() => filter(name, "")}>${name} <b><${Name} of=${query[name]} /></b> ✕</button>`)}
    ${FILTERS.some((name) => query[name] !== undefined) && html`<a href="#live">Clear</a>`}
  </div>`;
}

const withOwn = (options, value) =>
  value === undefined || options.some(([name]) => name === value) ? options : [...options, [value, value]];

const HOUR_MS = 3_600_000;
const RANKS = { looping: 0, warned: 1, forced: 2, ended: 2, cut: 2, failing: 2, contained: 2 };
/** Loops first; what was stopped in the last hour; then the newest. */
const rankOf = ({ state, lastSeenAt }) => {
  const rank = RANKS[state] ?? 3;
  return rank === 2 && Date.now() - Date.parse(lastSeenAt) > HOUR_MS ? 3 : rank;
};

const arranged = (sessions) =>
  sessions
    .map((session) => ({ session, rank: rankOf(session) }))
    .sort((a, b) => a.rank - b.rank || (a.session.lastSeenAt < b.session.lastSeenAt ? 1 : -1))
    .slice(0, Number(LIMIT))
    .map(({ session }) => session);

/** The sessions in an order that changes only while nobody is in the list, and how many would stand elsewhere. */
function useHeldOrder(sessions, list) {
  const shown = useRef(undefined);
  const [, redraw] = useState(0);
  const wanted = useMemo(() => arranged(sessions), [sessions]);
  const isRead = () =>
    list.current !== null &&
    (list.current.matches(":hover") ||
      list.current.contains(document.activeElement) ||
      scrollY > 200 ||
      document.querySelector("dialog[open]") !== null);
  if (shown.current === undefined || !isRead()) shown.current = wanted;
  const now = new Map(sessions.map((session) => [session.id, session]));
  const before = new Map(shown.current.map((session) => [session.id, session]));
  const moved = wanted.filter((one) => !before.has(one.id) || RANKS[before.get(one.id).state] !== RANKS[one.state]);
  const show = () => {
    shown.current = wanted;
    redraw((count) => count + 1);
  };
  return { rows: shown.current.map((one) => now.get(one.id) ?? one), moved, show };
}

const COLUMNS = {
  State: "",
  Run: "",
  Team: "",
  Steps: "number",
  Tokens: "number",
  Cost: "number",
  "In loops": "number",
  Seen: "number",
  Actions: "end",
};

function Runs({ page: { sessions, next }, pressing, query, status, open }) {
  const list = useRef(null);
  const all = useMemo(
    () => [...new Map([...pressing, ...sessions].map((one) => [one.id, one])).values()],
    [pressing, sessions],
  );
  const { rows, moved, show } = useHeldOrder(all, list);
  // One call looks through so many sessions only, and may have found none among them.
  const older =
    next !== null && html`<p><a class="button" href=${address("live", { ...query, cursor: next })}>Older runs</a></p>`;
  if (rows.length === 0)
    return html`<${Nothing} isFiltered=${FILTERS.some((name) => query[name] !== undefined)} />${older}`;
  const looping = moved.filter(({ state }) => state === "looping").length;
  return html`<p class="changed" role="status">${
    moved.length > 0 &&
    html`<button type="button" class="chip" onClick=${show}>${number(moved.length)} changed${looping > 0 ? `, ${number(looping)} looping now` : ""}: show</button>`
  }</p>
    <div class="card list" ref=${list}><table class="runs">
      <thead><tr>${Object.entries(COLUMNS).map(([name, kind]) => html`<th scope="col" class=${kind}>${name}</th>`)}</tr></thead>
      <tbody>${rows.map((session) => html`<${Run} key=${session.id} ...${{ session, status, open }} />`)}</tbody>
    </table></div>
    ${older}`;
}

const MINUTE_MS = 60_000;

/** How fast a run goes: what tells a wild one from a slow one. */
function rate({ steps, firstSeenAt, lastSeenAt }) {
  const ms = Date.parse(lastSeenAt) - Date.parse(firstSeenAt);
  if (steps < 3 || ms < 1_000) return "";
  const each = (steps * MINUTE_MS) / ms;
  return each < 1 ? `${number(each * 60)} an hour` : `${number(each)} a minute`;
}

/** What enforce mode would have done, in the words of the past tense. */
export const observedActs = ({ observed }) =>
  Object.entries(observed)
    .map(([rung, count]) => `${number(count)} × ${actName(rung, "observe")}`)
    .join(", ");

function Run({ session, status, open }) {
  const { id, tenant, agent, model, policy, mode, arm, steps, threads, tokens, loopTokens, cost, loop, why } = session;
  const { state, stateAt, unread, firstSeenAt, lastSeenAt } = session;
  const all = tokens.input + tokens.output;
  const isPressing = state === "looping" || state === "warned";
  const facts = [
    agent || "unnamed agent",
    model,
    mode === status.mode && policy === status.policy ? "" : `${policy}, ${mode}`,
    arm,
    unread && `not watched: ${unread}`,
  ].filter(Boolean);
  const started = Date.now() - Date.parse(firstSeenAt) < 86_400_000 ? clockTime(firstSeenAt) : firstSeenAt.slice(0, 10);
  return html`<tr class=${state}>
    <td><${State} session=${session} />${isPressing && html`<p class="dim">for ${lasting(Date.now() - Date.parse(stateAt))}</p>`}</td>
    <td data-label="Run"><a class="name" href=${address("session", { id })}><${RunName} of=${session} /></a>
      <p class="dim">${facts.map((fact, i) => html`${i > 0 && " · "}<${Name} of=${fact} />`)}</p>
      ${why !== "" && html`<p class="why"><${Name} of=${why} /> ${isPressing && loop && html`<${Meter} count=${loop.count} next=${loop.next} mode=${mode} />`}</p>`}
      ${isPressing && Object.keys(session.observed).length > 0 && html`<p class="dim would">${observedActs(session)}</p>`}</td>
    <td data-label="Team"><${Team} of=${tenant} /></td>
    <td class="number" data-label="Steps">${number(steps)}${threads > 1 && html` <small>in ${threads} threads</small>`}<p class="dim">${rate(session)}</p></td>
    <td class="number" data-label="Tokens">${all === 0 ? html`<span class="dim">not told</span>` : short(all)}</td>
    <td class="number" data-label="Cost">${cost ? money(cost) : html`<span class="dim">–</span>`}</td>
    <td class="number" data-label="In loops">${loopTokens === 0 ? html`<span class="dim">–</span>` : html`<b>${percent(loopTokens, all)}</b>`}</td>
    <td class="number" data-label="Seen"><${Ago} at=${lastSeenAt} /><p class="dim">since ${started}</p></td>
    <td class="end"><${Acts} ...${{ session, status, open }} /></td>
  </tr>`;
}

function Nothing({ isFiltered }) {
  if (isFiltered)
    return html`<div class="card empty"><h2>No run is like that</h2><p><a href="#live">Show all runs</a></p></div>`;
  const { origin } = location;
  return html`<div class="card start"><h2>No run yet</h2>
    <p>Give an agent this address in place of its API's.</p>
    <pre tabindex="0">${`# OpenAI's SDKs, and what is built on them
export OPENAI_BASE_URL=${origin}/v1

# Claude Code, and Anthropic's SDKs
export ANTHROPIC_BASE_URL=${origin}`}</pre>
    <p>Or let <code>unloop wrap claude</code> do it.</p></div>`;
}
