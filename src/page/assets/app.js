// The live page: what is shown follows from the address, so that any view can be sent to a colleague.
import { html, render, useEffect, useRef, useState } from "./htm.js";
import { ActDialog, isRating, perform, ReadOnly, Toast } from "./acts.js";
import { ask, hearToken, keepToken, shareToken, useTicks } from "./api.js";
import { Live, Totals } from "./live.js";
import { TokenForm } from "./parts.js";
import { Session } from "./session.js";
import { WhatIf } from "./what-if.js";
import { address } from "./words.js";

const VIEWS = { live: Live, session: Session, totals: Totals, "what-if": WhatIf };
const TABS = { live: "Runs", totals: "Totals", "what-if": "What if" };

/** The address that a start prints carries the token: it is taken out of it. */
function takeToken() {
  const { view, query } = placeNow();
  const { token, ...rest } = query;
  if (token === undefined) return;
  keepToken(token);
  history.replaceState(null, "", address(view, rest));
}

/** `#live?state=looping` */
function placeNow() {
  const [view = "", query = ""] = location.hash.slice(1).split("?");
  return { view: Object.hasOwn(VIEWS, view) ? view : "live", query: Object.fromEntries(new URLSearchParams(query)) };
}

const STATUS_MS = 10_000;

/** The guard's status, now and then; asks other tabs for a token before the reader. */
function useStatus() {
  const [status, setStatus] = useState(undefined);
  const [problem, setProblem] = useState(undefined);
  const [isLive, setLive] = useState(true);
  const ticks = useTicks(STATUS_MS);
  const begin = () =>
    ask("/status").then((value) => {
      setStatus(value);
      setProblem(undefined);
      return value.role;
    }, setProblem);
  useEffect(() => void begin(), [ticks]);
  useEffect(() => {
    addEventListener("unloop-locked", ({ detail }) => setProblem(detail));
    addEventListener("unloop-answer", ({ detail }) => setLive(detail));
    hearToken(begin);
  }, []);
  const enter = async (token) => {
    if (!keepToken(token)) return undefined;
    const role = await begin();
    shareToken();
    return role;
  };
  return { status, problem, isLive, enter };
}

function App() {
  const [place, setPlace] = useState(placeNow);
  const { status, problem, isLive, enter } = useStatus();
  const [asked, open] = useState(undefined);
  const [done, setDone] = useState(undefined);
  const [acts, setActs] = useState(0);
  const runs = useRef("#live");
  useEffect(() => {
    const moved = () => setPlace(placeNow());
    addEventListener("hashchange", moved);
    return () => removeEventListener("hashchange", moved);
  }, []);
  // The way back leads to the list as it was.
  if (place.view === "live") runs.current = location.hash || "#live";
  const View = VIEWS[place.view];
  const again = () => setActs((before) => before + 1);
  const took = (act) => {
    open(undefined);
    setDone(act);
    again();
  };
  /** A rating is done at once, since the next one takes its place; why can be said after it. */
  const start = (what) => {
    setDone(undefined);
    if (!isRating(what.act) || what.why) open(what);
    else
      perform(what.act, what.session, "").then(
        () => took(what),
        () => open(what),
      );
  };
  const isLocked = problem?.status === 401;
  return html`<header class="top">
      <a class="brand" href="#live"><img src="/unloop/assets/icon.svg" alt="" width="22" height="22" />Unloop</a>
      <nav aria-label="Views">${Object.entries(TABS).map(([view, name]) => html`<a href=${view === "live" ? runs.current : `#${view}`} aria-current=${view === place.view ? "page" : undefined}>${name}</a>`)}</nav>
      ${status && html`<${Guard} ...${{ status, isLive, enter }} />`}
    </header>
    <main tabindex="-1">
      ${problem && (isLocked ? html`<${AskToken} ...${{ problem, enter }} />` : html`<p class="notice" role="alert">${problem.message}</p>`)}
      ${status?.warnings.map((warning) => html`<p class="notice" role="alert">${warning}</p>`)}
      ${!problem && !status && html`<p class="empty" role="status">Loading …</p>`}
      ${status && !isLocked && html`<${View} key=${place.view} query=${place.query} ...${{ status, open: start, acts, back: runs.current }} />`}
    </main>
    <${ActDialog} ...${{ what: asked, status }} close=${() => open(undefined)} done=${took} />
    <${Toast} what=${done} again=${again} open=${start} close=${() => setDone(undefined)} />`;
}

function Guard({ status, isLive, enter }) {
  const { mode, policy, version, actor } = status;
  return html`<div class="guard">
    <span class=${isLive ? "live" : ""} role="status">${isLive ? "Live" : "No answer"}</span>
    <span title=${`Unloop ${version}; you are ${actor}`}><b>${mode}</b> · ${policy}</span>
    <${ReadOnly} ...${{ status, enter }} />
  </div>`;
}

function AskToken({ problem, enter }) {
  return html`<section class="card narrow"><h1>Admin token</h1>
    <p>${problem.wasSent ? problem.message : html`Enter the value of <code>UNLOOP_ADMIN_TOKEN</code>, or a token of <code>admin.tokens</code>; other tabs share it.`}</p>
    <${TokenForm} enter=${enter} />
  </section>`;
}

takeToken();
render(html`<${App} />`, document.getElementById("app"));
