// A thread as a lane of cells with its steps as rows, and what is told of a chosen one. Shared by the page and the report.
import { html, useEffect, useMemo, useRef, useState } from "./htm.js";
import { actName, drawLane, RUNGS } from "./drawing.js";
import { Meter, Name, Table, useKey } from "./parts.js";
import { clockTime, lasting, number, plural, short } from "./words.js";

const OUTCOMES = {
  failed: ["failed", "✕"],
  empty: ["empty", "∅"],
  pending: ["not done yet", "…"],
  ok: ["ok"],
  none: [],
};
const RUNG_MARKS = { nudge: "▲", "force-done": "■", "short-circuit": "⬣", cut: "✂" };
/** One thread: its lane, its steps, the chosen one. @param chosen step that the address names @param told where the choice goes */
export function Thread({ title, steps, findings, texts, mode, times, ladders, chosen: given, told }) {
  const drawing = useMemo(() => drawLane(steps, findings), [steps, findings]);
  const [chosen, setChosen] = useState(given);
  const { cells } = drawing;
  const choose = (index) => {
    setChosen(index);
    told?.(index);
  };
  const wanted = chosen ?? findings.at(-1)?.step ?? cells.at(-1)?.index;
  const found = cells.findIndex(({ index }) => index === wanted);
  const at = found < 0 ? cells.length - 1 : found;
  const groups = drawing.groups.map((group) => ({ ...group, own: cells.slice(group.from, group.to + 1) }));
  const view = { cells, groups, at, choose, mode };
  return html`<section class="card thread" aria-label=${title}>
    <header>
      <h2>${title}</h2>
      <${Summary} ...${{ drawing, findings }} />
    </header>
    <${Lane} ...${view} label=${title} />
    ${
      cells.length > 0 &&
      html`<div class="split">
      <${Steps} ...${view} times=${times} />
      <${Panel} ...${view} step=${steps[at]} text=${texts?.[at]} ladders=${ladders} />
    </div>`
    }
  </section>`;
}

const patternOf = ({ own, period, laps, sameOutcomes }) => {
  const letters = own.slice(0, period).map(({ letter }) => letter);
  return laps > 1 && `${letters.join(" ")} × ${laps}${sameOutcomes ? ", same results" : ""}`;
};

function Summary({ drawing: { cells, groups }, findings }) {
  if (cells.length === 0) return html`<p class="dim">No step yet</p>`;
  const finding = findings.at(-1);
  if (finding === undefined) return html`<p class="dim">No loop in ${plural(cells.length, "step")}</p>`;
  const looped = groups.flatMap(({ from, to, laps, inLoop }) =>
    cells.slice(from, to + 1).filter((cell) => (laps > 1 && inLoop) || cell.inLoop),
  ).length;
  const share = Math.round((100 * looped) / cells.length);
  return html`<p><b>${finding.note ?? finding.detector}</b> <span class="dim">· ${share} % of its steps</span></p>`;
}

function Lane({ cells, groups, at, label, choose, mode }) {
  const list = useRef(null);
  useKey((event) => {
    const isInside = list.current.contains(event.target);
    if (!isInside && event.key !== "n" && event.key !== "p") return;
    const buttons = [...list.current.querySelectorAll("button.cell")];
    const here = isInside ? buttons.indexOf(event.target) : buttons.findIndex((cell) => cell.ariaPressed === "true");
    const acts = buttons.filter((cell) => cell.dataset.acts !== undefined);
    const target = {
      ArrowRight: () => buttons[here + 1],
      ArrowLeft: () => buttons[here - 1],
      Home: () => buttons[0],
      End: () => buttons.at(-1),
      n: () => acts.find((cell) => buttons.indexOf(cell) > here) ?? acts[0],
      p: () => acts.findLast((cell) => buttons.indexOf(cell) < here) ?? acts.at(-1),
    }[event.key]?.();
    if (target === undefined) return;
    event.preventDefault();
    target.focus();
    target.click();
  });
  useChosenInView(list, at);
  return html`<ol class="lane" ref=${list} aria-label=${`${label}: steps in order`}>
    ${groups.map((group) => {
      const pattern = patternOf(group);
      return html`<li key=${group.from} class=${`${pattern ? "laps" : ""}${group.inLoop ? " loop" : ""}`}>
        <span class="cells">${group.own.map((cell) => html`<${LaneCell} key=${cell.index} ...${{ cell, chosen: cells[at].index, mode, choose }} />`)}</span>
        ${pattern && html`<span class="bracket">${pattern}</span>`}
      </li>`;
    })}
  </ol>`;
}

const hardest = (acts) => RUNGS.findLast((rung) => acts.some((act) => act.rung === rung));

/** What was done at a step; what was only observed is an outline. @param name whether it is said in words, too */
const Mark = ({ rung, mode, name }) =>
  html`<span class=${`act ${rung}${mode === "observe" ? " would" : ""}`}>${RUNG_MARKS[rung] ?? "▲"}${name && ` ${actName(rung, mode)}`}</span>`;

const Swatch = ({ of: { letter, hue }, kind = "hue" }) =>
  letter && html`<span class=${`swatch ${kind}`} style=${{ "--hue": hue }}>${letter}</span> `;

function storyOf({ index, label, letter, outcome, sameOutcome, inLoop, byUser, acts, held }, mode) {
  const made = ({ rung, count }) => `${actName(rung, mode)} at count ${count}`;
  return [
    `Step ${index}: ${label}`,
    letter && `repeated, ${letter}`,
    sameOutcome && letter ? "the same result as before" : OUTCOMES[outcome][0],
    inLoop && "in a loop",
    byUser && "then the user spoke",
    ...acts.map(made),
    ...(held?.acts ?? []).map((act) => `then ${held.label || "a call"} was kept back, ${made(act)}`),
  ].filter(Boolean);
}

function LaneCell({ cell, chosen, choose, mode }) {
  const { index, letter, hue, label, outcome, inLoop, byUser, acts, held } = cell;
  const [rung, heldRung] = [hardest(acts), held && hardest(held.acts)];
  const told = storyOf(cell, mode);
  const choice = () => choose(index);
  const isChosen = index === chosen;
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
      <b class="letter" data-short=${letter ? undefined : label.slice(0, 2)}>${letter}</b><span class="outcome">${OUTCOMES[outcome][1]}</span>
      ${rung && html`<${Mark} rung=${rung} mode=${mode} />`}
    </button>${held && html`<span class=${`cell held ${held.letter ? "hue" : ""}`} style=${{ "--hue": held.hue }} aria-hidden="true" title=${`${held.label || "a call"}: kept back`} onClick=${choice}><s class="letter">${held.letter || held.label.slice(0, 2)}</s><${Mark} rung=${heldRung} /></span>`}`;
}

function useChosenInView(box, at) {
  useEffect(() => {
    const chosen = box.current?.querySelector('[aria-current], .cell[aria-pressed="true"]');
    if (chosen) box.current.scrollTop = Math.max(0, chosen.offsetTop - box.current.clientHeight / 2);
  }, [at]);
}

function Steps({ cells, groups, at, choose, mode, times }) {
  const box = useRef(null);
  useChosenInView(box, at);
  const failed = (isMeant) =>
    (times ?? [])
      .filter(({ step, failure }) => failure && isMeant(step))
      .map(
        ({ failure, times: count, at: when }) =>
          html`<tr><td></td><td colspan="2" class="bad">✕ the upstream did not answer: ${failure} × ${count}</td><td class="number">${clockTime(when)}</td><td colspan="2"></td></tr>`,
      );
  const answers = times && new Map(times.filter(({ failure }) => !failure).map((one) => [one.step, one]));
  const columns = ["Step", "Does", "Result", ...(times ? ["At", "After", "Tokens"] : [])];
  const width = columns.length;
  return html`<div class="scroll steps" ref=${box} tabindex="0" role="region" aria-label="Steps as rows"><table>
    <thead><tr>${columns.map((name, i) => html`<th scope="col" class=${i > 2 || i === 0 ? "number" : ""}>${name}</th>`)}</tr></thead>
    ${groups.map((group) => {
      const pattern = patternOf(group);
      return html`<tbody key=${group.from} class=${group.inLoop ? "loop" : ""}>
        ${pattern && html`<tr class="pattern"><th scope="rowgroup" colspan=${width}>${pattern} <span class="dim">steps ${group.own[0].index} to ${group.own.at(-1).index}</span></th></tr>`}
        ${group.own.map(
          (cell) => html`${failed((step) => step === cell.index)}
            <${StepRow} key=${cell.index} ...${{ cell, isChosen: cell.index === cells[at].index, choose, mode, answers }} />
            ${cell.held && html`<tr class="dim"><td></td><td colspan=${width - 1}><${Swatch} of=${cell.held} kind="held" /><s><${Name} of=${cell.held.label} /></s> kept from the agent ${cell.held.acts.map(({ rung }) => html`<${Mark} rung=${rung} mode=${mode} name />`)}</td></tr>`}`,
        )}
      </tbody>`;
    })}
    <tbody>${failed((step) => step > cells.at(-1).index)}</tbody>
  </table></div>`;
}

function StepRow({ cell, isChosen, choose, mode, answers }) {
  const { index, letter, label, outcome, sameOutcome, acts } = cell;
  const [time, before] = [answers?.get(index), answers?.get(index - 1)];
  const figures = [
    time && clockTime(time.at),
    time && before && lasting(Date.parse(time.at) - Date.parse(before.at)),
    time && short(time.tokens),
  ];
  return html`<tr aria-current=${isChosen ? "step" : undefined} onClick=${() => choose(index)}>
    <td class="number"><button type="button" class="link" aria-label=${`Show step ${index}`}>${index}</button></td>
    <td><${Swatch} of=${cell} /><${Name} of=${label} /> ${acts.map(({ rung }) => html`<${Mark} rung=${rung} mode=${mode} name />`)}</td>
    <td class=${outcome === "failed" ? "bad" : ""}>${sameOutcome && letter ? "same as before" : OUTCOMES[outcome][0]}</td>
    ${answers && figures.map((figure) => html`<td class="number">${figure ?? "–"}</td>`)}
  </tr>`;
}

function Panel({ cells, at, step, text, choose, mode, ladders }) {
  const cell = cells[at];
  const equal = cells.filter(({ letter, key, index }) => letter && key === cell.key && index !== cell.index);
  const acts = [...cell.acts, ...(cell.held?.acts ?? [])];
  const last = cells.at(-1).index;
  return html`<aside class="panel" aria-label=${`Step ${cell.index}`}>
    <h3>Step ${cell.index} <${Swatch} of=${cell} /></h3>
    ${acts.map((act) => html`<${Act} ...${{ act, choose, mode, ladders, last }} />`)}
    ${equal.length > 0 && html`<p>The same as <${Places} indices=${equal.map(({ index }) => index)} ...${{ choose, last }} />${cell.sameOutcome ? ", with the same result as the time before." : "."}</p>`}
    ${cell.inLoop && acts.length === 0 && html`<p class="dim">Counted as a part of the loop.</p>`}
    ${text === undefined ? html`<${Calls} step=${step} />` : html`<${Texts} text=${text} step=${step} />`}
  </aside>`;
}

function Act({ act, choose, mode, ladders, last }) {
  const { rung, detector, grade, count, due, evidence, note, told, foreseen, next } = act;
  const ladder = grade ? `${detector}:${grade}` : detector;
  const limits = Object.entries(ladders?.[ladder] ?? {});
  const limit = ([name, at]) => (name === due?.rung ? html`<b>"${name}": ${at}</b>` : `"${name}": ${at}`);
  return html`<div class="finding">
    <p><${Mark} rung=${rung} mode=${mode} name /> <b>${ladder}</b></p>
    <p><${Name} of=${note} /></p>
    <p>Count ${number(count)}${evidence.length > 0 && html`: steps <${Places} indices=${evidence} ...${{ choose, last }} />`}.${foreseen && " Seen in the answer, and kept from the agent."}</p>
    ${told && html`<details><summary>What the model ${mode === "observe" ? "would have been" : "was"} told</summary><blockquote><${Name} of=${told} /></blockquote></details>`}
    ${limits.length > 0 && html`<p>The policy's line: <code>"${ladder}": { ${limits.map((one, i) => html`${i > 0 && ", "}${limit(one)}`)} }</code>${due && due.rung !== rung && ` It was due at ${due.at}; the model called again.`}</p>`}
    <${Meter} count=${count} next=${next} mode=${mode} />
  </div>`;
}

const MAX_PLACES = 12;

function Places({ indices, choose, last }) {
  const shown = indices.slice(-MAX_PLACES);
  const left = indices.length - shown.length;
  const place = (index) =>
    index > last
      ? `${index} (kept back)`
      : html`<button type="button" class="link" onClick=${() => choose(index)}>${index}</button>`;
  return html`${shown.map((index, i) => html`${i > 0 && ", "}${place(index)}`)}${left > 0 && ` and ${left} earlier`}`;
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
  return html`${text.said !== "" && part("Said", text.said)}
    ${text.calls.map(({ tool, args, outcome }) => html`${part(html`<${Name} of=${tool} />`, args)}${part("Result", outcome ?? "none yet")}`)}
    ${text.heard.map((heard) => part(step.heard === "user" ? "The user" : "Then", heard))}`;
}
