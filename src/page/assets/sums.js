// Sums over all sessions: what rules did, and what loops cost.
import { html } from "./htm.js";
import { useAnswer } from "./api.js";
import { armOf, Choice, goTo, number, percent, Problem, Sparkline } from "./parts.js";

const WINDOWS = [
  ["1h", "an hour"],
  ["6h", "6 hours"],
  ["24h", "a day"],
  ["7d", "7 days"],
];

function Sums({ view, title, query, children }) {
  const window = query.window ?? "24h";
  const { value, problem } = useAnswer(`/analytics?window=${encodeURIComponent(window)}`);
  return html`<h1>${title}</h1>
    <div class="bar"><${Choice} label="Over" value=${window} options=${WINDOWS} onChange=${(chosen) => goTo(view, { window: chosen })} /></div>
    <${Problem} problem=${problem} />
    ${value && html`<${Sparkline} series=${value.series} label="Exchanges over time, and interventions among them" />`}
    ${value && children(value)}`;
}

function Table({ caption, columns, rows, none }) {
  if (rows.length === 0) return none && html`<p class="empty">${none}</p>`;
  return html`<h2>${caption}</h2><div class="scroll"><table>
    <thead><tr>${columns.map(([name, kind]) => html`<th scope="col" class=${kind}>${name}</th>`)}</tr></thead>
    <tbody>${rows.map((cells) => html`<tr>${cells.map((cell, i) => html`<td class=${columns[i][1]}>${cell}</td>`)}</tr>`)}</tbody>
  </table></div>`;
}

const LADDERS = [
  ["Rule"],
  ["Policy"],
  ...["Nudged", "Forced", "Ended", "Cut", "Recovered", "Repeated"].map((name) => [name, "number"]),
];

export function Rules({ query, status }) {
  return html`<${Sums} view="rules" title="Rules" query=${query}>${(sums) => html`
    ${status.mode === "observe" && html`<p class="notice">Observe mode: what is counted here would have been done.</p>`}
    <${Table} caption="What each rule did" columns=${LADDERS} none="No rule has found anything." rows=${sums.ladders.map(
      (row) => [
        `${row.detector}${row.grade ? `: ${row.grade}` : ""}`,
        `${row.policy}${armOf(row.arm)}`,
        ...counts(row),
      ],
    )} />
    <${Table} caption="By policy; a rollout has both its sides" columns=${[["Policy"], ["Exchanges", "number"], ...LADDERS.slice(2)]} none="" rows=${sums.policies.map(
      (row) => [`${row.policy}${armOf(row.arm)}`, number(row.exchanges), ...counts(row)],
    )} />
    <${Table} caption="Tools that loop" columns=${[["Tool"], ["Rule"], ["Interventions", "number"]]} none="" rows=${sums.tools.map(({ tool, detector, count }) => [tool, detector, number(count)])} />`}</${Sums}>`;
}

const counts = (row) =>
  ["nudge", "force-done", "short-circuit", "cut", "recovered", "repeated"].map((name) => number(row[name]));

const COSTS = [
  ["Policy"],
  ...["Sessions", "Exchanges", "Tokens", "Inside loops", "Share"].map((name) => [name, "number"]),
];

export function Cost({ query }) {
  return html`<${Sums} view="cost" title="Cost" query=${query}>${(sums) => html`
    <${Table} caption="Tokens spent inside loops" columns=${COSTS} none="No exchange yet." rows=${sums.policies.map(
      ({ policy, arm, sessions, exchanges, tokens, loopTokens }) => [
        `${policy}${armOf(arm)}`,
        number(sessions),
        number(exchanges),
        number(tokens),
        number(loopTokens),
        percent(loopTokens, tokens),
      ],
    )} />
    <p class="dim">Tokens as answers told them. Inside loops: those of exchanges whose verdict was an intervention, or would have been in observe mode.</p>
    <${Saved} window=${sums.window} />`}</${Sums}>`;
}

const SAVINGS = [
  ["Policy"],
  ...["Sessions", "Held out", "Tokens saved", "95 %", "Cost saved"].map((name) => [name, "number"]),
];

/** Measured where sessions are held out; an estimate says that it is one. */
function Saved({ window }) {
  const { value, problem } = useAnswer(`/savings?window=${encodeURIComponent(window)}`);
  if (value === undefined) return html`<${Problem} problem=${problem} />`;
  const methods = new Set(value.policies.map(({ method }) => method));
  return html`<${Table} caption="What was saved" columns=${SAVINGS} none="" rows=${value.policies.map(
    ({ policy, basis, sessions, saved: { tokens, cost } }) => [
      `${policy}${basis === "estimate" ? " (an estimate)" : ""}`,
      number(sessions.enforced + sessions.others),
      number(sessions.heldOut),
      number(tokens.value),
      tokens.low === null ? "–" : `${number(tokens.low)} to ${number(tokens.high)}`,
      cost === null ? "–" : cost.value.toFixed(2),
    ],
  )} />
    ${[...methods].map((method) => html`<p class="dim">${method}</p>`)}`;
}
