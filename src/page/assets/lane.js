// A thread as a lane of cells with its steps as rows, and what is told of a chosen one. Shared by the page and the report.
import { html, useEffect, useMemo, useRef, useState } from "./htm.js";
import { actName, drawLane, RUNGS } from "./drawing.js";
import { clockTime, lasting, Name, plural, short } from "./parts.js";

const OUTCOMES = { failed: "failed", empty: "empty", pending: "not done yet", ok: "ok", none: "" };
const OUTCOME_MARKS = { failed: "✕", empty: "∅", pending: "…", ok: "", none: "" };
const RUNG_MARKS = { nudge: "▲", "force-done": "■", "short-circuit": "⬣", cut: "✂" };
/** Of steps that occur once, so many in a row are folded in the aggregated view. */
const FOLDED_FROM = 4;
/** A longer thread is shown aggregated first: a loop is to be seen without scrolling. */
const EXPANDED_UP_TO = 100;

/**
 * The drawing of one thread with its steps, keys and side panel.
 * @param mode `observe` where nothing was done
 * @param chosen step that the address names, if it does
 * @param told where the choice goes
 */
export function Thread({ title, steps, findings, texts, mode, times, ladders, chosen: given, told, isBare }) {
  const drawing = useMemo(() => drawLane(steps, findings, isBare), [steps, findings]);
  const [expanded, setExpanded] = useState(steps.length <= EXPANDED_UP_TO);
  const [chosen, setChosen] = useState(given);
  const foldable = drawing.groups.some(({ laps, from, to }) => laps > 1 || to - from >= FOLDED_FROM);
  const choose = (index) => {
    setChosen(index);
    told?.(index);
  };
  const wanted = chosen ?? findings.at(-1)?.step ?? drawing.cells.at(-1)?.index;
  const found = drawing.cells.findIndex(({ index }) => index === wanted);
  const at = found < 0 ? drawing.cells.length - 1 : found;
  const view = { drawing, expanded, at, choose, mode };
  return html`<section class="card thread" aria-label=${title}>
    <header>
      <h2>${title}</h2>
      ${!isBare && html`<${Summary} ...${{ drawing, findings }} />`}
      ${foldable && html`<button type="button" class="quiet" aria-pressed=${expanded} onClick=${() => setExpanded(!expanded)}>Every step</button>`}
    </header>
    <${Lane} ...${view} label=${title} />
    <${Legend} ...${{ drawing, mode }} />
    ${
      drawing.cells.length > 0 &&
      html`<div class="split">
      <${Steps} ...${view} times=${times} />
      <${Panel} ...${view} steps=${steps} texts=${texts} ladders=${ladders} />
    </div>`
    }
  </section>`;
}

function Summary({ drawing: { cells, groups }, findings }) {
  if (cells.length === 0) return html`<p class="dim">No step yet</p>`;
  const finding = findings.at(-1);
  if (finding === undefined) return html`<p class="dim">No loop in ${plural(cells.length, "step")}</p>`;
  const looped = groups.flatMap(({ from, to, laps, inLoop }) =>
    range(from, to).filter((i) => (laps > 1 && inLoop) || cells[i].inLoop),
  ).length;
  const share = Math.round((100 * looped) / cells.length);
  return html`<p><b>${finding.note ?? finding.detector}</b> <span class="dim">· ${share} % of its steps</span></p>`;
}

function Lane({ drawing, expanded, at, label, choose, mode }) {
  const list = useRef(null);
  const walk = (event) => {
    const isJump = event.key === "n" || event.key === "p";
    if (!isJump && !list.current.contains(event.target)) return;
    if (event.target.closest?.("input, select, textarea, dialog")) return;
    const cells = [...list.current.querySelectorAll("button.cell")];
    const chosen = cells.findIndex((cell) => cell.getAttribute("aria-pressed") === "true");
    const here = list.current.contains(document.activeElement) ? cells.indexOf(document.activeElement) : chosen;
    const acts = cells.filter((cell) => cell.dataset.acts !== undefined);
    const target = {
      ArrowRight: () => cells[here + 1],
      ArrowLeft: () => cells[here - 1],
      Home: () => cells[0],
      End: () => cells.at(-1),
      n: () => acts.find((cell) => cells.indexOf(cell) > here) ?? acts[0],
      p: () => acts.findLast((cell) => cells.indexOf(cell) < here) ?? acts.at(-1),
    }[event.key]?.();
    if (target === undefined) return;
    event.preventDefault();
    target.focus();
    target.click();
  };
  useEffect(() => {
    addEventListener("keydown", walk);
    return () => removeEventListener("keydown", walk);
  }, []);
  return html`<ol class="lane" ref=${list} aria-label=${`${label}: steps in order`}>
    ${drawing.groups.map((group) => html`<${LaneGroup} key=${group.from} ...${{ drawing, group, expanded, at, choose, mode }} />`)}
  </ol>`;
}

/** Cells of a group that are shown; folded, a lap stands for all laps. */
function shownIn({ cells }, { from, to, laps, period }, expanded, at) {
  if (expanded) return range(from, to);
  if (laps > 1) return range(from, from + period - 1);
  const isTelling = (i) => cells[i].acts.length > 0 || cells[i].held !== undefined || i === at;
  return range(from, to).filter((i) => to - from < FOLDED_FROM || i === from || i === to || isTelling(i));
}

/** Folded, a cell speaks for the same one of each lap. */
function foldedCell({ cells }, { from, to, period, laps }, i, expanded) {
  if (expanded || laps === 1) return { cell: cells[i], same: [i] };
  const same = range(from, to).filter((k) => (k - from) % period === i - from);
  const acts = same.flatMap((k) => cells[k].acts);
  const held = same.findLast((k) => cells[k].held !== undefined);
  return { cell: { ...cells[i], acts, held: held === undefined ? undefined : cells[held].held }, same };
}

function patternOf(drawing, { from, period, laps, sameOutcomes }) {
  const letters = range(from, from + period - 1).map((i) => drawing.cells[i].letter);
  return `${letters.join(" ")} × ${laps}${sameOutcomes ? ", same results" : ""}`;
}

function LaneGroup({ drawing, group, expanded, at, choose, mode }) {
  const { laps, inLoop } = group;
  const shown = shownIn(drawing, group, expanded, at);
  const left = (i, k) => (k === 0 ? 0 : i - shown[k - 1] - 1);
  const cellAt = (i) => {
    const { cell, same } = foldedCell(drawing, group, i, expanded);
    const own = same.includes(at) ? drawing.cells[at].index : (cell.acts.at(-1)?.step ?? cell.index);
    const isChosen = same.includes(at);
    const isFirst = at < 0 && i === 0;
    return html`<${LaneCell} key=${i} ...${{ cell, mode, index: own, chosen: isChosen, inTabOrder: isChosen || isFirst, choose, times: same.length }} />`;
  };
  return html`<li class=${`${laps > 1 ? "laps" : "plain"}${inLoop ? " loop" : ""}`}>
    <span class="cells">${shown.map((i, k) => html`${laps === 1 && left(i, k) > 0 && html`<span class="more">+${left(i, k)}</span>`}${cellAt(i)}`)}</span>
    ${laps > 1 && html`<span class="bracket">${patternOf(drawing, group)}</span>`}
  </li>`;
}

const range = (from, to) => Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i);

const hardest = (acts) => RUNGS.findLast((rung) => acts.some((act) => act.rung === rung));

/** What a screen reader is told of a cell: the story of its step. */
function storyOf({ index, label, letter, outcome, sameOutcome, inLoop, byUser, acts, held }, mode) {
  return [
    `Step ${index}: ${label}`,
    letter && `repeated, ${letter}`,
    sameOutcome && letter ? "the same result as before" : OUTCOMES[outcome],
    inLoop && "in a loop",
    byUser && "then the user spoke",
    ...acts.map((act) => `${actName(act.rung, mode)} at count ${act.count}`),
    ...(held?.acts ?? []).map(
      (act) => `then ${held.label || "a call"} was kept back, ${actName(act.rung, mode)} at count ${act.count}`,
    ),
  ].filter(Boolean);
}

function LaneCell({ cell, index, chosen, inTabOrder, choose, mode, times }) {
  const { letter, hue, label, outcome, inLoop, byUser, acts, held } = cell;
  const rung = hardest(acts);
  const heldRung = held && hardest(held.acts);
  const told = storyOf(cell, mode);
  if (times > 1) told.push(`and ${times - 1} more like it`);
  return html`<button
      type="button"
      class=${`cell ${letter ? "hue" : "once"} ${outcome}${inLoop ? " looped" : ""}${byUser ? " user" : ""}`}
      style=${letter ? { "--hue": hue } : undefined}
      aria-label=${told.join("; ")}
      aria-pressed=${chosen}
      title=${told.join("\n")}
      tabindex=${inTabOrder ? 0 : -1}
      data-acts=${rung ?? heldRung}
      onClick=${() => choose(index)}
    >
      <span class="letter" data-short=${letter ? undefined : label.slice(0, 2)}>${letter}</span><span class="outcome">${OUTCOME_MARKS[outcome]}</span>
      ${rung && html`<span class=${actClass(rung, mode)}>${RUNG_MARKS[rung]}</span>`}
    </button>${held && html`<span class=${`cell held ${held.letter ? "hue" : ""}`} style=${{ "--hue": held.hue }} aria-hidden="true" title=${`${held.label || "a call"}: kept back`} onClick=${() => choose(index)}><s class="letter">${held.letter || held.label.slice(0, 2)}</s><span class=${`act ${heldRung}`}>${RUNG_MARKS[heldRung]}</span></span>`}`;
}

function Legend({ drawing: { legend, cells }, mode }) {
  const acts = cells.flatMap(({ acts: own, held }) => [...own, ...(held?.acts ?? [])]);
  const rungs = RUNGS.filter((rung) => acts.some((act) => act.rung === rung));
  const outcomes = ["failed", "empty", "pending"].filter((outcome) => cells.some((cell) => cell.outcome === outcome));
  if (legend.length + rungs.length + outcomes.length === 0) return null;
  return html`<ul class="legend" aria-label="What the letters mean">
    ${legend.map(({ letter, hue, label, steps }) => html`<li><span class="swatch hue" style=${{ "--hue": hue }}>${letter}</span> <${Name} of=${label} /> <span class="dim">× ${steps}</span></li>`)}
    <li class="marks">${rungs.map((rung) => html`<span><span class=${actClass(rung, mode)}>${RUNG_MARKS[rung]}</span> ${actName(rung, mode)}</span>`)}
      ${outcomes.map((outcome) => html`<span>${OUTCOME_MARKS[outcome]} ${OUTCOMES[outcome]}</span>`)}${rungs.length > 0 && html`<span><kbd>n</kbd> <kbd>p</kbd> next, previous</span>`}</li>
  </ul>`;
}

/** What was only observed is an outline. */
const actClass = (rung, mode) => `act ${rung}${mode === "observe" ? " would" : ""}`;

/** Steps as rows; a fold of laps is one heading and its first lap. */
function Steps({ drawing, expanded, at, choose, mode, times }) {
  const box = useRef(null);
  useEffect(() => {
    const row = box.current?.querySelector("[aria-current]");
    if (row) box.current.scrollTop = Math.max(0, row.offsetTop - box.current.clientHeight / 2);
  }, [at, expanded]);
  const answers = times && new Map(times.filter(({ failure }) => !failure).map((one) => [one.step, one]));
  const failures = times?.filter(({ failure }) => failure) ?? [];
  const failed = (isMeant) =>
    failures
      .filter(({ step }) => isMeant(step))
      .map(
        ({ failure, times: count, at: when }) =>
          html`<tr class="failed"><td></td><td colspan="2">✕ the upstream did not answer: ${failure} × ${count}</td><td class="number">${clockTime(when)}</td><td colspan="2"></td></tr>`,
      );
  const columns = ["Step", "Does", "Result", ...(times ? ["At", "After", "Tokens"] : [])];
  return html`<div class="scroll steps" ref=${box} tabindex="0" role="region" aria-label="Steps as rows"><table>
    <thead><tr>${columns.map((name, i) => html`<th scope="col" class=${i > 2 || i === 0 ? "number" : ""}>${name}</th>`)}</tr></thead>
    ${drawing.groups.map((group) => {
      const shown = shownIn(drawing, group, expanded, at);
      const { from, to, laps } = group;
      return html`<tbody key=${from} class=${group.inLoop ? "loop" : ""}>
        ${laps > 1 && html`<tr class="pattern"><th scope="rowgroup" colspan=${columns.length}>${patternOf(drawing, group)} <span class="dim">steps ${drawing.cells[from].index} to ${drawing.cells[to].index}</span></th></tr>`}
        ${shown.map((i, k) => {
          const left = laps > 1 || k === 0 ? 0 : i - shown[k - 1] - 1;
          return html`${left > 0 && html`<tr class="dim"><td></td><td colspan=${columns.length - 1}>${plural(left, "step")} more, each once</td></tr>`}
            ${failed((step) => step === drawing.cells[i].index)}
            <${StepRow} key=${i} ...${{ cell: foldedCell(drawing, group, i, expanded).cell, isChosen: i === at, choose, mode, times: answers, width: columns.length }} />`;
        })}
      </tbody>`;
    })}
    <tbody>${failed((step) => step > drawing.cells.at(-1).index)}</tbody>
  </table></div>`;
}

function StepRow({ cell, isChosen, choose, mode, times, width }) {
  const { index, letter, hue, label, outcome, sameOutcome, acts, held } = cell;
  const time = times?.get(index);
  const before = times?.get(index - 1);
  const mark = ({ rung }) =>
    html`<span class=${actClass(rung, mode)}>${RUNG_MARKS[rung]} ${actName(rung, mode)}</span>`;
  return html`<tr aria-current=${isChosen ? "step" : undefined} class=${outcome} onClick=${() => choose(index)}>
      <td class="number"><button type="button" class="link" aria-label=${`Show step ${index}`}>${index}</button></td>
      <td>${letter && html`<span class="swatch hue" style=${{ "--hue": hue }}>${letter}</span> `}<${Name} of=${label} /> ${acts.map(mark)}</td>
      <td>${sameOutcome && letter ? "same as before" : OUTCOMES[outcome]}</td>
      ${times && html`<td class="number">${time ? clockTime(time.at) : "–"}</td><td class="number">${time && before ? lasting(Date.parse(time.at) - Date.parse(before.at)) : "–"}</td><td class="number">${time ? short(time.tokens) : "–"}</td>`}
    </tr>
    ${held && html`<tr class="kept"><td></td><td colspan=${width - 1}><span class="swatch held">${held.letter || "?"}</span> <s><${Name} of=${held.label} /></s> kept from the agent ${held.acts.map(mark)}</td></tr>`}`;
}

function Panel({ drawing, at, steps, texts, choose, mode, ladders }) {
  const cell = drawing.cells[at];
  if (cell === undefined) return null;
  const equal =
    cell.letter === "" ? [] : drawing.cells.filter(({ key, index }) => key === cell.key && index !== cell.index);
  const acts = [...cell.acts, ...(cell.held?.acts ?? [])];
  const last = drawing.cells.at(-1).index;
  return html`<aside class="panel" aria-label=${`Step ${cell.index}`}>
    <h3>Step ${cell.index}${cell.letter && html` <span class="swatch hue" style=${{ "--hue": cell.hue }}>${cell.letter}</span>`}</h3>
    ${acts.map((act) => html`<${Act} ...${{ act, choose, mode, ladders, last }} />`)}
    ${equal.length > 0 && html`<p>The same as <${Places} indices=${equal.map(({ index }) => index)} ...${{ choose, last }} />${cell.sameOutcome ? ", with the same result as the time before." : "."}</p>`}
    ${cell.inLoop && acts.length === 0 && html`<p class="dim">Counted as a part of the loop.</p>`}
    ${texts === undefined ? html`<${Calls} step=${steps[at]} />` : html`<${Texts} text=${texts[at]} step=${steps[at]} />`}
  </aside>`;
}

function Act({ act, choose, mode, ladders, last }) {
  const { rung, detector, grade, count, due, evidence, note, told, foreseen, next } = act;
  const ladder = grade ? `${detector}:${grade}` : detector;
  return html`<div class="finding">
    <p><span class=${actClass(rung, mode)}>${RUNG_MARKS[rung] ?? "▲"} ${actName(rung, mode)}</span> <b>${ladder}</b></p>
    <p><${Name} of=${note} /></p>
    <p>Counted ${plural(count, "time")}${evidence.length > 0 && html`, at steps <${Places} indices=${evidence} ...${{ choose, last }} />`}.${foreseen && " Seen in the answer, and kept from the agent."}</p>
    ${told && html`<details><summary>What the model ${mode === "observe" ? "would have been" : "was"} told</summary><blockquote><${Name} of=${told} /></blockquote></details>`}
    ${ladders?.[ladder] && html`<p>The policy's line: <code>"${ladder}": { ${Object.entries(ladders[ladder]).map(([name, at], i) => html`${i > 0 && ", "}${due?.rung === name ? html`<b>"${name}": ${at}</b>` : `"${name}": ${at}`}`)} }</code>${due && due.rung !== rung && ` It was due at ${due.at}; the model called again.`}</p>`}
    ${next && html`<${Meter} count=${count} next=${next} mode=${mode} />`}
  </div>`;
}

/** How far a loop is on its way to the next rung. */
export function Meter({ count, next, mode }) {
  if (!next) return null;
  return html`<span class="meter-text"><meter min="0" max=${next.at} value=${count} aria-label=${`${count} of ${next.at}`}></meter> ${count} of ${next.at}, then ${actName(next.rung, mode)}</span>`;
}

const MAX_PLACES = 12;

function Places({ indices, choose, last }) {
  const shown = indices.slice(-MAX_PLACES);
  const left = indices.length - shown.length;
  return html`${shown.map((index, i) => html`${i > 0 && ", "}${index > last ? html`${index} (kept back)` : html`<button type="button" class="link" onClick=${() => choose(index)}>${index}</button>`}`)}${left > 0 && ` and ${left} earlier`}`;
}

function Calls({ step }) {
  if (step.calls.length === 0) return html`<p class="dim">No calls.</p>`;
  return html`<table><thead><tr><th scope="col">Tool</th><th scope="col">Kind</th><th scope="col">Result</th></tr></thead><tbody>
    ${step.calls.map(({ tool, kind, outcome }) => html`<tr><td><${Name} of=${tool} /></td><td>${kind}</td><td>${outcome === null ? "none yet" : `${outcome.class}${outcome.cause ? ` (${outcome.cause})` : ""}`}</td></tr>`)}
  </tbody></table>`;
}

function Texts({ text, step }) {
  const part = (title, body) => html`<h4>${title}</h4><pre dir="auto" tabindex="0">${body}</pre>`;
  return html`<div class="texts">
    ${text.said !== "" && part("Said", text.said)}
    ${text.calls.map(({ tool, args, outcome }) => html`${part(html`<${Name} of=${tool} />`, args)}${part("Result", outcome ?? "none yet")}`)}
    ${text.heard.map((heard) => part(step.heard === "user" ? "The user" : "Then", heard))}
  </div>`;
}
