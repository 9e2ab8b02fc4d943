// Small parts that several views need.
import { html, useRef, useState } from "./htm.js";
import { ask } from "./api.js";

export const number = (value) => Math.round(value).toLocaleString("en");
export const percent = (part, whole) => (whole === 0 ? "–" : `${Math.round((100 * part) / whole)} %`);

export function age(iso, now = Date.now()) {
  const seconds = Math.max(0, Math.round((now - Date.parse(iso)) / 1_000));
  if (seconds < 90) return `${seconds} s`;
  return seconds < 5_400 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`;
}

export function duration(from, to) {
  return age(from, Date.parse(to));
}

/** Changes a part of the address, which is where filters live. */
export function goTo(view, query) {
  const kept = Object.entries(query).filter(([, value]) => value !== "" && value !== undefined);
  location.hash = kept.length === 0 ? view : `${view}?${new URLSearchParams(kept)}`;
}

export function Problem({ problem }) {
  return problem ? html`<p class="notice" role="alert">${problem.message}</p>` : null;
}

/** Whether what is shown follows what happens. */
export function News({ state }) {
  return html`<span aria-live="polite" class=${state === "Live" ? "fine" : "dim"}>● ${state}</span>`;
}

export function Choice({ label, value = "", options, onChange }) {
  return html`<label>${label}<select value=${value} onChange=${(event) => onChange(event.target.value)}>
    ${options.map(([name, shown]) => html`<option value=${name} selected=${name === value}>${shown}</option>`)}
  </select></label>`;
}

/** Contain or release: a run that Unloop ended may be released, or contained as well. */
export function Acts({ session, status, done }) {
  if (status.role !== "operate") return null;
  const { containment, blocked } = session;
  const acts = [...(containment !== null || blocked ? ["release"] : []), ...(containment === null ? ["contain"] : [])];
  return acts.map((act) => html`<${Act} key=${act} ...${{ act, session, done }} /> `);
}

/** One of them, with a reason that the journal keeps. */
function Act({ act, session, done }) {
  const dialog = useRef(null);
  const [problem, setProblem] = useState(undefined);
  const submit = async (event) => {
    event.preventDefault();
    const reason = event.target.elements.reason.value;
    try {
      await ask(`/sessions/${encodeURIComponent(session.id)}/${act}`, { body: { reason } });
      dialog.current.close();
      done();
    } catch (error) {
      setProblem(error);
    }
  };
  const title = act === "contain" ? "Contain" : "Release";
  const told =
    act === "contain"
      ? "Open streams are ended, and its requests are answered with the reason, on all replicas."
      : "The containment and every block are lifted; what repeats from here on is counted afresh.";
  return html`<button type="button" class=${act === "contain" ? "danger" : ""} onClick=${() => dialog.current.showModal()}>${title}</button>
    <dialog ref=${dialog} aria-label=${`${title} ${session.name}`}>
      <form onSubmit=${submit}>
        <h2>${title} ${session.name}</h2>
        <p>${told}</p>
        <label>Reason <input name="reason" required maxlength="500" /></label>
        <${Problem} problem=${problem} />
        <p><button>${title}</button> <button type="button" onClick=${() => dialog.current.close()}>Cancel</button></p>
      </form>
    </dialog>`;
}

/** Bars over time: all in grey, and what we did in front of them. */
export function Sparkline({ series, label }) {
  const most = Math.max(1, ...series.map(({ exchanges }) => exchanges));
  const width = 100 / Math.max(1, series.length);
  const bar = (value, i, kind) =>
    html`<rect class=${kind} x=${i * width} y=${40 - (40 * value) / most} width=${width * 0.85} height=${(40 * value) / most} />`;
  return html`<svg class="spark" viewBox="0 0 100 40" preserveAspectRatio="none" role="img" aria-label=${label}>
    ${series.map(({ exchanges }, i) => bar(exchanges, i, "all"))}
    ${series.map(({ interventions }, i) => bar(Math.min(interventions, most), i, "acts"))}
  </svg>`;
}

export const armOf = (arm) => (arm === null ? "" : ` (${arm})`);
