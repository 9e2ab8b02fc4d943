import { stringify } from "yaml";
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
      list: [{ name: "datasource", type: "datasource", query: "prometheus", label: "Data source" }],
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
      expr,
      legendFormat: legend,
    })),
  };
}
