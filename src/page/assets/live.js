// Runs as they are now: figures of today, and a list whose order holds still while it is read. Then their totals: where loops are, what they cost, what was saved.
import { html, useEffect, useMemo, useRef, useState } from "./htm.js";
import { Acts } from "./acts.js";
import { useAnswer, useTicks } from "./api.js";
import { actName, stateName } from "./drawing.js";
import { Ago, Choice, Meter, Name, Problem, RunName, State, Table, Team, useKey, useTitle, Waiting } from "./parts.js";
import { address, clockTime, goTo, lasting, money, number, percent, plural, short, WINDOWS } from "./words.js";

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
const EVERY_MS = 3_000;
const SUMS_MS = 6_000;
const LIMIT = "50";
const PRESSING = "looping,warned,forced,ended,cut,failing,contained";

const asking = (path, query) => `${path}?${new URLSearchParams(query)}`;

export function Live({ query, status, open, acts }) {
  const ticks = useTicks(EVERY_MS) + acts;
  const { state, cursor, ...chosen } = query;
  const list = useAnswer(asking("/sessions", { ...query, limit: LIMIT }), ticks, true);
  const isOpen = state === undefined && cursor === undefined;
  const all = isOpen ? asking("/sessions", { ...query, state: PRESSING, limit: LIMIT }) : undefined;
  const pressing = useAnswer(all, ticks, true);
  const sums = useAnswer(asking("/overview", { window: "24h", ...chosen }), useTicks(SUMS_MS) + acts, true).value;
  const looping = sums?.states.looping ?? 0;
  useTitle(looping > 0 ? `(${looping}) looping` : "Runs");
  const isWaiting = list.value === undefined || (isOpen && pressing.value === undefined);
  return html`<h1 class="sr">Runs</h1>
    ${sums && html`<${Today} ...${{ sums, query: chosen }} />`}
    <${Filters} ...${{ query, sums }} />
    <${Problem} problem=${list.problem} since=${list.at} />
    ${
      isWaiting
        ? !list.problem && html`<${Waiting} />`
        : html`<${Runs} key=${address("live", query)} ...${{ page: list.value, pressing: isOpen ? pressing.value.sessions : [], query, status, open }} />`
    }
    ${sums?.by.unread.map(({ name, sessions }) => html`<p class="notice">Loops cannot be seen in ${plural(sessions, "run")}: entries of the kind <b><${Name} of=${name} /></b> are not understood (docs/dialects.md).</p>`)}`;
}

/** What matters today; each figure leads to its sessions. */
function Today({ sums: { states, total, prices, isWhole }, query }) {
  const count = (name) => states[name] ?? 0;
  const of = (state) => address("live", { ...query, state });
  const totals = address("totals", query);
  const { stopped, wouldHaveStopped, sessions, keptBack, avoidedTokens, loopTokens, tokens, failures, loopCost } =
    total;
  const figure = (href, name, value, note, isHot = false) =>
    html`<li><a class=${`card figure ${isHot ? "hot" : ""}`} href=${href}><span>${name}</span> <b>${value}</b> <span class="dim">${note}</span></a></li>`;
  return html`<ul class="figures" aria-label="The last 24 hours">
    ${figure(of("looping"), "Looping now", number(count("looping")), `of ${plural(sessions, "run")} today${count("warned") ? `, ${number(count("warned"))} warned` : ""}`, count("looping") > 0)}
    ${figure(of("forced,ended,cut"), "Stopped by Unloop", number(stopped), wouldHaveStopped ? `${number(wouldHaveStopped)} more would have been` : `${number(count("contained"))} by operators`)}
    ${figure(of("failing"), "Failing upstream", number(count("failing")), failures ? plural(failures, "error") : "no errors", count("failing") > 0)}
    ${figure(totals, "Calls kept back", number(keptBack), avoidedTokens ? `at least ${short(avoidedTokens)} tokens` : "repeats not carried out")}
    ${figure(totals, "Tokens inside loops", short(loopTokens), `${percent(loopTokens, tokens)} of ${short(tokens)}${isWhole ? "" : ", newest 5,000 runs"}`)}
    ${figure(totals, "Spent inside loops", loopCost === null ? "–" : money(loopCost), priced(prices, total))}
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
  useEffect(() => {
    if (document.activeElement !== search.current) search.current.value = query.q ?? "";
  }, [query.q]);
  useKey((event) => {
    if (event.key !== "/") return;
    event.preventDefault();
    search.current.focus();
  });
  const filter = (name, value, isTyped) => goTo("live", { ...query, cursor: "", [name]: value }, isTyped);
  const typed = ({ target: { value } }) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => filter("q", value, true), 250);
  };
  const choice = (name, label, all, options) =>
    html`<${Choice} label=${label} value=${query[name]} options=${[["", all], ...withOwn(options, query[name])]} onChange=${(value) => filter(name, value)} />`;
  const own = (kind) => (sums?.by[kind] ?? []).flatMap(({ name }) => (name === "" ? [] : [[name, name]])).sort();
  const more = MORE.filter((name) => query[name] !== undefined);
  return html`<div class="bar" role="search">
    <label>Name <input ref=${search} type="search" placeholder="press / to search" onInput=${typed} /></label>
    ${choice("state", "State", "all", Object.entries(STATES))}
    ${choice("tenant", "Team", "all", own("tenant"))}
    ${choice("agent", "Agent", "all", own("agent"))}
    ${choice("window", "Time", "all that is known", Object.entries(WINDOWS))}
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
  [...sessions].sort((a, b) => rankOf(a) - rankOf(b) || (a.lastSeenAt < b.lastSeenAt ? 1 : -1)).slice(0, Number(LIMIT));

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

const COLUMNS = ["State", "Run", "Team", "Steps", "Tokens", "Cost", "In loops", "Seen", "Actions"];

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
      <thead><tr>${COLUMNS.map((name, i) => html`<th scope="col" class=${i > 2 ? "number" : ""}>${name}</th>`)}</tr></thead>
      <tbody>${rows.map((session) => html`<${Run} key=${session.id} ...${{ session, status, open }} />`)}</tbody>
    </table></div>
    ${older}`;
}

/** How fast a run goes: what tells a wild one from a slow one. */
function rate({ steps, firstSeenAt, lastSeenAt }) {
  const ms = Date.parse(lastSeenAt) - Date.parse(firstSeenAt);
  if (steps < 3 || ms < 1_000) return "";
  const hourly = (steps * HOUR_MS) / ms;
  return hourly < 60 ? `${number(hourly)} an hour` : `${number(hourly / 60)} a minute`;
}

export const observedActs = ({ observed }) =>
  Object.entries(observed)
    .map(([rung, count]) => `${number(count)} × ${actName(rung, "observe")}`)
    .join(", ");

const none = html`<span class="dim">–</span>`;

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
  const started =
    Date.now() - Date.parse(firstSeenAt) < 24 * HOUR_MS ? clockTime(firstSeenAt) : firstSeenAt.slice(0, 10);
  return html`<tr class=${state}>
    <td><${State} session=${session} />${isPressing && html`<p class="dim">for ${lasting(Date.now() - Date.parse(stateAt))}</p>`}</td>
    <td><a class="name" href=${address("session", { id })}><${RunName} of=${session} /></a>
      <p class="dim">${facts.map((fact, i) => html`${i > 0 && " · "}<${Name} of=${fact} />`)}</p>
      ${why !== "" && html`<p><${Name} of=${why} /> ${isPressing && loop && html`<${Meter} count=${loop.count} next=${loop.next} mode=${mode} />`}</p>`}
      ${isPressing && html`<p class="dim">${observedActs(session)}</p>`}</td>
    <td><${Team} of=${tenant} /></td>
    <td class="number">${number(steps)}<p class="dim">${threads > 1 && `in ${threads} threads `}${rate(session)}</p></td>
    <td class="number">${all === 0 ? html`<span class="dim">not told</span>` : short(all)}</td>
    <td class="number">${cost ? money(cost) : none}</td>
    <td class="number">${loopTokens === 0 ? none : html`<b>${percent(loopTokens, all)}</b>`}</td>
    <td class="number"><${Ago} at=${lastSeenAt} /><p class="dim">since ${started}</p></td>
    <td class="number"><${Acts} ...${{ session, status, open }} /></td>
  </tr>`;
}

function Nothing({ isFiltered }) {
  if (isFiltered)
    return html`<div class="card empty"><h2>No run is like that</h2><p><a href="#live">Show all runs</a></p></div>`;
  const { origin } = location;
  return html`<div class="card narrow"><h2>No run yet</h2>
    <p>Give an agent this address in place of its API's.</p>
    <pre tabindex="0">${`# OpenAI's SDKs, and what is built on them
export OPENAI_BASE_URL=${origin}/v1

# Claude Code, and Anthropic's SDKs
export ANTHROPIC_BASE_URL=${origin}`}</pre>
    <p>Or let <code>unloop wrap claude</code> do it.</p></div>`;
}

const KINDS = { agent: "Agent", tenant: "Team", model: "Model", tool: "Tool", detector: "Detector", policy: "Policy" };
const TOTALS_MS = 10_000;

export function Totals({ query }) {
  const ticks = useTicks(TOTALS_MS);
  const { by = "agent", window = "24h", ...filters } = query;
  const { value, problem, at } = useAnswer(`/overview?${new URLSearchParams({ ...filters, window })}`, ticks, true);
  useTitle("Totals");
  const kind = Object.hasOwn(KINDS, by) ? by : "agent";
  return html`<h1>Totals</h1>
    <div class="bar">
      <div class="tabs" role="group" aria-label="By">${Object.entries(KINDS).map(([name, title]) => html`<button type="button" aria-pressed=${name === kind} onClick=${() => goTo("totals", { ...query, by: name })}>${title}</button>`)}</div>
      <${Choice} label="Time" value=${window} options=${Object.entries(WINDOWS)} onChange=${(chosen) => goTo("totals", { ...query, window: chosen })} />
    </div>
    ${value === undefined ? html`<${Waiting} problem=${problem} />` : html`<${Problem} problem=${problem} since=${at} /><${Loops} ...${{ sums: value, kind, filters, window }} />`}`;
}

/** What is told of the runs of one name, by title. */
const FIGURES = {
  Runs: ({ sessions }) => number(sessions),
  "With a loop": ({ looped, sessions }) => `${number(looped)} (${percent(looped, sessions)})`,
  Interventions: ({ interventions }) => number(interventions),
  "Only observed": ({ observed }) => html`<span class="dim">${number(observed)}</span>`,
  "Kept back": ({ keptBack }) => number(keptBack),
  "Tokens in loops": ({ loopTokens, tokens }) => `${short(loopTokens)} (${percent(loopTokens, tokens)})`,
  "Spent in loops": ({ loopCost }) => (loopCost === null ? html`<span class="dim">no price</span>` : money(loopCost)),
  Errors: ({ failures }) => number(failures),
  Right: ({ right }) => number(right),
  "False alarms": ({ wrong }) => number(wrong),
};

function Loops({ sums: { by, prices, isWhole }, kind, filters, window }) {
  const rows = by[kind].map(({ name, ...sums }) => [
    html`<a href=${address("live", { ...filters, window, [kind]: name })}>${kind === "tenant" ? html`<${Team} of=${name} />` : html`<${Name} of=${name || "unnamed"} />`}</a>`,
    ...Object.values(FIGURES).map((figure) => figure(sums)),
  ]);
  return html`<section class="card"><h2>Where loops are</h2>
    <${Table} caption="Where loops are" columns=${[[KINDS[kind]], ...Object.keys(FIGURES).map((name) => [name, "number"])]} rows=${rows} none="No run in this time." />
    <p class="dim">Each name leads to its runs. "Only observed" is what enforce mode would have done.${!isWhole && " Of the newest 5,000 runs."}
    ${prices.list > 0 && ` ${plural(prices.list, "run")} at list prices of ${prices.listAt}, in US dollars: "prices" in the policy takes their place.`}
    ${prices.none > 0 && ` ${plural(prices.none, "run")} of models without a price: set it in the policy's "prices".`}</p></section>`;
}
