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
export const exactTime = (iso) => exact.format(new Date(iso));
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });
const minute = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });
export const clockTime = (iso) => clock.format(new Date(iso));

/** A name that is no person's choice says when, with which model and what: eight letters of an id tell no runs apart. */
export function nameOf({ name, id, source, model, tool, firstSeenAt }) {
  if (name !== "" && source !== "derived" && !/^.{1,12}\.\.[\w-]{4,8}$/.test(name)) return name;
  const isDerived = name === "" || source === "derived";
  return [isDerived ? model : name, minute.format(new Date(firstSeenAt)), tool].filter(Boolean).join(" · ") || id;
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
