// Sums: where loops are, what they cost, and what was saved.
import { html, useEffect } from "./htm.js";
import { useAnswer, useNews } from "./api.js";
import {
  address,
  Choice,
  goTo,
  money,
  Name,
  number,
  percent,
  plural,
  Problem,
  short,
  Table,
  Team,
  Waiting,
  WINDOWS,
} from "./parts.js";

const KINDS = { agent: "Agent", tenant: "Team", model: "Model", tool: "Tool", detector: "Rule", policy: "Policy" };
const EVERY_MS = 10_000;

export function Sums({ query }) {
  const { version } = useNews(EVERY_MS);
  const { by = "agent", window = "24h", ...filters } = query;
  const { value, problem } = useAnswer(`/overview?${new URLSearchParams({ ...filters, window })}`, version, true);
  useEffect(() => {
    document.title = "Sums · Unloop";
  }, []);
  const kind = Object.hasOwn(KINDS, by) ? by : "agent";
  return html`<h1>Sums</h1>
    <div class="bar">
      <div class="tabs" role="group" aria-label="By">${Object.entries(KINDS).map(([name, title]) => html`<button type="button" aria-pressed=${name === kind} onClick=${() => goTo("sums", { ...query, by: name })}>${title}</button>`)}</div>
      <${Choice} label="Time" value=${window} options=${Object.entries(WINDOWS)} onChange=${(chosen) => goTo("sums", { ...query, window: chosen })} />
    </div>
    ${value === undefined ? html`<${Waiting} problem=${problem} />` : html`<${Problem} problem=${problem} /><${Loops} ...${{ sums: value, kind, filters, window }} />`}
    <${Saved} ...${{ window, version }} />`;
}

function Loops({ sums: { by, prices, isWhole }, kind, filters, window }) {
  const columns = [
    [KINDS[kind]],
    ...["Runs", "With a loop", "Share", "Tokens in loops", "Spent in loops", "Said right", "False alarms"].map(
      (name) => [name, "number"],
    ),
  ];
  const rows = by[kind].map(({ name, sessions, looped, tokens, loopTokens, loopCost, right, wrong }) => [
    html`<a href=${address("live", { ...filters, window, [kind]: name })}>${kind === "tenant" ? html`<${Team} of=${name} />` : html`<${Name} of=${name || "unknown"} />`}</a>`,
    number(sessions),
    number(looped),
    html`<${Bar} part=${looped} whole=${sessions} />`,
    `${short(loopTokens)} (${percent(loopTokens, tokens)})`,
    loopCost === null ? html`<span class="dim">no price</span>` : money(loopCost),
    number(right),
    number(wrong),
  ]);
  return html`<section class="card"><h2>Where loops are</h2>
    <${Table} caption="Where loops are" columns=${columns} rows=${rows} none="No run in this time." />
    <p class="dim">Each name leads to its runs.${!isWhole && " Of the newest 5,000 runs."}
    ${prices.list > 0 && ` ${plural(prices.list, "run")} at list prices of ${prices.listAt}, in US dollars: "prices" in the policy takes their place.`}
    ${prices.none > 0 && ` ${plural(prices.none, "run")} of models without a price: set it in the policy's "prices".`}</p></section>`;
}

function Bar({ part, whole }) {
  return html`<span class="share"><meter min="0" max=${Math.max(1, whole)} value=${part} aria-label="Share"></meter> ${percent(part, whole)}</span>`;
}

/** Sessions that a rollout enforces, beside those that it holds out. */
function Saved({ window, version }) {
  const { value } = useAnswer(`/savings?window=${window}`, version, true);
  if (!value?.policies.length) return null;
  const columns = [
    ["Policy"],
    ...["Enforced", "Held out", "Tokens saved", "95 %", "Cost saved"].map((name) => [name, "number"]),
  ];
  const rows = value.policies.map(({ policy, sessions, saved }) => [
    policy,
    number(sessions.enforced),
    number(sessions.heldOut),
    saved ? number(saved.tokens.value) : html`<span class="dim">too few sessions</span>`,
    saved ? `${number(saved.tokens.low)} to ${number(saved.tokens.high)}` : "–",
    saved?.cost ? saved.cost.value.toFixed(2) : "–",
  ]);
  return html`<section class="card"><h2>What was saved</h2><${Table} caption="What was saved" columns=${columns} rows=${rows} />
    <p class="dim">Tokens of a held-out session less those of an enforced one, times the enforced sessions. If 95 % begins below zero, it may be chance.</p></section>`;
}
