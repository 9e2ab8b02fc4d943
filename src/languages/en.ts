import type { LanguageWords } from "./language.ts";

export const english: LanguageWords = {
  code: "en",
  failureOpening:
    "error|fatal|failed|failure|fail|exception|traceback|panic|unable to|" +
    "(could ?n[o']t|cannot|can't)(?! (find|locate))|invalid|unknown|unhandled|denied|forbidden|unauthori[sz]ed",
  failureState: "fail(ed|ure)?|error",
  refusalState:
    "rejected|refused|declined|denied|blocked|forbidden|invalid|aborted|unauthori[sz]ed|" +
    "not[_ ](allowed|permitted|accepted)",
  done:
    "ok(ay)?|done|success(ful(ly)?)?|noted|written|wrote|saved|updated?|created|deleted|removed|modified|changed|" +
    "replaced|submitted|posted|cleared|added|sent|inserted|edited|applied|complete[d]?|finished|moved|copied|" +
    "acknowledged|recorded|stored|restarted|started|stopped|set|executed|no output|no changes?",
  gesture: "clicked|typed|pressed|scrolled|tapped|swiped|selected|hovered|dragged",
  wellState:
    "ok(ay)?|healthy|active|up|alive|online|enabled|valid|pass(ed|ing)?|green|approved?|available|reachable|clean",
  waiting:
    "running|pending|in[ _-]progress|queued|waiting|processing|" +
    "not (yet )?(ready|done|finished|complete)|" +
    "no new (output|data|messages?|e?mails?|events?|updates?|replies|logs?)|" +
    String.raw`(no|not|nothing)\b.{0,24}\byet|still`,
  waitingState:
    "building|starting|restarting|provisioning|deploying|creating|initiali[sz]ing|scheduled|scheduling|pulling|" +
    "uploading|downloading|syncing|awaiting|enqueued|booting|installing|upgrading|rolling|indexing|rendering|" +
    "transcoding|training|not[ _]started",
  denial:
    "not|cannot|can['’]?t|(?:could|did|does|was|is|has|would)n['’]?t|unable|never|nothing|nobody|" +
    "missing|invalid|unknown|stale|impossible|" +
    String.raw`no (?:such|longer|\p{L}{2,24} (?:found|matche[sd]|with|for|at|is|was|exists?))|failed|failure|` +
    "denied|refused|rejected|blocked|exceeded|out of (?:range|bounds)|time[ds]?[ -]?out",
  fault: "errors?|failures?|exceptions?|problems?|issues?|warnings?|conflicts?|violations?",
  faulty: "fail(?:ed|ing|s)?|broken|missing|invalid|denied|refused|rejected|blocked|stale",
  negation: "no|not|0|zero|none|without|nothing|never",
  notBeside: "such|longer|because|due|after",
  announcing: "let me|let's|i('|’)?ll|i will|i('|’)?m going to|i am going to|i need to|going to",
  goOn: "continue|go on|go ahead|proceed|keep going|carry on|resume|try again|next",
  please: "please|ok(ay)?|yes|just",
  calls: String.raw`\b(tool|function|action)s?\b`,
  answers: String.raw`\b(answer|response|reply|message|output|call)\b`,
};
