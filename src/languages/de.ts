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
};
