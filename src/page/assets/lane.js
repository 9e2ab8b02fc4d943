// A thread as a lane of cells, and what is told of a chosen one. Shared by the page and the report.
import { html, useMemo, useRef, useState } from "./htm.js";
import { actName, drawLane, RUNGS } from "./drawing.js";

const OUTCOMES = { failed: "failed", empty: "an empty result", pending: "not done yet", ok: "a result", none: "" };
const OUTCOME_MARKS = { failed: "✕", empty: "∅", pending: "…", ok: "", none: "" };
const RUNG_MARKS = { nudge: "▲", "force-done": "■", "short-circuit": "⬣", cut: "✂" };
/** Of steps that occur once, so many in a row are folded in the aggregated view. */
const FOLDED_FROM = 4;
/** A longer thread is shown aggregated first: a loop is to be seen without scrolling. */
const EXPANDED_UP_TO = 100;

export const plural = (count, one, many = `${one}s`) => `${count.toLocaleString("en")} ${count === 1 ? one : many}`;

/** The drawing of one thread with its switch, keys and side panel. @param mode `observe` where nothing was done */
export function Thread({ title, steps, findings, texts, mode }) {
  const drawing = useMemo(() => drawLane(steps, findings), [steps, findings]);
  const [expanded, setExpanded] = useState(steps.length <= EXPANDED_UP_TO);
  const [chosen, choose] = useState(undefined);
  const at = drawing.cells.findIndex(({ index }) => index === (chosen ?? lastAct(findings)));
  return html`<section class="thread">
    <header>
      <h2>${title}</h2>
      <${Summary} ...${{ drawing, findings, mode }} />
      <button type="button" aria-pressed=${expanded} onClick=${() => setExpanded(!expanded)}>Every step</button>
    </header>
    <div class="split">
      <div>
        <${Lane} drawing=${drawing} expanded=${expanded} at=${at} label=${title} choose=${choose} mode=${mode} />
        <${Legend} legend=${drawing.legend} mode=${mode} />
      </div>
      ${at >= 0 && html`<${Panel} drawing=${drawing} at=${at} steps=${steps} texts=${texts} choose=${choose} mode=${mode} />`}
    </div>
  </section>`;
}

const lastAct = (findings) => findings.at(-1)?.step;

function Summary({ drawing, findings, mode }) {
  if (drawing.cells.length === 0) return html`<p class="dim">No step has been told yet</p>`;
  const isLooped = ({ from, laps, inLoop }, i) => (laps > 1 && inLoop) || drawing.cells[from + i].inLoop;
  const looped = drawing.groups.flatMap((group) =>
    range(group.from, group.to).filter((_, i) => isLooped(group, i)),
  ).length;
  if (findings.length === 0) return html`<p class="fine">No loop in ${plural(drawing.cells.length, "step")}</p>`;
  const { detector, count } = findings.at(-1);
  const share = Math.round((100 * looped) / drawing.cells.length);
  return html`<p class="bad"><b>Loop</b>: ${detector}, ${count} times; ${share} % of the steps${mode === "observe" && "; only observed"}</p>`;
}

function Lane({ drawing, expanded, at, label, choose, mode }) {
  const list = useRef(null);
  const onKeyDown = (event) => {
    const cells = [...list.current.querySelectorAll("button.cell")];
    const here = cells.indexOf(document.activeElement);
    const acts = cells.filter((cell) => cell.dataset.acts !== undefined);
    const target = {
      ArrowRight: () => cells[here + 1],
      ArrowLeft: () => cells[here - 1],
      Home: () => cells[0],
      End: () => cells.at(-1),
      n: () => acts.find((cell) => cells.indexOf(cell) > here),
      p: () => acts.findLast((cell) => cells.indexOf(cell) < here),
    }[event.key]?.();
    if (target === undefined) return;
    event.preventDefault();
    target.focus();
    target.click();
  };
  const tabAt = at < 0 ? 0 : at;
  const cell = (i) =>
    html`<${LaneCell} key=${i} cell=${drawing.cells[i]} chosen=${i === at} inTabOrder=${i === tabAt} choose=${choose} mode=${mode} />`;
  return html`<ol class="lane" ref=${list} aria-label=${`${label}: steps in order`} onKeyDown=${onKeyDown}>
    ${drawing.groups.map((group) => html`<${LaneGroup} key=${group.from} ...${{ drawing, group, expanded, tabAt, cell }} />`)}
  </ol>`;
}

function LaneGroup({ drawing, group, expanded, tabAt, cell }) {
  const { from, to, period, laps, inLoop, sameOutcomes } = group;
  const kind = `${laps > 1 ? "laps" : "plain"}${inLoop ? " loop" : ""}`;
  const shown = expanded ? range(from, to) : aggregated(drawing, group, tabAt);
  const left = (i, k) => (k === 0 ? 0 : i - shown[k - 1] - 1);
  const pattern = range(from, from + period - 1).map((i) => drawing.cells[i].letter);
  const told = laps === 1 ? "" : `${pattern.join(" ")} × ${laps}${sameOutcomes ? ", same results" : ""}`;
  return html`<li class=${kind}>
    <span class="cells">${shown.map((i, k) => html`${laps === 1 && left(i, k) > 0 && html`<span class="more">+${left(i, k)}</span>`}${cell(i)}`)}</span>
    ${told !== "" && html`<span class="bracket">${told}</span>`}
  </li>`;
}

/** One lap and where we acted; of steps that repeat nothing, the ends. */
function aggregated({ cells }, { from, to, period, laps }, tabAt) {
  const isTelling = (i) => cells[i].acts.length > 0 || i === tabAt;
  if (laps > 1) return range(from, to).filter((i) => i < from + period || isTelling(i));
  return range(from, to).filter((i) => to - from < FOLDED_FROM || i === from || i === to || isTelling(i));
}

const range = (from, to) => Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i);

function LaneCell({ cell, chosen, inTabOrder, choose, mode }) {
  const { index, letter, hue, label, outcome, inLoop, byUser, acts } = cell;
  const rung = hardest(acts);
  const told = [
    `Step ${index}: ${label}`,
    letter && `repeated, ${letter}`,
    OUTCOMES[outcome],
    inLoop && "in a loop",
    byUser && "then the user spoke",
    ...acts.map((act) => `${actName(act.rung, mode)} at count ${act.count}`),
  ].filter(Boolean);
  return html`<button
    type="button"
    class=${`cell ${letter ? `hue hue${hue}` : "once"} ${outcome}${inLoop ? " looped" : ""}${byUser ? " user" : ""}`}
    aria-label=${told.join("; ")}
    aria-pressed=${chosen}
    title=${told.join("\n")}
    tabindex=${inTabOrder ? 0 : -1}
    data-acts=${rung}
    onClick=${() => choose(index)}
  >
    <span class="letter">${letter || "·"}</span><span class="outcome">${OUTCOME_MARKS[outcome]}</span>
    ${rung && html`<span class=${`act ${rung}`}>${RUNG_MARKS[rung] ?? "▲"}</span>`}
  </button>`;
}

const hardest = (acts) => RUNGS.findLast((rung) => acts.some((act) => act.rung === rung));

function Legend({ legend, mode }) {
  if (legend.length === 0) return null;
  return html`<ul class="legend" aria-label="What the letters mean">
    ${legend.map(({ letter, hue, label, steps }) => html`<li><span class=${`swatch hue hue${hue}`}>${letter}</span> ${label} <small>× ${steps}</small></li>`)}
    <li class="marks">· once ✕ failed ∅ empty … not done</li>
    <li class="marks">${RUNGS.map((rung) => html`<span><span class=${`act ${rung}`}>${RUNG_MARKS[rung]}</span> ${actName(rung, mode)} </span>`)}</li>
  </ul>`;
}

function Panel({ drawing, at, steps, texts, choose, mode }) {
  const cell = drawing.cells[at];
  const equal = cell.letter === "" ? [] : drawing.cells.filter(({ key }) => key === cell.key);
  return html`<aside class="panel" aria-label=${`Step ${cell.index}`}>
    <h3>Step ${cell.index}${cell.letter && html` <span class=${`swatch hue hue${cell.hue}`}>${cell.letter}</span>`}</h3>
    ${cell.acts.map((act) => html`<${Act} ...${{ act, choose, mode }} />`)}
    ${equal.length > 1 && html`<p>The same as <${Places} indices=${equal.map(({ index }) => index).filter((index) => index !== cell.index)} choose=${choose} />${cell.sameOutcome ? ", with the same result as the time before." : "."}</p>`}
    ${cell.inLoop && cell.acts.length === 0 && html`<p class="bad">Counted as a part of the loop.</p>`}
    ${texts === undefined ? html`<${Calls} step=${steps[at]} />` : html`<${Texts} text=${texts[at]} step=${steps[at]} />`}
  </aside>`;
}

function Act({ act, choose, mode }) {
  const { rung, detector, grade, count, evidence, note, foreseen, next } = act;
  return html`<div class="finding">
    <p><span class=${`act ${rung}`}>${RUNG_MARKS[rung] ?? "▲"} ${actName(rung, mode)}</span> <b>${detector}</b>${grade ? ` (${grade})` : ""}</p>
    <p>${note}</p>
    <p>Counted ${plural(count, "time")}${evidence.length > 0 && html`, at steps <${Places} indices=${evidence} choose=${choose} />`}.
    ${foreseen && " Caught in the answer, before the agent could act on it."}</p>
    ${next !== undefined && html`<p>${next === null ? "This is the last rung." : `Next: ${next.rung} at ${next.at}.`}</p>`}
    ${next && html`<${Meter} count=${count} next=${next} />`}
  </div>`;
}

/** How far a loop is on its way to the next rung. */
export function Meter({ count, next }) {
  if (!next) return html`<span class="meter-text">${count}, last rung</span>`;
  return html`<span class="meter-text"><meter min="0" low="0.1" high="0.2" optimum="0" max=${next.at} value=${count} aria-label=${`${count} of ${next.at}`}></meter> ${count} of ${next.at} to ${next.rung}</span>`;
}

const MAX_PLACES = 12;

function Places({ indices, choose }) {
  const left = indices.length - MAX_PLACES;
  return html`${indices.slice(-MAX_PLACES).map((index, i) => html`${i > 0 && ", "}<button type="button" class="link" onClick=${() => choose(index)}>${index}</button>`)}${left > 0 && ` and ${left} earlier`}`;
}

function Calls({ step }) {
  if (step.calls.length === 0) return html`<p>No calls.</p>`;
  return html`<table><thead><tr><th>Tool</th><th>Kind</th><th>Result</th></tr></thead><tbody>
    ${step.calls.map(({ tool, kind, outcome }) => html`<tr><td>${tool}</td><td>${kind}</td><td>${outcome === null ? "none yet" : `${outcome.class}${outcome.cause ? ` (${outcome.cause})` : ""}`}</td></tr>`)}
  </tbody></table>`;
}

function Texts({ text, step }) {
  return html`<div class="texts">
    ${text.said !== "" && html`<h4>Said</h4><pre>${text.said}</pre>`}
    ${text.calls.map(({ tool, args, outcome }) => html`<h4>${tool}</h4><pre>${args}</pre><h4>Result</h4><pre>${outcome ?? "none yet"}</pre>`)}
    ${text.heard.map((heard) => html`<h4>${step.heard === "user" ? "The user" : "Then"}</h4><pre>${heard}</pre>`)}
  </div>`;
}
