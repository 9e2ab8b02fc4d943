import { type LanguageWords, words } from "./language.ts";

export const german: LanguageWords = {
  code: "de",
  failureOpening: words`fehler|fehlgeschlagen`,
  denial: words`
    nicht|kein\p{L}{0,2}|ungültig\p{L}{0,2}|unmöglich|fehlgeschlagen|abgelaufen|überschritten|verweigert|
    zeitüberschreitung`,
  fault: words`fehler\p{L}*|fehlgeschlagen\p{L}*`,
  negation: words`keine?[nrs]?|nicht|ohne`,
  announcing: words`ich werde|lass mich|ich (?:\p{L}{2,16} )?(?:jetzt|nun|gleich)|jetzt \p{L}{2,16} ich`,
  goOn: words`weiter(?: so)?|mach weiter|fortfahren`,
  farewell: words`
    (?:vielen |herzlichen |besten )?dank|danke(?: schön| sehr)?|gern geschehen|bitte (?:schön|sehr)|
    auf wieder(?:sehen|hören)|tsch(?:ü|ue)ss|bis (?:bald|dann|später)|mach(?:s| es)? gut|
    (?:einen )?(?:\p{L}+ ){0,2}(?:schönen|guten) (?:tag|abend)`,
  courtesy: words`
    ihnen|dir|euch|auch|ebenfalls|gleichfalls|und|einen|eine|schön|schöne|schönen|guten|gute|tag|abend|woche|
    wochenende|noch|für|ihre|deine|die|der|das|hilfe|gern|gerne|alles|wünsche|ich|sehr|viel|spaß|herr|frau|mal|
    wieder`,
  writeVerb: words`
    erstellen|anlegen|schreiben|speichern|löschen|loeschen|aktualisieren|ändern|aendern|bearbeiten|ersetzen|ersetze|
    hinzufügen|buchen|bezahlen`,
  tally: words`fehler|fehlgeschlagen`,
  and: words`und|oder`,
  through: words`bis`,
  all: words`alle|sämtliche`,
  doing: words`
    führe?|ausführen|starten?|laufen|lass|lasse|wiederholen?|klicken?|drücken?|prüfen?|überprüfen?|testen?|rufe?|
    abrufen|aufrufen|senden?|schicken?|messen|miss|versuchen?|probieren?|abfragen|pingen?|mache?|würfle|würfeln|
    laden?|aktualisieren?|schauen?|tippen?|schalten?|wirf|beobachten?|überwachen?`,
  numbers: words`zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|fünfzehn|zwanzig|dreißig|fünfzig|hundert`,
  times: words`male?|durchläufe|läufe|runden|wiederholungen`,
  endless: words`
    immer wieder|wieder und wieder|ständig|fortlaufend|laufend|pausenlos|in (?:einer )?(?:endlos)?schleife|
    (?:ein paar |einige )?dutzende? ?mal|(?:viele|unzählige) male|alle \d{0,3} ?(?:sekunden|minuten|stunden)|
    jede (?:sekunde|minute|stunde|halbe stunde)|die nächsten? (?:\d{1,3} |zwei |zehn )?(?:sekunden|minuten?|stunden?)|
    (?:\d{1,3}|eine|zehn) (?:sekunden|minuten?|stunden?) lang|so ?lange?`,
  until: words`bis (?=(?:er|sie|es|der|die|das|eine?r?|alle|nichts|keine?r?|jemand|etwas|ich) |zum (?:ersten )?fehler)`,
  failing: words`fehlschläg\p{L}*|schlägt|scheiter\p{L}*|fehler\p{L}*|stürzt`,
};
