// Totals: where loops are, what they cost, and what was saved.
import { html } from "./htm.js";
import { useAnswer, useTicks } from "./api.js";
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
  useTitle,
  Waiting,
  WINDOWS,
} from "./parts.js";

const KINDS = { agent: "Agent", tenant: "Team", model: "Model", tool: "Tool", detector: "Detector", policy: "Policy" };
const EVERY_MS = 10_000;

export function Totals({ query }) {
  const ticks = useTicks(EVERY_MS);
  const { by = "agent", window = "24h", ...filters } = query;
  const { value, problem, at } = useAnswer(`/overview?${new URLSearchParams({ ...filters, window })}`, ticks, true);
  useTitle("Totals");
  const kind = Object.hasOwn(KINDS, by) ? by : "agent";
  return html`<h1>Totals</h1>
    <div class="bar">
      <div class="tabs" role="group" aria-label="By">${Object.entries(KINDS).map(([name, title]) => html`<button type="button" aria-pressed=${name === kind} onClick=${() => goTo("totals", { ...query, by: name })}>${title}</button>`)}</div>
      <${Choice} label="Time" value=${window} options=${Object.entries(WINDOWS)} onChange=${(chosen) => goTo("totals", { ...query, window: chosen })} />
    </div>
    ${value === undefined ? html`<${Waiting} problem=${problem} />` : html`<${Problem} problem=${problem} since=${at} /><${Loops} ...${{ sums: value, kind, filters, window }} />`}
    <${Saved} ...${{ window, ticks }} />`;
}

const FIGURES = [
  "Runs",
  "With a loop",
  "Share",
  "Interventions",
  "Only observed",
  "Kept back",
  "Tokens in loops",
  "Spent in loops",
  "Errors",
  "Right",
  "False alarms",
];

function Loops({ sums: { by, prices, isWhole }, kind, filters, window }) {
  const rows = by[kind].map(({ name, sessions, looped, tokens, loopTokens, loopCost, right, wrong, ...one }) => [
    html`<a href=${address("live", { ...filters, window, [kind]: name })}>${kind === "tenant" ? html`<${Team} of=${name} />` : html`<${Name} of=${name || "unnamed"} />`}</a>`,
    number(sessions),
    number(looped),
    html`<span class="whole"><progress max=${Math.max(1, sessions)} value=${looped} aria-label="Share"></progress> ${percent(looped, sessions)}</span>`,
    number(one.interventions),
    html`<span class="dim">${number(one.observed)}</span>`,
    number(one.keptBack),
    `${short(loopTokens)} (${percent(loopTokens, tokens)})`,
    loopCost === null ? html`<span class="dim">no price</span>` : money(loopCost),
    number(one.failures),
    number(right),
    number(wrong),
  ]);
  return html`<section class="card"><h2>Where loops are</h2>
    <${Table} caption="Where loops are" columns=${[[KINDS[kind]], ...FIGURES.map((name) => [name, "number"])]} rows=${rows} none="No run in this time." />
    <p class="dim">Each name leads to its runs. "Only observed" is what enforce mode would have done.${!isWhole && " Of the newest 5,000 runs."}
    ${prices.list > 0 && ` ${plural(prices.list, "run")} at list prices of ${prices.listAt}, in US dollars: "prices" in the policy takes their place.`}
    ${prices.none > 0 && ` ${plural(prices.none, "run")} of models without a price: set it in the policy's "prices".`}</p></section>`;
}

/** Sessions that a rollout enforces, beside those that it holds out. */
function Saved({ window, ticks }) {
  const { value } = useAnswer(`/savings?window=${window}`, ticks, true);
  if (!value?.policies.length) return null;
  const figures = ["Enforced", "Held out", "Tokens saved", "95 %", "Cost saved"].map((name) => [name, "number"]);
  const rows = value.policies.map(({ policy, enforced, heldOut, tokens, cost }) => [
    policy,
    number(enforced),
    number(heldOut),
    tokens ? number(tokens.saved * enforced) : html`<span class="dim">too few sessions</span>`,
    tokens ? `${number(tokens.low * enforced)} to ${number(tokens.high * enforced)}` : "–",
    cost ? (cost.saved * enforced).toFixed(2) : "–",
  ]);
  return html`<section class="card"><h2>What was saved</h2><${Table} caption="What was saved" columns=${[["Policy"], ...figures]} rows=${rows} />
    <p class="dim">Tokens of a held-out session less those of an enforced one, times the enforced sessions. If 95 % begins below zero, it may be chance.</p></section>`;
}
