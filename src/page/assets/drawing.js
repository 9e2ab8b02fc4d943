// The drawing of a thread as a lane of steps: pure, and the same for the page and the report.

const HUES = 8;
const LONGEST_LAP = 12;

export const RUNGS = ["nudge", "force-done", "short-circuit", "cut"];

const ACTS = {
  nudge: ["nudged", "would have nudged"],
  "force-done": ["forced to finish", "would have forced an end"],
  "short-circuit": ["ended", "would have ended"],
  cut: ["cut off", "would have cut"],
};

/** What an act is called: in observe mode nothing was done. */
export const actName = (rung, mode) => (ACTS[rung] ?? [rung, `would have: ${rung}`])[mode === "observe" ? 1 : 0];

const STATES = {
  contained: "stopped by an operator",
  looping: "looping now",
  ended: "ended by Unloop",
  forced: "forced to finish",
  cut: "cut off",
  failing: "failing upstream",
};

export const stateName = ({ state, failing }) =>
  `${STATES[state] ?? state}${state === "failing" ? ` (${failing})` : ""}`;

/** Equal steps share letter and hue; laps are grouped; findings stand at the step that completed them. */
export function drawLane(steps, findings) {
  const legend = legendOf(steps);
  const looped = new Set(findings.flatMap(({ step, evidence }) => [step, ...evidence]));
  const outcomes = new Map();
  const cells = steps.map((step, i) => {
    const key = keyOf(step);
    const own = findings.filter((finding) => finding.step === step.index);
    const held = own.filter(isOnHeldBack);
    const outcome = step.calls.map((call) => call.outcome?.signature ?? "").join();
    const sameOutcome = outcomes.get(key) === outcome;
    outcomes.set(key, outcome);
    return {
      ...(legend.get(key) ?? { letter: "", hue: -1, label: labelOf(step) }),
      index: step.index,
      key,
      outcome: outcomeOf(step),
      sameOutcome,
      byUser: step.heard === "user",
      inLoop: looped.has(step.index),
      acts: own.filter((act) => !isOnHeldBack(act)),
      held: held.length === 0 ? undefined : heldBack(held, steps, i, legend),
    };
  });
  return { cells, groups: groupsOf(cells) };
}

/** Whether an act was on an answer that the agent never got. */
const isOnHeldBack = ({ foreseen, evidence, step }) => foreseen === true && evidence.at(-1) === step + 1;

/** The call that was kept back would have gone on with the loop: it equals the step one lap before. */
function heldBack(acts, steps, i, legend) {
  const { evidence = [], count = 1, tools = [] } = acts.at(-1) ?? {};
  const period = Math.max(1, Math.round(evidence.length / count));
  const like = steps[i + 1 - period];
  return { letter: "", hue: -1, label: tools.join(" + "), ...(like && legend.get(keyOf(like))), acts };
}

/** What makes two steps equal: their calls, or what was said where there are none. Empty: like no other. */
function keyOf({ signature, said }) {
  if (signature !== "") return `calls ${signature}`;
  return said === "" ? "" : `said ${said}`;
}

function labelOf({ calls, said }) {
  if (calls.length > 0) return calls.map(({ tool }) => tool).join(" + ");
  return said === "" ? "nothing" : "says something";
}

function outcomeOf({ calls }) {
  const classes = calls.map(({ outcome }) => outcome?.class ?? "pending");
  return ["failed", "pending", "empty", "ok"].find((one) => classes.includes(one)) ?? "none";
}

/** Letters for what occurs more than once, in the order of appearance. */
function legendOf(steps) {
  const seen = new Map();
  for (const step of steps) {
    const one = seen.get(keyOf(step)) ?? { label: labelOf(step), count: 0 };
    one.count += 1;
    seen.set(keyOf(step), one);
  }
  const repeated = [...seen].filter(([key, { count }]) => key !== "" && count > 1);
  return new Map(repeated.map(([key, { label }], i) => [key, { letter: letterOf(i), hue: i % HUES, label }]));
}

function letterOf(i) {
  const round = Math.floor(i / 26);
  return `${String.fromCharCode(65 + (i % 26))}${round === 0 ? "" : round + 1}`;
}

function groupsOf(cells) {
  const groups = [];
  let plainFrom = 0;
  let at = 0;
  const add = (from, to, period, laps) => {
    if (from > to) return;
    const inside = cells.slice(from, to + 1);
    const later = inside.slice(period);
    const sameOutcomes = laps > 1 && later.every(({ sameOutcome }) => sameOutcome);
    groups.push({ from, to, period, laps, inLoop: inside.some(({ inLoop }) => inLoop), sameOutcomes });
  };
  while (at < cells.length) {
    const { period, laps } = lapsAt(cells, at);
    if (laps === 1) {
      at++;
      continue;
    }
    add(plainFrom, at - 1, at - plainFrom, 1);
    add(at, at + period * laps - 1, period, laps);
    at += period * laps;
    plainFrom = at;
  }
  add(plainFrom, cells.length - 1, cells.length - plainFrom, 1);
  return groups;
}

/** The longest run of equal laps that begins here, the shortest lap first. */
function lapsAt(cells, from) {
  let best = { period: 1, laps: 1 };
  for (let period = 1; period <= LONGEST_LAP && from + 2 * period <= cells.length; period++) {
    let at = from + period;
    while (at < cells.length && cells[at]?.key !== "" && cells[at]?.key === cells[at - period]?.key) at++;
    const laps = Math.floor((at - from) / period);
    if (laps > 1 && laps * period > best.laps * best.period) best = { period, laps };
  }
  return best;
}
