import { stringify } from "yaml";
import { metricDefinitions, teamLabels } from "../src/admin/metrics/definitions.ts";
import { type AlertRule, alertRules } from "./alert-rules.ts";
import { type Panel, panels } from "./panels.ts";

const GENERATED = "Made by `npm run generate` from deploy/*.ts and src/admin/metrics/definitions.ts; edit those.";

/** The files that are made from the metric definitions, by their path from the root of the repository. */
export function deployFiles(): Readonly<Record<string, string>> {
  return {
    "deploy/grafana-dashboard.json": `${JSON.stringify(dashboard(), null, 2)}\n`,
    "deploy/prometheus-rules.yaml": `# ${GENERATED}\n${stringify({ groups: [{ name: "unloop", rules: alertRules.map(ruleOf) }] })}`,
  };
}

function ruleOf({ alert, expr, for: during, severity, summary, description }: AlertRule) {
  return { alert, expr, for: during, labels: { severity }, annotations: { summary, description } };
}

/** What a reader chooses at the top of the page: any number of values of a label. */
const variables = [
  { name: "deployment", label: "job", metric: metricDefinitions.configInfo.name },
  ...teamLabels.map((label) => ({ name: label, label, metric: metricDefinitions.exchanges.name })),
];

function variableOf({ name, label, metric }: (typeof variables)[number]) {
  return {
    ...{
      name,
      type: "query",
      label: `${name[0]?.toUpperCase()}${name.slice(1)}`,
      query: `label_values(${metric}, ${label})`,
    },
    datasource: { type: "prometheus", uid: DATASOURCE },
    ...{
      refresh: 2,
      sort: 1,
      multi: true,
      includeAll: true,
      allValue: ".*",
      current: { text: "All", value: "$__all" },
    },
  };
}

/** A query with what was chosen as conditions of each metric in it. */
export function chosen(expr: string): string {
  return expr.replaceAll(/\b((?:unloop|process|nodejs)_\w+)(?:\{([^}]*)\})?/g, (_, metric: string, given?: string) => {
    const { labels } = Object.values(metricDefinitions).find(({ name }) => name === metric) ?? { labels: [] };
    const held = variables.filter(({ label }) => label === "job" || labels.some((one) => one === label));
    const conditions = held.map(({ name, label }) => `${label}=~"$${name}"`);
    return `${metric}{${[...(given === undefined ? [] : [given]), ...conditions].join(",")}}`;
  });
}

/** Grafana's own placeholder for the data source that is chosen at the top of the page. */
const DATASOURCE = `$${"{datasource}"}`;

const COLUMNS = 2;
const WIDTH = 24 / COLUMNS;
const HEIGHT = 8;

function dashboard() {
  return {
    title: "Unloop",
    uid: "unloop",
    description: GENERATED,
    tags: ["unloop", "llm"],
    timezone: "browser",
    schemaVersion: 39,
    refresh: "30s",
    time: { from: "now-6h", to: "now" },
    templating: {
      list: [
        { name: "datasource", type: "datasource", query: "prometheus", label: "Data source" },
        ...variables.map(variableOf),
      ],
    },
    panels: panels.map(panelOf),
  };
}

function panelOf({ title, about, unit, queries }: Panel, index: number) {
  const datasource = { type: "prometheus", uid: DATASOURCE };
  return {
    id: index + 1,
    type: "timeseries",
    title,
    description: about,
    datasource,
    gridPos: { x: (index % COLUMNS) * WIDTH, y: Math.floor(index / COLUMNS) * HEIGHT, w: WIDTH, h: HEIGHT },
    fieldConfig: { defaults: { unit, min: 0, custom: { fillOpacity: 10, showPoints: "never" } }, overrides: [] },
    options: { legend: { displayMode: "list", placement: "bottom" }, tooltip: { mode: "multi" } },
    targets: queries.map(({ expr, legend }, at) => ({
      refId: String.fromCharCode(65 + at),
      datasource,
      expr: chosen(expr),
      legendFormat: legend,
    })),
  };
}
