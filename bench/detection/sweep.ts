import { detectorNames } from "../../src/engine/engine.ts";
import { type Ladder, type Policy, stages } from "../../src/policy/policy.ts";
import type { Labelled } from "./data.ts";
import { guard, type Rule } from "./rules.ts";
import { type CaseScore, scoreOf, scoreOfCases, type SessionScore, type Verdicts } from "./score.ts";
import { isWrong, type Verdict, verdictOf } from "./verdict.ts";

/** The default policy with other counts, and what becomes of everything. */
export interface Variant {
  readonly name: string;
  readonly cases: CaseScore;
  readonly sessions: SessionScore | undefined;
  /** Conversations that are wrong here and not with the counts as they are: healthy ones flagged, loops lost. */
  readonly worse: readonly string[];
  /** The other way round. */
  readonly better: readonly string[];
  readonly verdicts: Verdicts;
}

/** Nothing that is recorded tells when a request came again. */
const NOT_RECORDED = new Set<string>(["retry-storm"]);

/** Each ladder a step lower and higher, all of them moved together, and each detector left out. */
export function variantsOf(policy: Policy, cases: readonly Labelled[], sessions: readonly Labelled[] | undefined) {
  const names = ladderNames(policy);
  const policies: [string, Policy][] = [
    ["as it is", policy],
    ...[-1, 1, 2].map((by): [string, Policy] => [`all counts ${signed(by)}`, moved(policy, names, by)]),
    ...names.flatMap((name) =>
      [-1, 1].map((by): [string, Policy] => [`${name} ${signed(by)}`, moved(policy, [name], by)]),
    ),
    ...detectorNames
      .filter((detector) => names.some((name) => isOf(detector, name)))
      .map((detector): [string, Policy] => [`without ${detector}`, without(policy, detector)]),
  ];
  const telling = tellingIn(policy, [...cases, ...(sessions ?? [])]);
  const verdictsOf = ([name, one]: [string, Policy]): [string, Verdicts] => {
    const rule = onlyFor(telling, guard(name, one));
    const all = (labelled: readonly Labelled[]) => labelled.map((of) => verdictOf(rule, of));
    return [name, { cases: all(cases), sessions: sessions && all(sessions) }];
  };
  const verdicts = policies.map(verdictsOf);
  const [, standard] = verdicts[0] ?? verdictsOf(["as it is", policy]);
  return verdicts.map(([name, own]) => variant(name, own, standard));
}

function variant(name: string, own: Verdicts, standard: Verdicts): Variant {
  const mistakes = mistakesIn(own);
  const before = mistakesIn(standard);
  return {
    name,
    cases: scoreOfCases(own.cases),
    sessions: own.sessions && scoreOf(own.sessions.filter(({ of }) => of.counts)),
    worse: mistakes.filter((one) => !before.includes(one)),
    better: before.filter((one) => !mistakes.includes(one)),
    verdicts: own,
  };
}

function mistakesIn({ cases, sessions }: Verdicts): readonly string[] {
  const wrongCases = cases.filter(({ of, flags }) => flags.length > 0 !== of.loops);
  return [...wrongCases, ...(sessions ?? []).filter(isWrong)].map(told);
}

function told({ of, wrong }: Verdict): string {
  const what = of.loops ? `loop ${wrong.length === 0 ? "missed" : "flagged early"}` : "healthy flagged";
  return `${what}: ${of.id} (${of.family}, ${of.kind}${of.counts ? "" : ", not counted"})`;
}

const signed = (by: number): string => (by > 0 ? `+${by}` : String(by));

function ladderNames({ ladders }: Policy): readonly string[] {
  return Object.keys(ladders).filter((name) => !NOT_RECORDED.has(name));
}

const isOf = (detector: string, ladder: string): boolean => ladder.split(":")[0] === detector;

function moved(policy: Policy, names: readonly string[], by: number): Policy {
  const ladders = Object.entries(policy.ladders).map(([name, ladder = {}]) => [
    name,
    names.includes(name) ? movedLadder(ladder, by) : ladder,
  ]);
  return { ...policy, ladders: Object.fromEntries(ladders) };
}

function movedLadder(ladder: Ladder, by: number): Ladder {
  const shifted = stages.flatMap((stage) => {
    const count = ladder[stage];
    return count === undefined ? [] : [[stage, count + by]];
  });
  return Object.fromEntries(shifted);
}

function without(policy: Policy, detector: string): Policy {
  const kept = Object.entries(policy.ladders).filter(([name]) => !isOf(detector, name));
  return { ...policy, ladders: Object.fromEntries(kept) };
}

/** Conversations in which any detector counts anything: in all others no counts make a difference. */
function tellingIn(policy: Policy, all: readonly Labelled[]): ReadonlySet<Labelled> {
  const least = Object.keys(policy.ladders).map((name) => [name, { nudge: 1 }]);
  const rule = guard("any finding", { ...policy, ladders: Object.fromEntries(least) });
  return new Set(all.filter((of) => rule.flags(of).length > 0));
}

function onlyFor(telling: ReadonlySet<Labelled>, rule: Rule): Rule {
  return { name: rule.name, flags: (of) => (telling.has(of) ? rule.flags(of) : []) };
}
