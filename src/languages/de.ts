import type { LanguageWords } from "./language.ts";

export const german: LanguageWords = {
  code: "de",
  failureOpening: "fehler|fehlgeschlagen",
  failureClause: "konnte nicht",
  failureState: "fehlgeschlagen",
  failureField: "fehler(meldung)?",
  refusalState: "abgelehnt|verweigert",
  denial:
    String.raw`nicht|kein\p{L}{0,2}|ungültig\p{L}{0,2}|unmöglich|fehlgeschlagen|abgelaufen|überschritten|` +
    "verweigert|zeitüberschreitung",
  fault: String.raw`fehler\p{L}*`,
  faulty: String.raw`fehlgeschlagen\p{L}*`,
  negation: "keine?[nrs]?|nicht|ohne",
  notBeside: "weil|wegen",
  announcing: String.raw`ich werde|lass mich|ich (?:\p{L}{2,16} )?(?:jetzt|nun|gleich)|jetzt \p{L}{2,16} ich`,
  atOnce: "sofort|umgehend",
  beginning: "ich (?:beginne|fange|starte)",
  goOn: "weiter(?: so)?|mach weiter|fortfahren",
  please: "bitte",
  pleaseBehind: "bitte",
  calls: "werkzeug|funktion",
  answers: "antwort|ausgabe",
  farewell:
    "(?:vielen |herzlichen |besten )?dank|danke(?: schön| sehr)?|gern geschehen|" +
    "bitte (?:schön|sehr)|auf wieder(?:sehen|hören)|tsch(?:ü|ue)ss|bis (?:bald|dann|später)|" +
    String.raw`mach(?:s| es)? gut|(?:einen )?(?:\p{L}+ ){0,2}(?:schönen|guten) (?:tag|abend)`,
  courtesy:
    "ihnen|dir|euch|auch|ebenfalls|gleichfalls|und|einen|eine|schön|schöne|schönen|guten|gute|tag|abend|woche|" +
    "wochenende|noch|für|ihre|deine|die|der|das|hilfe|gern|gerne|alles|wünsche|ich|sehr|viel|spaß|herr|frau|mal|" +
    "wieder",
  request: "bitte|möchte|brauche|können|könnten|aber|ändern|stornieren|ja",
  thinkVerb: "denken|nachdenken|überlegen",
  sendVerb: "senden",
  writeVerb:
    "erstellen|anlegen|schreiben|speichern|löschen|loeschen|aktualisieren|ändern|aendern|bearbeiten|ersetzen|" +
    "ersetze|hinzufügen|buchen|bezahlen",
  attempt: "versuch",
  rationale: "grund|begründung",
  tally: "fehler|fehlgeschlagen",
  and: "und|oder",
  upTo: "bis",
};
