// The live page: what is shown follows from the address, so that any view can be sent to a colleague.
import { html, render, useEffect, useState } from "./htm.js";
import { ask, keepToken } from "./api.js";
import { Live } from "./live.js";
import { Session } from "./session.js";
import { Cost, Rules } from "./sums.js";
import { WhatIf } from "./what-if.js";

const VIEWS = { live: Live, session: Session, rules: Rules, "what-if": WhatIf, cost: Cost };
const TABS = { live: "Live", rules: "Rules", "what-if": "What if", cost: "Cost" };

/** The address that a start prints carries the token: it is taken out of it. */
function takeToken() {
  const { view, query } = placeNow();
  if (query.token === undefined) return;
  keepToken(query.token);
  history.replaceState(null, "", `#${view}`);
}

/** `#live?state=looping` */
function placeNow() {
  const [view = "", query = ""] = location.hash.slice(1).split("?");
  return { view: Object.hasOwn(VIEWS, view) ? view : "live", query: Object.fromEntries(new URLSearchParams(query)) };
}

function App() {
  const [place, setPlace] = useState(placeNow);
  const [status, setStatus] = useState(undefined);
  const [problem, setProblem] = useState(undefined);
  useEffect(() => {
    const moved = () => setPlace(placeNow());
    addEventListener("hashchange", moved);
    return () => removeEventListener("hashchange", moved);
  }, []);
  const begin = () => {
    const taken = (value) => {
      setStatus(value);
      setProblem(undefined);
    };
    ask("/status").then(taken, setProblem);
  };
  useEffect(begin, []);
  const View = VIEWS[place.view];
  return html`<header class="top">
      <strong class="brand">Unloop</strong>
      <nav aria-label="Views">${Object.entries(TABS).map(([view, name]) => html`<a href=${`#${view}`} aria-current=${view === place.view ? "page" : undefined}>${name}</a>`)}</nav>
      ${status && html`<span class="dim">${status.mode} · ${status.policy} · ${status.version} · ${status.actor}</span>`}
    </header>
    <main>
      ${problem?.status === 401 && html`<${AskToken} problem=${problem} begin=${begin} />`}
      ${problem && problem.status !== 401 && html`<p class="notice" role="alert">${problem.message}</p>`}
      ${status && html`<${View} key=${place.view} query=${place.query} status=${status} />`}
    </main>`;
}

function AskToken({ problem, begin }) {
  const submit = (event) => {
    event.preventDefault();
    keepToken(event.target.elements.token.value);
    begin();
  };
  return html`<h1>Admin token</h1>
    <p>${problem.message}</p>
    <form class="bar" onSubmit=${submit}>
      <label>Token <input name="token" type="password" autocomplete="off" required /></label>
      <button>Enter</button>
    </form>
    <p class="dim">It is kept in this tab alone, until it is closed.</p>`;
}

takeToken();
render(html`<${App} />`, document.getElementById("app"));
