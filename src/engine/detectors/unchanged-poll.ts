import type { Detector } from "../finding.ts";
import { type Act, isPoll } from "../view.ts";

/** A call that waits for somebody else's progress, and finds none. Sleeping between two looks is part of waiting. */
export const unchangedPoll: Detector = ({ act, acts }) => {
  if (act === undefined || !isPoll(act.print)) return [];
  const looks = unchangedLooks(acts, act);
  if (looks.length < 3) return [];
  const tools = act.print.calls.map((call) => call.tool).join(", ");
  return [
    {
      detector: "unchanged-poll",
      loop: `unchanged-poll:${act.print.act}`,
      count: looks.length,
      evidence: looks.map((look) => look.at),
      note: `${tools}: polled ${looks.length} times, nothing has changed`,
    },
  ];
};

/** Back to where anything that was looked at had another answer. */
function unchangedLooks(acts: readonly Act[], act: Act): readonly Act[] {
  const looks: Act[] = [];
  const answers = new Map<string, string>();
  for (const earlier of [...acts].reverse()) {
    const { act: call, out } = earlier.print;
    if (!isPoll(earlier.print) || (answers.get(call) ?? out) !== out) break;
    answers.set(call, out);
    if (call === act.print.act) looks.unshift(earlier);
    if (earlier.userBefore) break;
  }
  return looks;
}
