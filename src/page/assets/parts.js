// Small parts that several views need.
import { html, useEffect } from "./htm.js";
import { actName, stateName } from "./drawing.js";

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
export const number = (value) => whole.format(value);
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
export const short = (value) => (value < 10_000 ? number(value) : compact.format(value));
export const percent = (part, whole) => (whole === 0 ? "–" : `${Math.round((100 * part) / whole)} %`);
export const money = (value) =>
  value > 0 && value < 0.0005
    ? "< $0.001"
    : `$${value >= 100 ? number(value) : value.toFixed(value >= 1 || value === 0 ? 2 : 3)}`;
export const plural = (count, one, many = `${one}s`) => `${number(count)} ${count === 1 ? one : many}`;

/** Times that the API can be asked about. */
export const WINDOWS = { "1h": "last hour", "6h": "last 6 hours", "24h": "last 24 hours" };

/** A length of time in words. @param ms milliseconds */
export function lasting(ms) {
  if (ms < 1_000) return "< 1 s";
  const seconds = Math.round(ms / 1_000);
  if (seconds < 90) return `${seconds} s`;
  if (seconds < 5_400) return `${Math.round(seconds / 60)} min`;
  return seconds < 129_600 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} d`;
}

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "long" });
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });
const minute = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });
export const clockTime = (iso) => clock.format(new Date(iso));

/** A time in words, and exactly, in the reader's zone. */
export function Ago({ at }) {
  const ms = Date.now() - Date.parse(at);
  return html`<time dateTime=${at} title=${exact.format(new Date(at))}>${ms < 1_000 ? "now" : `${lasting(ms)} ago`}</time>`;
}

/** A name that others gave: its direction marks turn nothing round it. */
export const Name = ({ of }) => html`<bdi>${of}</bdi>`;

/** A name that is no person's choice says when, with which model and what: eight letters of an id tell no runs apart. */
export function nameOf({ name, id, source, model, tool, firstSeenAt }) {
  if (name !== "" && source !== "derived" && !/^.{1,12}\.\.[\w-]{4,8}$/.test(name)) return name;
  const isDerived = name === "" || source === "derived";
  return [isDerived ? model : name, minute.format(new Date(firstSeenAt)), tool].filter(Boolean).join(" · ") || id;
}

/** A run by its name; the whole of a short one is with its client. */
export const RunName = ({ of }) =>
  html`<bdi title=${`${of.name || of.id}. UNLOOP_SESSION_NAMES=whole shows long names as they are.`}>${nameOf(of)}</bdi>`;

/** A team that the configuration gives no name goes by a signature of its key. */
export function Team({ of }) {
  if (!/^[\w-]{16}$/.test(of)) return html`<${Name} of=${of} />`;
  return html`<bdi class="dim" title="Signature of a key: no tenant in the configuration names this team.">key ${of.slice(0, 6)}…</bdi>`;
}

export const address = (view, query) => {
  const kept = Object.entries(query).filter(([, value]) => value !== "" && value !== undefined);
  return `#${view}${kept.length === 0 ? "" : `?${new URLSearchParams(kept)}`}`;
};

/** Changes the address, which is where filters live. @param isTyped it takes the place of the one before */
export function goTo(view, query, isTyped = false) {
  if (!isTyped) location.hash = address(view, query);
  else {
    history.replaceState(null, "", address(view, query));
    dispatchEvent(new Event("hashchange"));
  }
}

export function State({ session }) {
  const { state } = session;
  return html`<span class=${`state ${state}`}>${stateName(session)}</span>`;
}

/** @param since when what is still shown was answered */
export function Problem({ problem, since }) {
  if (!problem) return null;
  return html`<p class="notice" role="alert">${problem.message}${since && ` What is shown is from ${clockTime(since)}.`}</p>`;
}

/** What is on its way, or why it does not come. */
export function Waiting({ problem }) {
  return problem ? html`<${Problem} problem=${problem} />` : html`<p class="empty" role="status">Loading …</p>`;
}

export function Choice({ label, value = "", options, onChange }) {
  return html`<label>${label}<select value=${value} onChange=${(event) => onChange(event.target.value)}>
    ${options.map(([name, shown]) => html`<option value=${name} selected=${name === value}>${shown}</option>`)}
  </select></label>`;
}

const key = (name) => (/^[\w-]+$/.test(name) ? name : JSON.stringify(name));
const isPlain = (value) => typeof value !== "object" || value === null;

/** A value as YAML, as the configuration file has it: innermost mappings of plain values in one line. */
export function yaml(value, indent = "") {
  const line = (one) => {
    if (isPlain(one)) return ` ${JSON.stringify(one)}`;
    const inner = Object.entries(one);
    if (!inner.every(([, last]) => isPlain(last))) return `\n${yaml(one, `${indent}  `)}`;
    return ` { ${inner.map(([field, last]) => `${key(field)}: ${JSON.stringify(last)}`).join(", ")} }`;
  };
  const given = Object.entries(value).filter(([, one]) => one !== undefined);
  return given.map(([name, one]) => `${indent}${key(name)}:${line(one)}`).join("\n");
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

/** How far a loop is on its way to the next rung. */
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
