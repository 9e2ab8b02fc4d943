// The running policy against an edited copy of it, over runs that are stored.
import { html, useEffect, useRef, useState } from "./htm.js";
import { ask, useAnswer } from "./api.js";
import { actName, RUNGS as RUNG_ORDER } from "./drawing.js";
import { address, Choice, Name, nameOf, number, plural, Problem, Table, UsePolicy, useTitle } from "./parts.js";

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
  useTitle("What if");
  // Whoever comes with a policy wants to see what it does.
  useEffect(() => query.policy && form.current.requestSubmit(), []);
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
    setBusy(true);
    setFailed(undefined);
    try {
      const policy = edited ?? parsed(text);
      const sessions = query.sessions === undefined ? "recent" : [query.sessions];
      setFound({ ...(await ask("/dry-run", { body: { policy, sessions } })), tried: policy });
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
  const names = [...new Set([status.policy, ...status.policies.map(({ name }) => name)])];
  return html`<h1>What if</h1>
    <p class="dim">What other limits would have done beside <b>${status.policy}</b> in ${query.sessions ? "this run" : "the newest 200 runs"}. Nothing is changed; <code>unloop replay</code> does the same with files.</p>
    <form ref=${form} onSubmit=${submit} class="card">
      <div class="bar">
        <${Choice} label="Begin with" value=${base} options=${names.map((name) => [name, name])} onChange=${begin} />
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

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`The policy is not valid JSON: ${error.message}`);
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
  const isStricter = ({ earliestDifference: { before, after } }) =>
    after !== null && (before === null || RUNG_ORDER.indexOf(after.rung) > RUNG_ORDER.indexOf(before.rung));
  const stricter = different.filter(isStricter).length;
  const rows = different.map((one) => {
    const { id, thread, steps, earliestDifference } = one;
    const { step, before, after } = earliestDifference;
    return [
      html`<a href=${address("session", { id, step, thread })}><${Name} of=${nameIn(id)} /></a>`,
      isStricter(one) ? "stricter" : "laxer",
      `step ${step} of ${steps}`,
      said(before),
      said(after),
    ];
  });
  const columns = [["Run"], [""], ["First difference"], [`${against} (running)`], [policy]];
  return html`<section class="card"><h2>${different.length} of ${plural(total, "run")} would have gone differently</h2>
    ${different.length > 0 && html`<p>${number(stricter)} stricter, ${number(different.length - stricter)} laxer.</p>`}
    <${Table} caption="What would have changed" columns=${columns} rows=${rows} />
    ${typeof tried === "object" && html`<details><summary>Use these limits</summary><${UsePolicy} policy=${tried.extends ?? against} changes=${{ ...tried, extends: undefined, name: undefined }} status=${status} /></details>`}
  </section>`;
}
