// The running policy against an edited copy of it, over runs that are stored or over a file of one's own.
import { html, useEffect, useRef, useState } from "./htm.js";
import { ask, useAnswer } from "./api.js";
import { actName, exportedRuns, isExported, RUNGS as RUNG_ORDER } from "./drawing.js";
import { address, Name, nameOf, number, plural, Problem, Table, UsePolicy } from "./parts.js";

const RUNGS = { nudge: "Warn", "force-done": "Finish", "short-circuit": "End" };

export function WhatIf({ query, status }) {
  const [base, setBase] = useState(status.policy);
  const running = useAnswer(`/policies/${encodeURIComponent(base)}`).value;
  const [own, setOwn] = useState(undefined);
  const [text, setText] = useState(query.policy ?? "");
  const [found, setFound] = useState(undefined);
  const [failed, setFailed] = useState(undefined);
  const [isBusy, setBusy] = useState(false);
  const form = useRef(null);
  useEffect(() => {
    document.title = "What if · Unloop";
    // Whoever comes with a policy wants to see what it does.
    if (query.policy) form.current.requestSubmit();
  }, []);
  const ladders = own ?? running?.ladders;
  const edited =
    text === "" ? { extends: base, name: `${base}-edited`, ladders: changedIn(running?.ladders, own) } : undefined;
  const begin = (name) => {
    setBase(name);
    setOwn(undefined);
    setText("");
  };
  const submit = async (event) => {
    event.preventDefault();
    const file = event.target.elements.file.files[0];
    setBusy(true);
    setFailed(undefined);
    try {
      const policy = edited ?? parsed(text, "The policy");
      setFound({ ...(await ask("/dry-run", { body: { policy, ...(await material(file, query)) } })), tried: policy });
    } catch (error) {
      setFailed(error);
    }
    setBusy(false);
  };
  const change = (ladder, rung, value) => {
    setText("");
    const counts = { ...ladders[ladder], [rung]: value === "" ? null : Number(value) };
    setOwn({ ...ladders, [ladder]: counts });
  };
  const others = status.policies.map(({ name }) => name);
  return html`<h1>What if</h1>
    <p class="dim">What other limits would have done beside <b>${status.policy}</b>. Nothing is changed.</p>
    <form ref=${form} onSubmit=${submit} class="card">
      <div class="bar">
        <label>Begin with <select onChange=${({ target }) => begin(target.value)}>${[...new Set([status.policy, ...others])].map((name) => html`<option value=${name} selected=${name === base}>${name}</option>`)}</select></label>
        <label>Over ${query.sessions ? "this run, or a file" : "the newest 200 runs, or a file"} <input type="file" name="file" accept=".json,.jsonl,.gz" /></label>
        <button class="primary" disabled=${isBusy}>${isBusy ? "Trying …" : "Try"}</button>
      </div>
      ${ladders && html`<details open=${text === ""}><summary>Its limits: how often a loop may come round</summary><${Limits} ...${{ ladders, base: running?.ladders, change }} /></details>`}
      <details open=${text !== ""}><summary>The same as JSON</summary>
        <label class="sr" for="own">Policy as JSON</label><textarea id="own" spellcheck=${false} value=${text || JSON.stringify(edited, null, 2)} onInput=${({ target }) => setText(target.value)}></textarea></details>
    </form>
    <div aria-live="polite">
      <${Problem} problem=${failed} />
      ${found && html`<${Found} ...${{ found, status }} />`}
    </div>`;
}

/** Only what was changed: the rest is inherited. */
function changedIn(base = {}, own = {}) {
  return Object.fromEntries(
    Object.entries(own).filter(([name, counts]) => JSON.stringify(counts) !== JSON.stringify(base[name])),
  );
}

function Limits({ ladders, base = {}, change }) {
  const cell = (name, rung) => {
    const value = ladders[name][rung] ?? "";
    const isChanged = value !== (base[name]?.[rung] ?? "");
    return html`<input type="number" min="1" max="999" class=${isChanged ? "edited" : ""} aria-label=${`${name}: ${RUNGS[rung]}`} value=${value} onChange=${({ target }) => change(name, rung, target.value)} />`;
  };
  return html`<div class="limits"><${Table} caption="Limits by detector" columns=${[["Detector"], ...Object.values(RUNGS).map((name) => [name, "number"])]} rows=${Object.keys(ladders).map((name) => [name, ...Object.keys(RUNGS).map((rung) => cell(name, rung))])} /></div>`;
}

function parsed(text, what) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${what} is not valid JSON: ${error.message}`);
  }
}

/** A file is JSON Lines, one conversation, a list of conversations, or a decision export; compressed or not. */
async function material(file, { sessions }) {
  if (file === undefined) return { sessions: sessions === undefined ? "recent" : [sessions] };
  const stream = file.name.endsWith(".gz") ? file.stream().pipeThrough(new DecompressionStream("gzip")) : file.stream();
  const text = await new Response(stream).text();
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    value = text
      .split("\n")
      .flatMap((line, i) => (line.trim() === "" ? [] : [parsed(line, `Line ${i + 1} of the file`)]));
  }
  if (Array.isArray(value) && value.some(isExported)) return { conversations: exportedRuns(value.filter(isExported)) };
  const isOne = !Array.isArray(value) || value.some((item) => typeof item?.role === "string");
  return { conversations: (isOne ? [value] : value).map((one) => one?.request?.body ?? one?.request ?? one) };
}

function Found({ found: { policy, against, total, results, unreadable, tried }, status }) {
  const names = useAnswer("/sessions?limit=200").value;
  const nameIn = (id) => {
    const session = names?.sessions.find((one) => one.id === id);
    return session ? nameOf(session) : id;
  };
  const said = (verdict) =>
    verdict === null
      ? html`<span class="dim">nothing</span>`
      : `${actName(verdict.rung)} (${verdict.detector}, ${verdict.count})`;
  const different = results.filter(({ earliestDifference }) => earliestDifference !== null);
  const isStricter = ({ earliestDifference: { before, after } }) =>
    after !== null && (before === null || RUNG_ORDER.indexOf(after.rung) > RUNG_ORDER.indexOf(before.rung));
  const stricter = different.filter(isStricter).length;
  const rows = different.map((one) => {
    const { id, thread, steps, earliestDifference } = one;
    const { step, before, after } = earliestDifference;
    return [
      thread === null
        ? `conversation ${Number(id) + 1}`
        : html`<a href=${address("session", { id, step })}><${Name} of=${nameIn(id)} /></a>`,
      isStricter(one) ? "stricter" : "laxer",
      `step ${step} of ${steps}`,
      said(before),
      said(after),
    ];
  });
  const columns = [["Run"], [""], ["First difference"], [`${against} (running)`], [policy]];
  return html`<section class="card"><h2>${different.length} of ${plural(total, "run")} would have gone differently</h2>
    ${different.length > 0 && html`<p>${number(stricter)} stricter, ${number(different.length - stricter)} laxer.</p>`}
    ${total === 0 && html`<p class="dim">No run stored: give a file.</p>`}
    ${unreadable.length > 0 && html`<p class="bad">${plural(unreadable.length, "conversation")} could not be read.</p>`}
    <${Table} caption="What would have changed" columns=${columns} rows=${rows} />
    ${typeof tried === "object" && html`<details><summary>Use these limits</summary><${UsePolicy} policy=${tried.extends ?? against} changes=${{ ...tried, extends: undefined, name: undefined }} status=${status} /></details>`}
  </section>`;
}
