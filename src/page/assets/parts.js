import { html, useEffect } from "./htm.js";
import { actName, stateName } from "./drawing.js";
import { clockTime, exactTime, lasting, nameOf, yaml } from "./words.js";

/** A time in words, and exactly, in the reader's zone. */
export function Ago({ at }) {
  const ms = Date.now() - Date.parse(at);
  return html`<time dateTime=${at} title=${exactTime(at)}>${ms < 1_000 ? "now" : `${lasting(ms)} ago`}</time>`;
}

/** A name that others gave: its direction marks turn nothing round it. */
export const Name = ({ of }) => html`<bdi>${of}</bdi>`;

/** A run by its name; the whole of a short one is with its client. */
export const RunName = ({ of }) =>
  html`<bdi title=${`${of.name || of.id}. UNLOOP_SESSION_NAMES=whole shows long names as they are.`}>${nameOf(of)}</bdi>`;

/** A team that the configuration gives no name goes by a signature of its key. */
export function Team({ of }) {
  if (!/^[\w-]{16}$/.test(of)) return html`<${Name} of=${of} />`;
  return html`<bdi class="dim whole" title="Signature of a key: no tenant in the configuration names this team.">key ${of.slice(0, 6)}…</bdi>`;
}

export const State = ({ session }) => html`<span class=${`state ${session.state}`}>${stateName(session)}</span>`;

/** @param since when what is still shown was answered */
export function Problem({ problem, since }) {
  if (!problem) return null;
  return html`<p class="notice" role="alert">${problem.message}${since && ` What is shown is from ${clockTime(since)}.`}</p>`;
}

/** Takes a token. @param enter gives the role that it has */
export function TokenForm({ enter }) {
  const submit = (event) => {
    event.preventDefault();
    enter(event.target.elements.token.value);
  };
  return html`<form class="bar" onSubmit=${submit}>
    <label>Token <input name="token" type="password" autocomplete="off" required /></label><button class="primary">Enter</button>
  </form>`;
}

export function Waiting({ problem }) {
  return problem ? html`<${Problem} problem=${problem} />` : html`<p class="empty" role="status">Loading …</p>`;
}

export function Choice({ label, value = "", options, onChange }) {
  return html`<label>${label}<select value=${value} onChange=${(event) => onChange(event.target.value)}>
    ${options.map(([name, shown]) => html`<option value=${name} selected=${name === value}>${shown}</option>`)}
  </select></label>`;
}

/** The lines that put a change of a policy in force, for the place where it belongs. @param rule the rule that chose the policy */
export function UsePolicy({ policy, changes, rule, status }) {
  const isOwn = status.policies.some(({ name, source }) => name === policy && source === "file");
  const name = isOwn ? policy : `${policy}-here`;
  const lines = yaml({ policies: { [name]: isOwn ? changes : { extends: policy, ...changes } } });
  const chosen = rule ? `# and in rules, in the one named "${rule}":\n#   policy: ${name}` : `policy: ${name}`;
  return html`<p>${isOwn ? html`Add under <code>policies.${policy}</code>` : html`<b>${policy}</b> is built in: add a policy of your own`} in the configuration file (<code>${status.config?.file ?? "UNLOOP_CONFIG"}</code>):</p>
    <pre tabindex="0">${isOwn ? lines : `${lines}\n${chosen}`}</pre>`;
}

/** @param columns `[name, kind]`, kind `number` for figures */
export function Table({ caption, columns, rows, none }) {
  if (rows.length === 0) return none ? html`<p class="empty">${none}</p>` : null;
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${caption}><table>
    <thead><tr>${columns.map(([name, kind]) => html`<th scope="col" class=${kind}>${name}</th>`)}</tr></thead>
    <tbody>${rows.map((cells) => html`<tr>${cells.map((cell, i) => html`<td class=${columns[i][1]} data-label=${columns[i][0]}>${cell}</td>`)}</tr>`)}</tbody>
  </table></div>`;
}

export function Meter({ count, next, mode }) {
  if (!next) return null;
  return html`<span class="dim whole"><progress max=${next.at} value=${count} aria-label=${`${count} of ${next.at}`}></progress> ${count} of ${next.at}, then ${actName(next.rung, mode)}</span>`;
}

export function useTitle(title) {
  useEffect(() => {
    document.title = `${title} · Unloop`;
  }, [title]);
}

/** Calls back for keys, but for those that are typed somewhere. */
export function useKey(onKey) {
  useEffect(() => {
    const pressed = (event) => event.target.closest?.("input, select, textarea, dialog") || onKey(event);
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
}
