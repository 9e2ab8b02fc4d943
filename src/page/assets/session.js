// One session: a strip of figures, and a lane for each thread.
import { html, useMemo } from "./htm.js";
import { ask, useAnswer, useNews } from "./api.js";
import { actName } from "./drawing.js";
import { Thread } from "./lane.js";
import { Acts, duration, News, number, percent, Problem } from "./parts.js";

export function Session({ query: { id = "" }, status }) {
  const { version, again, state } = useNews(false);
  const path = `/sessions/${encodeURIComponent(id)}`;
  const { value: session, problem } = useAnswer(path, version);
  if (session === undefined) return html`<${Problem} problem=${problem} />`;
  const { name, tenant, agent, model, policy, mode, source, containment, cut } = session;
  return html`<p><a href="#live">Sessions</a></p>
    <h1>${name}</h1>
    <p class="dim">${[tenant, agent, model, `${policy} (${mode})`, source].filter(Boolean).join(" · ")}</p>
    <${Problem} problem=${problem} />
    ${containment && html`<p class="notice">Contained by ${containment.actor}: ${containment.reason}</p>`}
    ${cut !== null && html`<p class="notice">Its newest answer ${mode === "observe" ? "would have been" : "was"} cut off: it repeated itself, ${cut}.</p>`}
    <${Strip} session=${session} />
    <div class="bar">
      <${News} state=${state} />
      <button type="button" onClick=${() => save(`${id}.json`, JSON.stringify(session, null, 2))}>JSON</button>
      <button type="button" onClick=${async () => save(`${id}.md`, await ask(`${path}/report`, { as: "text" }))}>Markdown</button>
      <a href=${`#what-if?${new URLSearchParams({ sessions: id })}`}>Try another policy</a>
      <${Acts} ...${{ session, status, done: again }} />
    </div>
    ${session.lineages.length === 0 && html`<p class="empty">Its steps are not remembered any more.</p>`}
    ${session.lineages.map((thread, i) => html`<${OneThread} key=${thread.id} ...${{ thread, session, i }} />`)}`;
}

function OneThread({ thread, session, i }) {
  const { loop } = session;
  const findings = useMemo(
    () =>
      thread.findings.map((one) =>
        loop?.thread === thread.id && loop.step === one.step ? { ...one, next: loop.next } : one,
      ),
    [thread, loop],
  );
  const first = thread.window[0]?.index ?? 0;
  const title = session.lineages.length === 1 ? "Steps" : `Thread ${i + 1}`;
  return html`<${Thread} title=${title} steps=${thread.window} findings=${findings} mode=${session.mode} />
    ${first > 0 && html`<p class="dim">The newest ${thread.window.length} of ${number(thread.steps)} steps.</p>`}`;
}

function Strip({ session }) {
  const { firstSeenAt, lastSeenAt, requests, steps, threads, tokens, loopTokens, interventions, mode, cut } = session;
  const all = tokens.input + tokens.output;
  const acts = Object.entries(interventions).map(([rung, count]) => `${count} × ${actName(rung, mode)}`);
  const facts = [
    ["Duration", duration(firstSeenAt, lastSeenAt)],
    ["Requests", number(requests)],
    ["Steps", number(steps)],
    ["Threads", number(threads)],
    ["Tokens", all === 0 && cut !== null ? "not told" : number(all)],
    ["Inside loops", `${number(loopTokens)} (${percent(loopTokens, all)})`],
    [mode === "observe" ? "Only observed" : "Interventions", acts.join(", ") || "none"],
  ];
  return html`<dl class="strip">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

function save(name, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text]));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
