// Recorded conversations as one file: `unloop replay --format html`, and what the page shares.
import { html, render, useEffect, useState } from "./htm.js";
import { Thread } from "./lane.js";
import { Name } from "./parts.js";
import { plural } from "./words.js";

const conversations = [...document.querySelectorAll("script.conversation")].map((one, at) => ({
  ...JSON.parse(one.textContent),
  at,
}));

const isLooping = ({ findings }) => findings.length > 0;
const looping = conversations.filter(isLooping);

/** `#3.12`: a conversation and a step of it. */
function placeNow() {
  const [at, step] = location.hash.slice(1).split(".").map(Number);
  const first = looping[0]?.at ?? 0;
  return { at: conversations[at] === undefined || location.hash === "" ? first : at, step };
}

function Report() {
  return html`<header class="top">
      <span class="brand">Unloop</span>
      <p class="guard">${plural(conversations.length, "conversation")}, ${looping.length} with a loop</p>
    </header>
    <main><${OneByOne} /></main>`;
}

function OneByOne() {
  const [place, setPlace] = useState(placeNow);
  useEffect(() => {
    const moved = () => setPlace(placeNow());
    addEventListener("hashchange", moved);
    return () => removeEventListener("hashchange", moved);
  }, []);
  if (conversations.length === 0) return html`<p class="card empty">No conversation.</p>`;
  const { at, step } = place;
  const next = looping.find((one) => one.at > at) ?? looping[0];
  return html`<div class=${conversations.length > 1 ? "report" : ""}>
    ${conversations.length > 1 && html`<${List} at=${at} />`}
    <div>
      ${looping.length > 1 && html`<p class="way"><a href=${`#${next.at}`}>Next loop →</a></p>`}
      <${One} key=${at} conversation=${conversations[at]} step=${Number.isNaN(step) ? undefined : step} />
    </div></div>`;
}

const MOST = 200;

function List({ at }) {
  const [search, setSearch] = useState("");
  const fitting = conversations.filter(({ id }) => id.toLowerCase().includes(search.toLowerCase()));
  return html`<nav aria-label="Conversations" class="card">
    <label>Search <input type="search" onInput=${(event) => setSearch(event.target.value)} /></label>
    <ul>${fitting.slice(0, MOST).map(
      (
        one,
      ) => html`<li key=${one.at}><a href=${`#${one.at}`} aria-current=${one.at === at ? "true" : undefined}><${Name} of=${one.id} /></a>
        <span class=${isLooping(one) ? "bad" : "dim"}>${isLooping(one) ? (one.findings.at(-1)?.detector ?? "a loop") : plural(one.steps.length, "step")}</span></li>`,
    )}</ul>
    ${fitting.length > MOST && html`<p class="dim">and ${fitting.length - MOST} more: search for them</p>`}
  </nav>`;
}

function One({ conversation, step }) {
  const { id, at, task, steps, findings, mode } = conversation;
  const texts = steps[0]?.text === undefined ? undefined : steps.map(({ text }) => text);
  const told = (index) => history.replaceState(null, "", `#${at}.${index}`);
  return html`<h1><${Name} of=${id} /></h1>
    ${task !== "" && html`<details class="task"><summary>Task</summary><pre dir="auto">${task}</pre></details>`}
    <${Thread} title="Steps" steps=${steps} findings=${findings} texts=${texts} mode=${mode} chosen=${step} told=${told} />`;
}

render(html`<${Report} />`, document.getElementById("app"));
