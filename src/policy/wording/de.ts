import type { Sentences } from "./en.ts";

export const germanSentences: Sentences = {
  and: " und ",

  "seen:call": "Du hast denselben Aufruf {count}-mal mit demselben Ergebnis gemacht: {calls}.",
  "seen:any-call": "Du hast denselben Aufruf {count}-mal gemacht: {calls}.",
  "seen:index": "Die Aktion „{tool}“ auf Index {index} wurde {count}-mal ohne Erfolg wiederholt: {calls}.",
  "seen:foreseen": "Du wolltest gerade dasselbe noch einmal tun, zum {count}. Mal: {calls}.",
  "seen:failure": "{count} Versuche dieser Art sind fehlgeschlagen: {calls}.",
  "seen:failures": "Du bist {count}-mal in Folge gescheitert, zuletzt mit {calls}.",
  "seen:cycle": "Du drehst dich im Kreis: {count} Runden derselben Aufrufe mit denselben Ergebnissen, zuletzt {calls}.",
  "seen:answer": "{count} verschiedene Aufrufe haben dieselbe Antwort gebracht, zuletzt {calls}.",
  "seen:poll": "Du hast {count}-mal nachgesehen, und nichts hat sich geändert: {calls}.",
  "seen:message": "Du hast {count}-mal dieselbe Nachricht gesendet oder etwas angekündigt, ohne es zu tun.",
  "seen:similar": "Du hast {count} ähnliche Nachrichten in Folge gesendet.",
  "seen:heard": "Dir wurde {count}-mal in Folge fast dasselbe gesagt.",
  "seen:exchange": "Beide Seiten haben {count} Runden lang wieder dasselbe gesagt.",
  "seen:explanation": "Du hast {count} Schritte in Folge gleich begründet, zuletzt {calls}.",
  "seen:no-call": "Du hast {count} Schritte lang nur geredet und kein Werkzeug aufgerufen.",
  "seen:closure": "Beide Seiten haben sich {count} Runden lang nur verabschiedet.",
  "seen:steps": "Dieser Lauf hat {count} seiner {limit} Schritte gemacht.",
  "seen:tokens": "Dieser Lauf hat {count} seiner {limit} Token verbraucht.",
  "seen:cost": "Dieser Lauf hat {count} von {limit} verbraucht, die er kosten darf.",
  "seen:seconds": "Dieser Lauf dauert seit {count} von {limit} Sekunden.",
  "seen:retries":
    "Dieselbe Anfrage kam {count}-mal innerhalb von {seconds} Sekunden, ohne dass ihr Verlauf gewachsen wäre.",
  "seen:novelty": "{count} deiner letzten Aufrufe brachten, was du schon wusstest, zuletzt {calls}.",
  "seen:circles": "Deine letzten Schritte drehen sich im Kreis und bringen nichts Neues, zuletzt {calls}.",
  "seen:circles-of-talk":
    "Deine letzten Nachrichten drehen sich im Kreis: Sie sagen noch einmal, was schon gesagt war.",
  "seen:agents": "Du hast {count} Unteragenten gestartet, bei jedem Schritt mehr.",
  "seen:compactions": "Der Verlauf wurde {count}-mal in Folge verdichtet, und dazwischen wurde nichts geändert.",
  "seen:met": "Das Ziel ist erreicht: Der Zustand wurde mit {after} von 10 bewertet.",
  "seen:no-nearer":
    "{calls} hat dich dem Ziel nicht näher gebracht (vorher mit {before}, jetzt mit {after} von 10 bewertet), aber von dort ist noch nicht alles versucht.",
  "seen:exhausted":
    "{calls} hat dich dem Ziel nicht näher gebracht (vorher mit {before}, jetzt mit {after} von 10 bewertet), und von dort ist alles versucht.",
  "seen:same-state": "Derselbe Zustand ist {count}-mal eingetreten.",
  "seen:farther": "Du hast dich {count}-mal in Folge vom Ziel entfernt; zuletzt wurde mit {after} von 10 bewertet.",
  "seen:plan-steps": "Dieser Plan hat {count} Aktionen gebraucht, ohne das Ziel zu erreichen.",
  "seen:unreachable": "Von hier aus ist das Ziel nicht zu erreichen.",

  "advice:call":
    "Es noch einmal zu tun bringt nichts Neues. Nimm das Ergebnis für den nächsten Schritt, oder gehe anders vor.",
  "advice:failure":
    "Derselbe Versuch wird wieder scheitern. Lies den Fehler und ändere, was er nennt, oder erreiche das Ziel auf einem anderen Weg.",
  "advice:cycle":
    "Eine weitere Runde endet wie diese. Entscheide mit dem, was du gesehen hast, oder tu etwas, das du noch nicht versucht hast.",
  "advice:answer":
    "Weitere Varianten werden daran kaum etwas ändern. Nimm die Antwort, wie sie ist, oder sieh woanders nach.",
  "advice:poll-longer":
    "Warte im Aufruf selbst: Gib {argument} einen größeren Wert, etwa {value}, oder mach mit etwas weiter, das nicht davon abhängt.",
  "advice:poll":
    "Warte deutlich länger, bevor du wieder nachsiehst, oder mach mit etwas weiter, das nicht davon abhängt.",
  "advice:message": "Handle jetzt mit einem Werkzeugaufruf, oder gib deine endgültige Antwort.",
  "advice:closure": "Beende das Gespräch jetzt, oder sag, was noch fehlt.",
  "advice:steps": "Komm bald zum Ende: Tu nur noch das Wichtigste, oder schließe mit dem ab, was du hast.",
  "advice:retries":
    "Dasselbe noch einmal zu fragen hilft nicht: Warte, frage anders, oder schließe mit dem ab, was du hast.",
  "advice:novelty": "Schreib auf, was du weißt, und handle danach, oder sieh dir an, was du noch nicht gesehen hast.",
  "advice:agents": "Starte keine weiteren: Lies, was sie gebracht haben, oder tu selbst, was noch fehlt.",
  "advice:compactions":
    "Ändere jetzt etwas mit dem, was du weißt, in kleinen Schritten und mit kurzen Ausgaben, oder schließe mit dem ab, was du hast.",
  "advice:fallback": "Tu stattdessen dies: {fallback}.",
  "advice:option": "Bleib dabei und versuche als Nächstes dies: {option}.",
  "advice:options":
    "Bleib dabei und versuche dort etwas, das du noch nicht versucht hast, oder stelle fest, dass nichts übrig ist.",
  "advice:revert": "Nimm dann von dort einen anderen Weg.",
  "undo:checkbox": "Mach es rückgängig: Klicke noch einmal auf dieselbe Stelle, damit sie zurückgesetzt wird.",
  "undo:dialog": "Mach es rückgängig: Klicke im Dialog auf „Abbrechen“ oder „Schließen“.",
  "undo:text": "Mach es rückgängig: Leere das Feld (Strg+A, Entf).",
  "undo:menu": "Mach es rückgängig: Drücke Esc oder klicke daneben, damit sich das Menü schließt.",
  "undo:window": "Mach es rückgängig: Schließe das Fenster (X oder Alt+F4).",
  "undo:other":
    "Mach es rückgängig: Es gibt keinen festen Weg, also vergleiche den Zustand jetzt mit dem davor und finde den Weg zurück.",

  came: "Zurück kam (Zitat): {outcome}.",
  intended: "Wenn das so gewollt ist, mach weiter.",
  "answer-now": "Werkzeuge stehen nicht mehr zur Verfügung. Gib jetzt deine endgültige Antwort.",
  "call-now":
    "Nur noch „{doneTool}“ steht zur Verfügung: Es ist dein einziges Werkzeug, und keines der anderen, die du im Verlauf oder in Beispielen siehst, kann aufgerufen werden. Rufe es jetzt auf. Wenn die Aufgabe nicht so vollständig erledigt ist, wie es verlangt war, sage das (success=false, wo es danach fragt), sonst success=true.",
  terminated: "Deshalb beenden wir den Agenten.",
  include: "Nimm alles auf, was du bisher herausgefunden hast, und sage, was fehlt und warum.",
  tried: "Versucht: {tried}.",
  undone: "Rückgängig gemacht: {undone}.",
  why: "Warum es nicht zum Ziel führt: {reason}.",
  success:
    "Melde mit dem Ergebnis, dass es erledigt ist (success=true, wo es danach fragt). Wenn du weißt, dass etwas fehlt, sage stattdessen das.",
  cancelled: "Der Plan ist aufgegeben: Melde, dass es nicht erledigt ist (success=false, wo es danach fragt).",
  task: "Die Aufgabe war: {task}",
  stopped: "Dieser Lauf wurde beendet, weil er sich im Kreis drehte.",
  closed: "Dieses Gespräch ist abgeschlossen. Auf Wiedersehen!",
  "stopped:talk":
    "Dieses Gespräch ist zu Ende, da nichts Neues mehr gesagt wurde. Mit einer neuen Nachricht geht es weiter.",
  "stopped:budget": "Dieser Lauf wurde beendet, weil sein Budget verbraucht ist.",
  "stopped:plan": "Dieser Plan wurde abgebrochen, weil er nicht zum Ziel führt.",
  "stopped:operator": "Dieser Lauf wurde von einem Betreiber beendet. Grund: {reason}",
  "recover:budget":
    "Die Aufgabe ist möglicherweise nicht fertig. Sie kann in einer neuen Sitzung oder mit einem größeren Budget weitergehen.",
  recover: "Die Aufgabe ist möglicherweise nicht fertig. Mit einer neuen Anweisung geht es weiter.",
  "nothing-new": "Die Verarbeitung ist abgeschlossen, aber es gibt nichts Neues zu sagen.",
};
