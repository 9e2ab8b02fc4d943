// A thread as a lane of cells with its steps as rows, and what is told of a chosen one. Shared by the page and the report.
import { html, useEffect, useMemo, useRef, useState } from "./htm.js";
import { actName, drawLane, RUNGS } from "./drawing.js";
import { Meter, Name, Table, useKey } from "./parts.js";
import { clockTime, lasting, plural, short } from "./words.js";

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
export function Thread({ title, steps, findings, texts, mode, times, ladders, chosen: given, told }) {
  const drawing = useMemo(() => drawLane(steps, findings), [steps, findings]);
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
      <${Summary} ...${{ drawing, findings }} />
      ${foldable && html`<button type="button" class="quiet" aria-pressed=${expanded} onClick=${() => setExpanded(!expanded)}>Every step</button>`}
    </header>
    <${Lane} ...${view} label=${title} />
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
  useKey((event) => {
    const isInside = list.current.contains(event.target);
    if (!isInside && event.key !== "n" && event.key !== "p") return;
    const cells = [...list.current.querySelectorAll("button.cell")];
    const here = isInside ? cells.indexOf(event.target) : cells.findIndex((cell) => cell.ariaPressed === "true");
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
  });
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
  const cellAt = (i) => {
    const { cell, same } = foldedCell(drawing, group, i, expanded);
    const isChosen = same.includes(at);
    const index = isChosen ? drawing.cells[at].index : (cell.acts.at(-1)?.step ?? cell.index);
    return html`<${LaneCell} key=${i} ...${{ cell, mode, index, isChosen, choose, times: same.length }} />`;
  };
  return html`<li class=${`${laps > 1 ? "laps" : ""}${inLoop ? " loop" : ""}`}>
    <span class="cells">${shown.map((i, k) => html`${laps === 1 && leftOut(shown, k) > 0 && html`<span class="dim">+${leftOut(shown, k)}</span>`}${cellAt(i)}`)}</span>
    ${laps > 1 && html`<span class="bracket">${patternOf(drawing, group)}</span>`}
  </li>`;
}

/** Steps between a shown one and the one before. */
const leftOut = (shown, k) => (k === 0 ? 0 : shown[k] - shown[k - 1] - 1);

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

function LaneCell({ cell, index, isChosen, choose, mode, times }) {
  const { letter, hue, label, outcome, inLoop, byUser, acts, held } = cell;
  const rung = hardest(acts);
  const heldRung = held && hardest(held.acts);
  const told = [...storyOf(cell, mode), ...(times > 1 ? [`and ${times - 1} more like it`] : [])];
  const choice = () => choose(index);
  return html`<button
      type="button"
      class=${`cell ${letter ? "hue" : ""}${inLoop ? " looped" : ""}${byUser ? " user" : ""}`}
      style=${{ "--hue": hue }}
      aria-label=${told.join("; ")}
      aria-pressed=${isChosen}
      title=${told.join("\n")}
      tabindex=${isChosen ? 0 : -1}
      data-acts=${rung ?? heldRung}
      onClick=${choice}
    >
      <b class="letter" data-short=${letter ? undefined : label.slice(0, 2)}>${letter}</b><span class="outcome">${OUTCOME_MARKS[outcome]}</span>
      ${rung && html`<span class=${actClass(rung, mode)}>${RUNG_MARKS[rung]}</span>`}
    </button>${held && html`<span class=${`cell held ${held.letter ? "hue" : ""}`} style=${{ "--hue": held.hue }} aria-hidden="true" title=${`${held.label || "a call"}: kept back`} onClick=${choice}><s class="letter">${held.letter || held.label.slice(0, 2)}</s><span class=${`act ${heldRung}`}>${RUNG_MARKS[heldRung]}</span></span>`}`;
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
  const failed = (isMeant) =>
    (times ?? [])
      .filter(({ step, failure }) => failure && isMeant(step))
      .map(
        ({ failure, times: count, at: when }) =>
          html`<tr><td></td><td colspan="2" class="bad">✕ the upstream did not answer: ${failure} × ${count}</td><td class="number">${clockTime(when)}</td><td colspan="2"></td></tr>`,
      );
  const columns = ["Step", "Does", "Result", ...(times ? ["At", "After", "Tokens"] : [])];
  const width = columns.length;
  const rows = (group) => {
    const { from, to, laps, inLoop } = group;
    const shown = shownIn(drawing, group, expanded, at);
    return html`<tbody key=${from} class=${inLoop ? "loop" : ""}>
      ${laps > 1 && html`<tr class="pattern"><th scope="rowgroup" colspan=${width}>${patternOf(drawing, group)} <span class="dim">steps ${drawing.cells[from].index} to ${drawing.cells[to].index}</span></th></tr>`}
      ${shown.map(
        (i, k) =>
          html`${laps === 1 && leftOut(shown, k) > 0 && html`<tr class="dim"><td></td><td colspan=${width - 1}>${plural(leftOut(shown, k), "step")} more, each once</td></tr>`}
            ${failed((step) => step === drawing.cells[i].index)}
            <${StepRow} key=${i} ...${{ cell: foldedCell(drawing, group, i, expanded).cell, isChosen: i === at, choose, mode, times: answers, width }} />`,
      )}
    </tbody>`;
  };
  return html`<div class="scroll steps" ref=${box} tabindex="0" role="region" aria-label="Steps as rows"><table>
    <thead><tr>${columns.map((name, i) => html`<th scope="col" class=${i > 2 || i === 0 ? "number" : ""}>${name}</th>`)}</tr></thead>
    ${drawing.groups.map(rows)}
    <tbody>${failed((step) => step > drawing.cells.at(-1).index)}</tbody>
  </table></div>`;
}

function StepRow({ cell, isChosen, choose, mode, times, width }) {
  const { index, letter, hue, label, outcome, sameOutcome, acts, held } = cell;
  const time = times?.get(index);
  const before = times?.get(index - 1);
  const mark = ({ rung }) =>
    html`<span class=${actClass(rung, mode)}>${RUNG_MARKS[rung]} ${actName(rung, mode)}</span>`;
  return html`<tr aria-current=${isChosen ? "step" : undefined} onClick=${() => choose(index)}>
      <td class="number"><button type="button" class="link" aria-label=${`Show step ${index}`}>${index}</button></td>
      <td>${letter && html`<span class="swatch hue" style=${{ "--hue": hue }}>${letter}</span> `}<${Name} of=${label} /> ${acts.map(mark)}</td>
      <td class=${outcome === "failed" ? "bad" : ""}>${sameOutcome && letter ? "same as before" : OUTCOMES[outcome]}</td>
      ${times && html`<td class="number">${time ? clockTime(time.at) : "–"}</td><td class="number">${time && before ? lasting(Date.parse(time.at) - Date.parse(before.at)) : "–"}</td><td class="number">${time ? short(time.tokens) : "–"}</td>`}
    </tr>
    ${held && html`<tr class="dim"><td></td><td colspan=${width - 1}><span class="swatch held">${held.letter || "?"}</span> <s><${Name} of=${held.label} /></s> kept from the agent ${held.acts.map(mark)}</td></tr>`}`;
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

const MAX_PLACES = 12;

function Places({ indices, choose, last }) {
  const shown = indices.slice(-MAX_PLACES);
  const left = indices.length - shown.length;
  return html`${shown.map((index, i) => html`${i > 0 && ", "}${index > last ? html`${index} (kept back)` : html`<button type="button" class="link" onClick=${() => choose(index)}>${index}</button>`}`)}${left > 0 && ` and ${left} earlier`}`;
}

function Calls({ step }) {
  const rows = step.calls.map(({ tool, kind, outcome }) => [
    html`<${Name} of=${tool} />`,
    kind,
    outcome === null ? "none yet" : `${outcome.class}${outcome.cause ? ` (${outcome.cause})` : ""}`,
  ]);
  return html`<${Table} caption="Its calls" columns=${[["Tool"], ["Kind"], ["Result"]]} rows=${rows} none="No calls." />`;
}

function Texts({ text, step }) {
  const part = (title, body) => html`<h4>${title}</h4><pre dir="auto" tabindex="0">${body}</pre>`;
  return html`<div class="texts">
    ${text.said !== "" && part("Said", text.said)}
    ${text.calls.map(({ tool, args, outcome }) => html`${part(html`<${Name} of=${tool} />`, args)}${part("Result", outcome ?? "none yet")}`)}
    ${text.heard.map((heard) => part(step.heard === "user" ? "The user" : "Then", heard))}
  </div>`;
}
