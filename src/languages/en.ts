import { words } from "./language.ts";

export const english = {
  code: "en",
  failureOpening: words`
    error|fatal|fail(?:ed|ure)?|exception|traceback|unable to|
    (could ?n[o']t|cannot|can't)(?! (find|locate))|invalid|un(?:known|recogni[sz]ed|authori[sz]ed)|denied|forbidden`,
  done: words`
    ok(ay)?|done|success(ful(ly)?)?|noted|written|wrote|saved|updated?|created|deleted|removed|modified|changed|
    replaced|submitted|posted|added|sent|inserted|edited|applied|complete[d]?|finished|moved|stored|restarted|set|
    executed|no output`,
  gesture: words`clicked|typed|pressed|scrolled|tapped|selected`,
  waiting: words`
    running|pending|in[ _-]progress|queued|waiting|processing|not (yet )?(ready|done|complete)|no new \w+|
    (no|not|nothing)\b.{0,24}\byet|still`,
  denial: words`
    not|cannot|\p{L}{2,5}n['’]t|unable|never|nothing|missing|invalid|unknown|stale|
    no (?:such|longer|\p{L}{2,24} (?:found|matche[sd]))|fail(?:ed|ure)|denied|refused|rejected|blocked|
    time[ds]?[ -]?out`,
  fault: words`(?:error|failure|exception|problem|issue|warning)s?|fail(?:ed|ing|s)?|missing|invalid`,
  negation: words`no|not|0|zero|without`,
  announcing: words`let me|let's|i('|’)?ll|i will|i('|’)?m going to|i need to`,
  actLabel: words`commands?|moves?`,
  goOn: words`continue|go on|go ahead|proceed|keep going|resume|try again`,
  farewell: words`
    have an? (?:\p{L}+ ){0,2}(?:day|evening|night|weekend|week|time|one|trip|flight|stay)|
    (?:youre|you are|your) (?:\p{L}+ )?welcome|most welcome|
    (?:(?:many )?thanks|thank (?:you|u|ya)|thx)(?: (?:a \p{L}+|lots))?|much obliged|(?:good ?)?bye(?: ?bye)?|
    take care|good ?night|all the best|best wishes|safe travels|
    see (?:you|ya)(?: (?:soon|later|then|again|there))?|until next time|talk (?:to you )?soon`,
  offer: words`
    (?:thats|that is|that was|that will be|thatll be|that should be) (?:all|it|everything)(?: i (?:need|needed|wanted))?|
    all i (?:need|needed|wanted)|
    (?:please )?(?:let (?:me|us) know|feel free to (?:ask|reach out|contact (?:me|us)))(?: anytime)?|
    (?:if|whenever) (?:you (?:ever )?(?:need|have)|theres|there is) (?:me|us|anything|any(?: \p{L}+)? (?:help|questions?|assistance))(?: else| more)?|
    (?:dont|do not) (?:mention it|hesitate(?: to (?:reach out|ask|contact (?:me|us)))?)|no (?:problem|worries)|
    (?:i )?(?:will|ill) do|i(?:m| am) (?:glad|happy) (?:i|we) (?:could|can) help|(?:glad|happy) to (?:help|assist)`,
  courtesy: words`
    you|your|too|as|well|so|very|much|really|again|also|have|has|a|an|the|to|be|is|was|it|its|this|that|those|these|
    and|with|from|for|of|in|on|at|my|me|i|im|ill|we|us|our|all|everything|everyone|now|today|then|there|here|help|
    helping|helpful|support|assistance|great|good|nice|lovely|wonderful|fantastic|excellent|perfect|fine|okay|ok|
    alright|right|sure|no|nothing|else|more|glad|happy|pleasure|appreciate|appreciated|could|can|day|morning|week|
    time|rest|enjoy|safe|soon|later|look|forward|looking|hope|best|regards|kind|patience|info|information|update|
    always|back|meeting|just|same|likewise|yourself|hi|hello|oh|yeah|wishing|sounds|out|up`,
  thinkVerb: words`think(?:ing)?|thought|reflect|scratchpad|reason|sequentialthinking`,
  waitVerb: words`poll|wait|sleep|await|monitor|watch|tail`,
  sendVerb: words`send|reply|notify|tweet`,
  readVerb: words`
    get|list|search|find|read|lookup|query|view|show|check|count|describe|retrieve|load|inspect|can`,
  writeVerb: words`
    create|write|edit|update|delete|remove|patch|apply|insert|replace|move|rename|set|add|append|commit|book|cancel|
    buy|pay|put|save|upload|modify|change|submit|register|return|exchange|schedule|reschedule|merge|push|install|
    transfer|restart|reboot|enable|disable|deploy|assign|refund|grant|trigger|launch`,
  startVerb: words`spawn|delegate|launch|run|start|create|invoke|call`,
  tally: words`failed|passed|failing|passing|(?:failure|error|warning)s?`,
  and: words`and|or`,
  through: words`to|through|until`,
  all: words`all(?: the)?|each of the`,
  doing: words`
    (?<=^\W{0,6}|\b(?:please|and|then|now|just|also|first|next|so|or|but|again|must|should|can you|could you|will you|would you|(?:want|need|like|ask|going|have|you|is) to|\w{2,12}ly) )
    (?:repeat|toggle|switch|measure|sample|call|run|re-?run|ping|do(?= (?:it|this|that))|try|click|press|tap|send|
    execute|check|test|invoke|poll|retry|loop|roll|make|read|ask|play|flip|refresh|reload|scroll|get|open|query|search|
    write|print|look|watch|monitor)|
    (?<=\bkeep (?:on )?)(?!going|working|trying)\p{L}{2,12}ing`,
  numbers: words`two|three|four|five|six|seven|eight|nine|ten|twenty|fifty|(?:a )?hundred`,
  times: words`(?:more |identical |consecutive |times? )?(?:times|runs(?=\s*(?:[.!?,;]|each\b|$))|rounds|iterations)`,
  twice: words`twice`,
  endless: words`
    again and again|over and over|repeatedly|forever|endlessly|after me|continuously|in a loop|keep(?: on)? (?=\p{L}{3,12}ing)|
    (?:dozens of|(?:a few|several|some) dozen|hundreds of|(?<!how )many) times|as (?:often|many times) as (?:you can|possible)|
    (?:every|each) (?:\d{1,3} |few |five |ten )?(?:seconds?|minutes?|hours?)|
    for (?:the next |another |about )?(?:\d{1,3} |an? |half an |a few |five |ten |thirty )?(?:seconds?|minutes?|hours?)`,
  until: words`
    (?<!(?:open|closed|valid|available|free|up) )(?:until|till)(?! (?:\d|\p{L}{3,6}day|noon|midnight|tomorrow|tonight|then|now|next|late))`,
  failing: words`fail(?:s|ed|ure)?|breaks?|errors?|crash(?:es)?|flak\p{L}*`,
  saying: words`(?:write|say(?:ing)?|repeat(?:ing)?|print|output|type|copy|echo)(?! (?:an? |the )?(?:scripts?|functions?|programs?|code|tests?))`,
  summary: words`\bsummar(?:y|i[sz])|\bcompact(?:ion|ing)?\b|\bhand-?off\b`,
  noTools: words`
    \btext[ -]only\b|\bonly (?:with )?text\b|\b(?:not|never|without|no)\b.{0,20}\b(?:tools?|functions?)\b`,
  historyTitle: words`history|previous (actions|steps|turns)|(past|executed|completed) (actions|steps)`,
  taskTitle: words`\b(task|goal|objective|user (request|instruction|input)|request|instruction|question)\b`,
  stateTitle: words`\b(page|screen|state|dom|html|elements?|observation|environment)\b`,
  faultTitle: words`\b(errors?|warnings?|failures?)\b`,
  nowTitle: words`\b(current|now|latest|present)\b`,
  stateLabel: words`(?:the )?(?:current|latest|present)[ \t](?:\w{1,16}[ \t]){0,2}(?:state|screen|page|observation)`,
  taskLabel: words`
    (?:\w{2,8}(?:[- ]level)? )?(?:action|goal|task|objective|intent|instruction|request)(?: to \w{4,9})?`,
  userLabel: words`u|user|human`,
  agentLabel: words`a|ai|agent|assistant|bot`,
  memoLabel: words`m|memo|memory|note`,
  noHistory: words`no history( yet)?|none( yet)?|empty|nothing( yet)?|n\/a`,
  stepLabel: words`step`,
};
