import { plainText } from "./speech.ts";

/** Longer texts say more than goodbye. In characters. */
const LONGEST = 200;

/** Words that are neither courtesy nor a request and may still stand in a farewell: a name. */
const STRANGERS = 1;
/** The same in scripts without spaces. In characters. */
const STRANGE_CHARACTERS = 4;

/** A question or a figure shows that the speaker wants to go on. */
const MORE = /[?？¿\p{N}]/u;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/**
 * Length, in characters, of a text that does nothing but end a conversation: it has a closing phrase (English, Japanese,
 * Chinese, Spanish, German, French) and otherwise only courtesies. Undefined for every text that asks, tells or wants something.
 */
export function closingLength(text: string): number | undefined {
  const trimmed = text.trim();
  if (trimmed === "" || trimmed.length > 2 * LONGEST || MORE.test(trimmed)) return undefined;
  const length = Array.from(trimmed).length;
  return length <= LONGEST && isFarewell(plainText(trimmed.replace(/['’‘ʼ`´]/g, ""))) ? length : undefined;
}

function isFarewell(plain: string): boolean {
  const unclosed = plain.replace(CLOSING, " ").replace(CLOSING_UNSPACED, " ");
  const rest = unclosed.replace(OFFER, " ").replace(OFFER_UNSPACED, " ");
  if (unclosed === plain || REQUEST_UNSPACED.test(rest)) return false;
  const words = rest.split(" ").filter(Boolean);
  const spaced = words.filter((word) => !UNSPACED.test(word));
  const unspaced = words.filter((word) => UNSPACED.test(word)).join("");
  if (spaced.some((word) => REQUEST.has(word))) return false;
  return (
    spaced.filter((word) => !COURTESY.has(word)).length <= STRANGERS &&
    Array.from(unspaced.replace(COURTESY_UNSPACED, "")).length <= STRANGE_CHARACTERS
  );
}

/** In letters of any script: `\b` knows ASCII alone. */
const phrase = (alternatives: readonly string[]) =>
  new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${alternatives.join("|")})(?![\p{L}\p{N}])`, "gu");
const anyOf = (alternatives: string) => new RegExp(alternatives.split(" ").join("|"), "gu");
const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

/** Any of these makes it a closing, if nothing else is said. Plain: lower case, no apostrophes, no punctuation. */
const CLOSING = phrase([
  String.raw`have an? (?:\p{L}+ ){0,2}(?:day|evening|night|weekend|week|morning|afternoon|time|one|trip|flight|stay|journey)`,
  "(?:youre|you are|your) (?:very |most |so |always )?welcome|most welcome",
  "(?:many )?thanks|thank (?:you|u|ya)|thx|much obliged",
  "(?:good ?)?bye(?: ?bye)?|farewell|take care|good ?night|all the best|best wishes|safe travels",
  "see (?:you|ya)(?: (?:soon|later|around|then|again|there|next time))?|until next time|talk (?:to you )?(?:soon|later)",
  // Spanish
  "(?:muchas |mil )?gracias|de nada|no hay de qué|adi[oó]s|hasta (?:luego|pronto|la próxima|mañana)|cuídate|cuídese|chao",
  String.raw`(?:que )?(?:tenga|tengas|pase|pases) (?:un |una )?(?:\p{L}+ ){0,2}(?:día|tarde|noche|semana)`,
  // German
  "(?:vielen |herzlichen |besten )?dank|danke(?: schön| sehr)?|gern geschehen|bitte (?:schön|sehr)|auf wieder(?:sehen|hören)",
  String.raw`tsch(?:ü|ue)ss|bis (?:bald|dann|später)|mach(?:s| es)? gut|(?:einen )?(?:\p{L}+ ){0,2}(?:schönen|guten) (?:tag|abend)`,
  // French
  "merci(?: beaucoup| bien)?|de rien|je (?:vous en|ten|t en) prie|au revoir|à bientôt|prenez soin de vous|prends soin de toi",
  "(?:bonne|excellente) (?:journée|soirée|nuit|continuation|fin de journée)",
]);
const CLOSING_UNSPACED = anyOf(
  "ありがとう(?:ございます|ございました)? 有難う(?:ございます|ございました)? どういたしまして さようなら さよなら バイバイ " +
    "(?:良|よ|い)い(?:一日|1日|週末|夜)を(?:お過ごしください|お過ごし下さい)? お(?:気|身体|体)を?(?:お?大切に|つけて)(?:ください|下さい)? " +
    "お大事に(?:なさってください)? お疲れ様(?:でした|です)? 失礼(?:いた|致)?します ではまた またね おやすみなさい " +
    "(?:非常|十分|太)?(?:感谢|感謝|谢谢|謝謝|多谢|多謝)(?:您|你)? 不客气 不客氣 不用谢 不用謝 别客气 再见 再見 再会 拜拜 " +
    "祝(?:您|你)?(?:有|度过|度過)?(?:一个|一個|个)?(?:美好|愉快|开心|開心|顺利|順利)的?(?:一天|一日|周末|週末|夜晚)? 祝(?:您|你)?(?:生活|旅途|周末)?愉快 " +
    "(?:多)?保重 一路(?:顺风|順風|平安) 慢走 晚安",
);

/** Whole turns of phrase whose words would be requests by themselves. */
const OFFER = phrase([
  "(?:thats|that is|that was|that will be|thatll be|that should be) (?:all|it|everything)(?: i (?:need|needed|wanted))?",
  "all i (?:need|needed|wanted)|(?:please )?(?:let (?:me|us) know|feel free to (?:ask|reach out|contact (?:me|us)))(?: anytime)?",
  "(?:if|whenever) (?:you (?:ever )?(?:need|have)|theres|there is) (?:me|us|anything|any(?: \\p{L}+)? (?:help|questions?|assistance))(?: else| more)?",
  "(?:dont|do not) (?:mention it|hesitate(?: to (?:reach out|ask|contact (?:me|us)))?)|no (?:problem|worries|trouble)",
  "(?:i )?(?:will|ill) do|i(?:m| am) (?:glad|happy) (?:i|we) (?:could|can) help|(?:glad|happy) to (?:help|assist)",
]);
const OFFER_UNSPACED = anyOf(
  "(?:また)?何か(?:あれば|ありましたら|ございましたら)\\s?(?:いつでも)?(?:お知らせ|お申し付け|ご連絡|お声がけ)?(?:ください|下さい)? " +
    "(?:如果|如)?(?:您|你)?(?:还|還)?有(?:任何|其他|别的|什么)?(?:需要|问题|問題)?(?:的话)?\\s?(?:请|請)?(?:随时|隨時)(?:联系|聯繫|告诉|告訴|找)(?:我|我们|我們)?",
);
const COURTESY_UNSPACED = anyOf(
  "こちらこそ 本当に とても どうも 誠に また いつでも どうぞ それでは では お手伝いできて 嬉しいです うれしいです よかったです お役に立てて " +
    "何よりです ご利用 いただき お問い合わせ 助かりました ございます です ます ました ね よ 。 、 " +
    "您也一样 你也一样 您也是 你也是 也祝您 也祝你 同样 很高兴 能够? 帮到 帮助 您的 你的 您 你 我 也 非常 好的 啊 哦 呢 了 的",
);

const COURTESY = words(
  // English
  "you your too as well so very much really kindly again also have has a an the to be is was it its this that those these and with from for of in on at " +
    "my me i im ill we us our all everything everyone now today tonight tomorrow then there here help helping helpful support assistance assisting " +
    "great good nice lovely wonderful fantastic amazing excellent perfect awesome fine okay ok alright right cool sure no nothing else more than " +
    "glad happy pleasure appreciate appreciated appreciation could can dear sir madam maam mr mrs ms day evening night morning afternoon weekend week time " +
    "rest enjoy enjoyed safe soon later look forward looking hope best regards kind kindness patience understanding " +
    "time info information update anytime always welcome back meet meeting talk talking chatting speaking goodness just same likewise yourself friend everyone " +
    "hi hello oh well yeah ciao cheers wish wishing sounds out up everybody see " +
    // Spanish
    "igualmente usted ustedes ti para por su tu ayuda mucho muchas muchos muy buen buena buenas buenos día días tarde tardes noche noches lindo feliz también a la el todo con que le te gusto placer un una " +
    // German
    "ihnen dir euch auch ebenfalls gleichfalls und einen eine schön schöne schönen guten gute tag abend woche wochenende noch für ihre deine die der das hilfe gern gerne alles wünsche ich sehr viel spaß herr frau mal wieder " +
    // French
    "vous aussi également à et pour votre ton aide beaucoup bien une belle bonne journée soirée plaisir avec le les de tout toi salut madame monsieur excellente",
);

/** A farewell that holds one of these wants, asks, answers or announces something. */
const REQUEST = words(
  "please but however wait actually instead another except unless although though yes stop " +
    "need needed want wanted like would should must can't cannot cant dont didnt doesnt wont not wrong incorrect issue problem error " +
    "cancel change book add remove send check tell show give find update refund return exchange order transfer proceed continue confirm " +
    "make modify fix try call email buy pay schedule explain describe list open close submit ask question how what when where why which who " +
    "first next before after once if while because " +
    "quiero quisiera necesito puede puedes podría pero cambiar cancelar reservar sí " +
    "bitte möchte brauche können könnten aber ändern stornieren ja " +
    "veux voudrais pouvez pourriez peux besoin mais annuler changer réserver oui",
);
const REQUEST_UNSPACED =
  /(?:して|って|いて|えて|んで)(?:ください|下さい|ほしい)|お願い|したい|教えて|もう一つ|もうひとつ|それと|あと|ところで|でも|しかし|ですか|ますか|请|請|帮我|幫我|还有|還有|另外|但是|不过|我想|我要|吗|嗎|取消|能不能|麻烦|麻煩/u;
