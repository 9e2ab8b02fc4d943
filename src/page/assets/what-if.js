// Another policy over sessions that are remembered, or over a file of one's own.
import { html, useState } from "./htm.js";
import { ask, useAnswer } from "./api.js";
import { plural } from "./lane.js";
import { Problem } from "./parts.js";

export function WhatIf({ query, status }) {
  const { value, problem } = useAnswer("/policies");
  const [found, setFound] = useState(undefined);
  const [failed, setFailed] = useState(undefined);
  const [isBusy, setBusy] = useState(false);
  const submit = async (event) => {
    event.preventDefault();
    const fields = event.target.elements;
    setBusy(true);
    try {
      const own = fields.own.value.trim();
      const policy = own === "" ? fields.policy.value : JSON.parse(own);
      setFound(await ask("/dry-run", { body: { policy, ...(await material(fields.file.files[0], query)) } }));
      setFailed(undefined);
    } catch (error) {
      setFailed(error);
    }
    setBusy(false);
  };
  return html`<h1>What if</h1>
    <p>What another policy would have done, beside <b>${status.policy}</b>.</p>
    <${Problem} problem=${problem} />
    <form onSubmit=${submit}>
      <div class="bar">
        <label>Policy <select name="policy">${value?.policies.map(({ name }) => html`<option value=${name}>${name}</option>`)}</select></label>
        <label>Over a file of conversations (else ${query.sessions ? "this session" : "the newest sessions"}) <input type="file" name="file" accept=".json,.jsonl" /></label>
        <button disabled=${isBusy}>Try</button>
      </div>
      <details><summary>A policy of your own</summary><label>As JSON <textarea name="own" placeholder='{"extends":"default"}'></textarea></label></details>
    </form>
    <div aria-live="polite">
      <${Problem} problem=${failed} />
      ${found && html`<${Found} found=${found} />`}
    </div>`;
}

/** A file is JSON Lines, one conversation, or a list of conversations. */
async function material(file, { sessions }) {
  if (file === undefined) return { sessions: sessions === undefined ? "recent" : [sessions] };
  const text = await file.text();
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    value = text.split("\n").flatMap((line) => (line.trim() === "" ? [] : [JSON.parse(line)]));
  }
  const isOne = !Array.isArray(value) || value.some((item) => typeof item?.role === "string");
  return { conversations: (isOne ? [value] : value).map((one) => one?.request?.body ?? one?.request ?? one) };
}

function Found({ found: { policy, against, total, changed, results, unreadable } }) {
  const told = (verdict) => (verdict === null ? "nothing" : `${verdict.rung} (${verdict.detector}, ${verdict.count})`);
  const different = results.filter(({ earliestDifference }) => earliestDifference !== null);
  return html`<h2>${changed} of ${plural(total, "run")} would have gone differently</h2>
    ${unreadable.length > 0 && html`<p class="bad">${plural(unreadable.length, "conversation")} could not be read.</p>`}
    ${
      different.length > 0 &&
      html`<div class="scroll"><table>
      <thead><tr><th scope="col">Run</th><th scope="col">Earliest difference</th><th scope="col">${against}</th><th scope="col">${policy}</th></tr></thead>
      <tbody>${different.map(
        ({ id, thread, steps, earliestDifference: { step, before, after } }) => html`<tr>
        <td>${thread === null ? id : html`<a href=${`#session?${new URLSearchParams({ id })}`}>${id}</a>`}</td><td>step ${step} of ${steps}</td><td>${told(before)}</td><td>${told(after)}</td>
      </tr>`,
      )}</tbody>
    </table></div>`
    }`;
}
