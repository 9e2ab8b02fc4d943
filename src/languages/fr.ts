import { type LanguageWords, words } from "./language.ts";

export const french: LanguageWords = {
  code: "fr",
  failureOpening: words`erreur|échec`,
  denial: words`n['’](?=\p{L})|ne|pas|aucune?|introuvable|échouée?`,
  fault: words`erreurs?|échecs?`,
  negation: words`aucune?|pas d['’e]|ne|sans`,
  announcing: words`je vais|laissez-moi`,
  actLabel: words`commande|coup`,
  goOn: words`continue[rz]?|vas-y|allez-y`,
  farewell: words`
    merci(?: beaucoup| bien)?|de rien|je (?:vous en|t en) prie|au revoir|à bientôt|cordialement|bien à vous|
    (?:bonne|excellente) (?:journée|soirée|nuit|continuation)`,
  courtesy: words`vous|aussi|également|à|et|pour|votre|aide|bien|une|plaisir|avec|le|les|de|toi`,
  writeVerb: words`creer|créer|ecrire|écrire|enregistrer|supprimer|modifier|ajouter|réserver`,
  tally: words`échecs|erreurs`,
  and: words`et|ou`,
  through: words`à|a|au`,
  all: words`tou(?:te)?s les|les`,
  doing: words`
    (?:re)?lance[rz]?|exécute[rz]?|répète[rz]?|clique[rz]?|appuie[rz]?|vérifie[rz]?|teste[rz]?|appelle[rz]?|
    envoie|envoyer|(?:ré)?essaie|fais|faites|mesure[rz]?|actualise[rz]?|recharge[rz]?|surveille[rz]?|consulte[rz]?|regarde[rz]?`,
  numbers: words`deux|trois|quatre|cinq|six|sept|huit|neuf|dix|vingt|cinquante|cent`,
  times: words`fois|tours|itérations|exécutions`,
  endless: words`
    encore et encore|sans (?:arrêt|cesse)|en boucle|en continu|(?:dizaines|douzaines) de fois|de nombreuses fois|
    toutes les (?:\d{1,3} |cinq |dix )?(?:secondes|minutes|heures)|chaque (?:seconde|minute|heure)|
    pendant (?:la prochaine |les prochaines |une )?(?:\d{1,3} |dix )?(?:prochaines )?(?:secondes?|minutes?|heures?)`,
  until: words`jusqu['’]à ce qu|jusqu['’]à l['’](?:échec|erreur)|tant qu`,
  failing: words`échou\p{L}*|échecs?|erreurs?`,
};
