// What an operator can do about a session: one dialog, outside of all that is drawn again, and a way back.
import { html, useEffect, useRef, useState } from "./htm.js";
import { ask } from "./api.js";
import { Name, Problem, RunName, TokenForm, UsePolicy } from "./parts.js";

const ACTS = {
  contain: {
    title: "Stop run",
    text: "Its streams end. Requests are answered with the reason for a day, or until you let it go on.",
    reason: "stopped from the page",
    done: "Stopped",
    undo: "release",
    isHard: true,
  },
  release: {
    title: "Let it go on",
    text: "It may ask again, whoever stopped it. What repeats from here on is counted afresh.",
    reason: "let go on from the page",
    done: "Goes on",
    undo: "contain",
  },
  right: { title: "It was right", text: "It was a loop.", done: "Noted as right" },
  wrong: {
    title: "It was a false alarm",
    text: "It was no loop. The totals count it by detector.",
    done: "Noted as a false alarm",
  },
};

export const isRating = (act) => act === "right" || act === "wrong";

export function perform(act, session, reason) {
  const path = `/sessions/${encodeURIComponent(session.id)}`;
  if (!isRating(act)) return ask(`${path}/${act}`, { body: { reason } });
  return ask(`${path}/feedback`, { body: { right: act === "right", reason } });
}

const Opener = ({ act, session, open, kind = "quiet" }) =>
  html`<button type="button" class=${kind} aria-haspopup="dialog" aria-label=${`${ACTS[act].title}: ${session.name || session.id}`} onClick=${() => open({ act, session })}>${ACTS[act].title}</button>`;

/** A run that Unloop ended may go on, or be stopped as well. */
export function Acts({ session, status, open, kind }) {
  if (status.role !== "operate") return null;
  const acts = [
    ...(session.containment !== null || session.blocked ? ["release"] : []),
    ...(session.containment === null && session.state !== "done" ? ["contain"] : []),
  ];
  if (acts.length === 0) return null;
  return html`<span class="acts">${acts.map((act) => html`<${Opener} key=${act} ...${{ act, session, open, kind }} />`)}</span>`;
}

/** Why there is nothing to press, and how to get it. @param enter takes a token, and gives the role that it has */
export function ReadOnly({ status, enter }) {
  const [problem, setProblem] = useState(undefined);
  if (status.role === "operate") return null;
  const tried = async (token) => {
    const role = await enter(token);
    setProblem(role === "operate" ? undefined : { message: "This token may only read." });
  };
  return html`<details><summary>Read only</summary>
    <p>To stop runs, or let them go on, open the address that <code>unloop serve</code> printed, or enter a token with the role operate.</p>
    <${TokenForm} enter=${tried} />
    <${Problem} problem=${problem} /></details>`;
}

export function Rating({ session, status, open }) {
  const { feedback, loop } = session;
  if (loop === null) return null;
  const said = feedback && (feedback.right ? "right" : "a false alarm");
  return html`<span class="rating">${said ? html`<span>${feedback.actor} said: ${said}${feedback.reason && html` (<${Name} of=${feedback.reason} />)`}</span>` : "Was it right?"}
    ${status.role === "operate" && ["right", "wrong"].map((act) => html`<button type="button" class="quiet" aria-pressed=${feedback?.right === (act === "right")} onClick=${() => open({ act, session })}>${ACTS[act].title}</button>`)}</span>`;
}

export function ActDialog({ what, status, close, done }) {
  const dialog = useRef(null);
  const [problem, setProblem] = useState(undefined);
  useEffect(() => {
    setProblem(undefined);
    if (what === undefined) return;
    dialog.current.showModal();
    dialog.current.querySelector("input")?.select();
  }, [what]);
  if (what === undefined) return null;
  const { act, session } = what;
  const { title, text, reason, isHard } = ACTS[act];
  const submit = async (event) => {
    event.preventDefault();
    try {
      await perform(act, session, event.target.elements.reason.value);
      done({ act, session });
    } catch (error) {
      setProblem(error);
    }
  };
  return html`<dialog ref=${dialog} aria-labelledby="act-title" onClose=${close}>
    <form onSubmit=${submit}>
      <h2 id="act-title">${title}: <${RunName} of=${session} /></h2>
      <p>${text}</p>
      <label>Reason <input name="reason" required=${!isRating(act)} maxlength="500" defaultValue=${reason ?? ""} /></label>
      ${act === "wrong" && html`<${RaiseLimit} ...${{ session, status }} />`}
      <${Problem} problem=${problem} />
      <p class="buttons"><button type="button" class="quiet" onClick=${() => dialog.current.close()}>Cancel</button><button class=${isHard ? "danger" : "primary"}>${title}</button></p>
    </form>
  </dialog>`;
}

/** What was done, for a while, with the way back. */
export function Toast({ what, again, open, close }) {
  useEffect(() => {
    if (what === undefined) return undefined;
    const timer = setTimeout(close, 12_000);
    return () => clearTimeout(timer);
  }, [what]);
  const undo = what && ACTS[what.act].undo;
  const back = async () => {
    await perform(undo, what.session, `undone: ${ACTS[what.act].title}`).catch(() => undefined);
    again();
    close();
  };
  return html`<div class="toast" role="status">${
    what &&
    html`<p>${ACTS[what.act].done}: <${RunName} of=${what.session} />
      ${undo && html` <button type="button" class="link" onClick=${back}>Undo</button>`}
      ${isRating(what.act) && html` <button type="button" class="link" onClick=${() => open({ ...what, why: true })}>Say why</button>`}</p>`
  }</div>`;
}

export function RaiseLimit({ session: { id, policy, rule, loop }, status }) {
  if (loop === null) return null;
  const { detector, grade, tools, count, rung } = loop;
  const counts = { nudge: count + 2, "force-done": count + 4, "short-circuit": count + 6 };
  const ladders = { [grade === null ? detector : `${detector}:${grade}`]: counts };
  const ofTool = tools[0] ? { tools: { [tools[0]]: { ladders } } } : { ladders };
  const changes = rung === "cut" ? { runaway: { shortLaps: 2 * count, longLaps: 2 * count, leastChars: 500 } } : ofTool;
  const tried = JSON.stringify({ extends: policy, ...changes });
  return html`<details><summary>Raise the limit${tools[0] && html` of <${Name} of=${tools[0]} />`}</summary>
    <${UsePolicy} ...${{ policy, changes, rule, status }} />
    <p><a href=${`#what-if?${new URLSearchParams({ policy: tried, sessions: id })}`}>Try it on this run</a></p>
  </details>`;
}
