import { type LanguageWords, words } from "./language.ts";

export const german: LanguageWords = {
  code: "de",
  failureOpening: words`fehler|fehlgeschlagen`,
  denial: words`nicht|kein\p{L}{0,2}|ungültig\p{L}{0,2}|fehlgeschlagen|abgelaufen`,
  fault: words`fehler\p{L}*`,
  negation: words`keine?[nrs]?|nicht|ohne`,
  announcing: words`ich werde|lass mich|ich (?:\p{L}{2,16} )?(?:jetzt|nun|gleich)`,
  actLabel: words`kommando|befehl|aktion`,
  goOn: words`weiter(?: so)?|mach weiter|fortfahren`,
  farewell: words`
    (?:vielen |herzlichen |besten )?dank|danke(?: schön| sehr)?|gern geschehen|bitte (?:schön|sehr)|
    auf wieder(?:sehen|hören)|tschüss|bis (?:bald|dann|später)|alles gute|(?:viele|beste|liebe|freundliche) grüße|vergnügen|
    (?:einen )?(?:\p{L}+ ){0,2}(?:schöne[ns]?|guten) (?:tag|abend|feierabend|woche|wochenende)`,
  courtesy: words`ihnen|dir|auch|ebenfalls|gleichfalls|und|einen|noch|für|ihre|die|hilfe|gerne|wünsche|ich|sehr`,
  writeVerb: words`erstellen|anlegen|schreiben|speichern|löschen|aktualisieren|ändern|buchen`,
  tally: words`fehler|fehlgeschlagen`,
  and: words`und|oder`,
  through: words`bis`,
  all: words`alle`,
  doing: words`
    führe?|\p{L}{0,3}führen|starten?|laufen|lass\p{L}?|wiederholen?|klicken?|drücken?|\p{L}{0,4}prüfen?|testen?|
    \p{L}{0,3}rufen?|senden?|schicken?|messen|versuchen?|mache?|laden?|aktualisieren?|schauen?|beobachten?|überwachen?`,
  numbers: words`zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|zwanzig|fünfzig|hundert`,
  times: words`male?|durchläufe|läufe|runden`,
  endless: words`
    immer wieder|wieder und wieder|ständig|laufend|in (?:einer )?(?:endlos)?schleife|dutzende? ?mal|viele male|
    alle \d{0,3} ?(?:sekunden|minuten|stunden)|jede (?:sekunde|minute|stunde)|
    die nächsten? (?:\d{1,3} |zehn )?(?:sekunden|minuten?|stunden?)`,
  until: words`bis (?=(?:er|sie|es|der|die|das|eine?r?|alle|nichts|keine?r?|etwas|ich) |zum (?:ersten )?fehler)`,
  failing: words`fehlschläg\p{L}*|schlägt|scheiter\p{L}*|fehler\p{L}*`,
};
