import { type LanguageWords, words } from "./language.ts";

export const english: LanguageWords = {
  code: "en",
  failureOpening: words`
    error|fatal|failed|failure|fail|exception|traceback|panic|unable to|
    (could ?n[o']t|cannot|can't)(?! (find|locate))|invalid|unknown|unhandled|denied|forbidden|unauthori[sz]ed`,
  done: words`
    ok(ay)?|done|success(ful(ly)?)?|noted|written|wrote|saved|updated?|created|deleted|removed|modified|changed|
    replaced|submitted|posted|cleared|added|sent|inserted|edited|applied|complete[d]?|finished|moved|copied|
    acknowledged|recorded|stored|restarted|started|stopped|set|executed|no output|no changes?`,
  gesture: words`clicked|typed|pressed|scrolled|tapped|swiped|selected|hovered|dragged`,
  waiting: words`
    running|pending|in[ _-]progress|queued|waiting|processing|not (yet )?(ready|done|finished|complete)|
    no new (output|data|messages?|e?mails?|events?|updates?|replies|logs?)|(no|not|nothing)\b.{0,24}\byet|still`,
  denial: words`
    not|cannot|can['’]?t|(?:could|did|does|was|is|has|would)n['’]?t|unable|never|nothing|nobody|missing|invalid|
    unknown|stale|impossible|no (?:such|longer|\p{L}{2,24} (?:found|matche[sd]|with|for|at|is|was|exists?))|failed|
    failure|denied|refused|rejected|blocked|exceeded|out of (?:range|bounds)|time[ds]?[ -]?out`,
  fault: words`errors?|failures?|exceptions?|problems?|issues?|warnings?|conflicts?|violations?|fail(?:ed|ing|s)?|broken|missing|invalid|denied|refused|rejected|blocked|stale`,
  negation: words`no|not|0|zero|none|without|nothing|never`,
  announcing: words`let me|let's|i('|’)?ll|i will|i('|’)?m going to|i am going to|i need to|going to`,
  goOn: words`continue|go on|go ahead|proceed|keep going|carry on|resume|try again|next`,
  farewell: words`
    have an? (?:\p{L}+ ){0,2}(?:day|evening|night|weekend|week|morning|afternoon|time|one|trip|flight|stay|journey)|
    (?:youre|you are|your) (?:very |most |so |always )?welcome|most welcome|(?:(?:many )?thanks|thank (?:you|u|ya)|thx)(?: (?:a \p{L}+|lots|loads|tons|heaps))?|
    much obliged|(?:good ?)?bye(?: ?bye)?|farewell|take care|good ?night|all the best|best wishes|safe travels|
    see (?:you|ya)(?: (?:soon|later|around|then|again|there|next time))?|until next time|
    talk (?:to you )?(?:soon|later)`,
  offer: words`
    (?:thats|that is|that was|that will be|thatll be|that should be) (?:all|it|everything)(?: i (?:need|needed|wanted))?|
    all i (?:need|needed|wanted)|
    (?:please )?(?:let (?:me|us) know|feel free to (?:ask|reach out|contact (?:me|us)))(?: anytime)?|
    (?:if|whenever) (?:you (?:ever )?(?:need|have)|theres|there is) (?:me|us|anything|any(?: \p{L}+)? (?:help|questions?|assistance))(?: else| more)?|
    (?:dont|do not) (?:mention it|hesitate(?: to (?:reach out|ask|contact (?:me|us)))?)|
    no (?:problem|worries|trouble)|(?:i )?(?:will|ill) do|i(?:m| am) (?:glad|happy) (?:i|we) (?:could|can) help|
    (?:glad|happy) to (?:help|assist)`,
  courtesy: words`
    you|your|too|as|well|so|very|much|really|kindly|again|also|have|has|a|an|the|to|be|is|was|it|its|this|that|
    those|these|and|with|from|for|of|in|on|at|my|me|i|im|ill|we|us|our|all|everything|everyone|now|today|tonight|
    tomorrow|then|there|here|help|helping|helpful|support|assistance|assisting|great|good|nice|lovely|wonderful|
    fantastic|amazing|excellent|perfect|awesome|fine|okay|ok|alright|right|cool|sure|no|nothing|else|more|than|glad|
    happy|pleasure|appreciate|appreciated|appreciation|could|can|dear|sir|madam|maam|mr|mrs|ms|day|evening|night|
    morning|afternoon|weekend|week|time|rest|enjoy|enjoyed|safe|soon|later|look|forward|looking|hope|best|regards|
    kind|kindness|patience|understanding|info|information|update|anytime|always|welcome|back|meet|meeting|talk|
    talking|chatting|speaking|goodness|just|same|likewise|yourself|friend|hi|hello|oh|yeah|ciao|cheers|wish|wishing|
    sounds|out|up|everybody|see`,
  thinkVerb: words`
    think|thinking|thought|reflect|reflection|scratchpad|reason|reasoning|sequentialthinking|note_to_self`,
  waitVerb: words`poll|wait|sleep|await|monitor|watch|tail|heartbeat`,
  sendVerb: words`send|reply|notify|tweet`,
  readVerb: words`
    get|list|search|find|read|lookup|query|view|show|check|count|describe|browse|retrieve|load|inspect|can|is|has`,
  writeVerb: words`
    create|write|edit|update|delete|remove|patch|apply|insert|replace|move|rename|set|add|append|commit|book|cancel|
    buy|pay|put|save|upload|modify|change|submit|register|return|exchange|schedule|reschedule|merge|push|install|
    drop|transfer|restart|reboot|enable|disable|deploy|assign|archive|refund|upsert|grant|revoke|trigger|launch|
    dispatch|enqueue`,
  startVerb: words`spawn|delegate|launch|run|start|create|invoke|call|dispatch|new`,
  tally: words`failed|passed|failing|passing|failures?|errors?|warnings?|violations?`,
  and: words`and|or`,
  through: words`to|through|thru|until`,
  all: words`all(?: the)?|each of the|every one of the`,
  doing: words`
    (?<=^\W{0,6}|\b(?:please|and|then|now|just|also|first|next|so|or|but|again|must|should|let's|can you|could you|will you|would you|(?:want|need|like|ask|going|have|got|sure|you|is) to|\w{2,12}ly) )(?:repeat|toggle|
    switch|turn|blink|flash|measure|sample|call|run|re-?run|ping|do(?= (?:it|this|that))|try|click|press|tap|send|execute|check|test|perform|invoke|poll|
    retry|loop|roll|make|request|read|ask|play|flip|toss|spin|throw|refresh|reload|scroll|get|open|query|search|say|
    write|print|look|watch|monitor|let(?!['’]))|
    (?<=\bkeep (?:on )?)(?:running|checking|pinging|polling|refreshing|reloading|retrying|clicking|pressing|watching|monitoring|measuring|sampling|sending|executing|trying (?:it|this|the))`,
  numbers: words`two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|fifty|(?:a )?hundred`,
  times: words`(?:more |identical |consecutive |times? )?(?:times|runs(?=\s*(?:[.!?,;]|$))|rounds|iterations|repetitions)`,
  twice: words`twice`,
  endless: words`
    again and again|over and over|repeatedly|continuously|in a loop|keep(?: on)? (?=\p{L}{3,12}ing)|
    (?:dozens of|a (?:few|couple(?: of)?) dozen|(?:several|some) dozen|hundreds of|(?<!how )many) times|
    as (?:many times|often) as (?:you can|possible)|
    (?:every|each) (?:\d{1,3} |few |other |five |ten |thirty )?(?:seconds?|minutes?|hours?)|once (?:a|an|every) (?:second|minute|hour)|
    for (?:the (?:next|coming) |another |about |at least )?(?:\d{1,3}|an?|half an|the next|a few|a couple of|two|five|ten|thirty) (?:seconds?|minutes?|hours?)|for (?:the (?:next|coming)|another) (?:minute|hour)`,
  until: words`
    (?<!(?:open|closed|valid|available|free|up) )(?:until|till)(?! (?:\d|(?:mon|tues|wednes|thurs|fri|satur|sun)day|noon|midnight|tomorrow|tonight|today|then|now|next|late|further))`,
  failing: words`fail(?:s|ed|ure)?|breaks?|errors?|crash(?:es)?|flak\p{L}*`,
  repetition: words`
    \b(?:write|say|repeat|print|output|type|copy|recite|chant|echo|spell|sing|writing|saying|repeating|chanting)\b
    (?:(?!\b(?:that|which|who|scripts?|function|program|code|tests?|retr\w+|loops?|each)\b)[^.!?\n]){0,80}?\b
    (?:(?:\d{2,6}|[6-9]|dozen|hundred|thousand|million|ten|twenty|thirty|fifty|many|countless|infinite)\s*(?:x\b|times|copies|repetitions)|
    forever|endlessly|infinitely|indefinitely|non-?stop|over and over|again and again|without (?:end|stopping|pause)|as (?:often|many times|long) as)|
    \b(?:repeat|keep (?:saying|writing|repeating|printing|typing)|just repeat)\s+(?:only |just )?
    (?:(?:the|this|that|one) (?:\w+ )?(?:words?|phrase|letters?|sentence|line|string|character|token|symbol|emoji|syllable|name|number)\b|after me|["'“‘])|
    \b(?:\d{2,6}|[6-9]|dozen|hundred|thousand|million|ten|twenty|thirty|fifty|many|countless|infinite)\s+
    (?:identical|equal|repeated|copies of|repetitions of)\b`,
  summary: words`\bsummar(?:y|ies|i[sz]e|i[sz]ing|i[sz]ation)\b|\bcompact(?:ion|ing)?\b|\bhand-?off\b`,
  noTools: words`
    \btext[ -]only\b|\bonly (?:with )?text\b|\b(?:not|never|without|no)\b.{0,20}\b(?:tools?|functions?)\b`,
  historyTitle: words`history|previous (actions|steps|turns)|(past|executed|completed) (actions|steps)`,
  taskTitle: words`\b(task|goal|objective|user (request|instruction|input)|request|instruction|question)\b`,
  stateTitle: words`\b(page|screen|state|dom|html|elements?|observation|environment)\b`,
  faultTitle: words`\b(errors?|warnings?|failures?)\b`,
  nowTitle: words`\b(current|now|latest|present)\b`,
  stateLabel: words`(?:the )?(?:current|latest|present)[ \t](?:\w{1,16}[ \t]){0,2}(?:state|screen|page|observation)`,
  taskLabel: words`
    (?:high[- ]level |overall |ultimate |user )?(?:action|goal|task|objective|intent|instruction|request)(?: to (?:interpret|achieve|perform|execute|reach|complete))?`,
  userLabel: words`u|user|human`,
  agentLabel: words`a|ai|agent|assistant|bot`,
  memoLabel: words`m|memo|memory|note`,
  noHistory: words`no history( yet)?|none( yet)?|empty|nothing( yet)?|n\/a`,
  stepLabel: words`step`,
};
