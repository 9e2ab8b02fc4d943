// The running policy against an edited copy of it, over runs that are stored.
import { html, useEffect, useRef, useState } from "./htm.js";
import { ask, useAnswer } from "./api.js";
import { actName, RUNGS as RUNG_ORDER } from "./drawing.js";
import { Choice, Name, Problem, Table, UsePolicy, useTitle } from "./parts.js";
import { address, nameOf, number, plural } from "./words.js";

const RUNGS = { nudge: "Warn", "force-done": "Finish", "short-circuit": "End" };

export function WhatIf({ query, status }) {
  const begun = (base) => JSON.stringify({ extends: base, name: `${base}-edited` }, null, 2);
  const [text, setText] = useState(query.policy ?? begun(status.policy));
  const [found, setFound] = useState(undefined);
  const [failed, setFailed] = useState(undefined);
  const [isBusy, setBusy] = useState(false);
  const form = useRef(null);
  useTitle("What if");
  useEffect(() => query.policy && form.current.requestSubmit(), []);
  const { policy, problem } = parsed(text);
  const base = policy?.extends ?? status.policy;
  const limits = useAnswer(`/policies/${encodeURIComponent(base)}`).value?.ladders;
  const submit = async (event) => {
    event.preventDefault();
    setBusy(true);
    setFailed(problem);
    const sessions = query.sessions === undefined ? "recent" : [query.sessions];
    if (policy !== undefined)
      await ask("/dry-run", { body: { policy, sessions } }).then(
        (answer) => setFound({ ...answer, tried: policy }),
        setFailed,
      );
    setBusy(false);
  };
  const change = (ladder, rung, value) => {
    const counts = { ...limits[ladder], ...policy.ladders?.[ladder], [rung]: value === "" ? null : Number(value) };
    setText(JSON.stringify({ ...policy, ladders: { ...policy.ladders, [ladder]: counts } }, null, 2));
  };
  const names = [...new Set([status.policy, ...status.policies.map(({ name }) => name)])];
  return html`<h1>What if</h1>
    <p class="dim">What other limits would have done beside <b>${status.policy}</b> in ${query.sessions ? "this run" : "the newest 200 runs"}. Nothing is changed; <code>unloop replay</code> does the same with files.</p>
    <form ref=${form} onSubmit=${submit} class="card">
      <div class="bar">
        <${Choice} label="Begin with" value=${base} options=${names.map((name) => [name, name])} onChange=${(name) => setText(begun(name))} />
        <button class="primary" disabled=${isBusy}>${isBusy ? "Trying …" : "Try"}</button>
      </div>
      ${limits && policy && html`<details open=${query.policy === undefined}><summary>Its limits: how often a loop may come round</summary><${Limits} ...${{ own: policy.ladders, base: limits, change }} /></details>`}
      <details open=${query.policy !== undefined}><summary>The same as JSON</summary>
        <label class="sr" for="own">Policy as JSON</label><textarea id="own" spellcheck=${false} value=${text} onInput=${({ target }) => setText(target.value)}></textarea></details>
    </form>
    <div aria-live="polite">
      <${Problem} problem=${failed} />
      ${found && html`<${Found} ...${{ found, status }} />`}
    </div>`;
}

function Limits({ own = {}, base, change }) {
  const cell = (name, rung) => {
    const before = base[name]?.[rung] ?? "";
    const value = own[name] === undefined ? before : (own[name][rung] ?? "");
    return html`<input type="number" min="1" max="999" class=${value === before ? "" : "edited"} aria-label=${`${name}: ${RUNGS[rung]}`} value=${value} onChange=${({ target }) => change(name, rung, target.value)} />`;
  };
  const rows = Object.keys({ ...base, ...own }).map((name) => [
    name,
    ...Object.keys(RUNGS).map((rung) => cell(name, rung)),
  ]);
  return html`<div class="limits"><${Table} caption="Limits by detector" columns=${[["Detector"], ...Object.values(RUNGS).map((name) => [name, "number"])]} rows=${rows} /></div>`;
}

function parsed(text) {
  try {
    return { policy: JSON.parse(text) };
  } catch (error) {
    return { problem: new Error(`The policy is not valid JSON: ${error.message}`) };
  }
}

function Found({ found: { policy, against, total, results, tried }, status }) {
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
  const hardness = (act) => RUNG_ORDER.indexOf(act?.rung);
  const change = ({ earliestDifference: { before, after } }) =>
    ["laxer", "as strict", "stricter"][1 + Math.sign(hardness(after) - hardness(before))];
  const count = (name) => `${number(different.filter((one) => change(one) === name).length)} ${name}`;
  const rows = different.map((one) => {
    const { id, thread, steps, earliestDifference } = one;
    const { step, before, after } = earliestDifference;
    return [
      html`<a href=${address("session", { id, step, thread })}><${Name} of=${nameIn(id)} /></a>`,
      change(one),
      `step ${step} of ${steps}`,
      said(before),
      said(after),
    ];
  });
  const columns = [["Run"], [""], ["First difference"], [`${against} (running)`], [policy]];
  return html`<section class="card"><h2>${different.length} of ${plural(total, "thread")} would have gone differently</h2>
    ${different.length > 0 && html`<p>At the first difference: ${count("stricter")}, ${count("laxer")}.</p>`}
    <${Table} caption="What would have changed" columns=${columns} rows=${rows} />
    ${typeof tried === "object" && html`<details><summary>Use these limits</summary><${UsePolicy} policy=${tried.extends ?? against} changes=${{ ...tried, extends: undefined, name: undefined }} status=${status} /></details>`}
  </section>`;
}
