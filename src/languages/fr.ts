import { type LanguageWords, words } from "./language.ts";

export const french: LanguageWords = {
  code: "fr",
  failureOpening: words`erreur|échec`,
  denial: words`n['’](?=\p{L})|ne|pas|aucune?|introuvable|inconnue?|invalide|expirée?|dépassée?|échouée?|refusée?`,
  fault: words`erreurs?|échecs?|échoué\p{L}*`,
  negation: words`aucune?|pas d['’e]|ne|sans`,
  announcing: words`je vais|laissez-moi`,
  goOn: words`continue[rz]?|vas-y|allez-y`,
  farewell: words`
    merci(?: beaucoup| bien)?|de rien|je (?:vous en|ten|t en) prie|au revoir|à bientôt|prenez soin de vous|
    prends soin de toi|(?:bonne|excellente) (?:journée|soirée|nuit|continuation|fin de journée)`,
  courtesy: words`
    vous|aussi|également|à|et|pour|votre|ton|aide|beaucoup|bien|une|belle|bonne|journée|soirée|plaisir|avec|le|les|
    de|tout|toi|salut|madame|monsieur|excellente`,
  writeVerb: words`
    creer|créer|ecrire|écrire|enregistrer|supprimer|modifier|éditer|remplacer|ajouter|réserver|acheter`,
  tally: words`échecs|erreurs`,
  and: words`et|ou`,
  through: words`à|a|au`,
  all: words`tous les|toutes les|les`,
  doing: words`
    (?:re)?lance[rz]?|exécute[rz]?|répète[rz]?|répéter|répétez|clique[rz]?|appuie[rz]?|vérifie[rz]?|teste[rz]?|appelle|
    appelez|appeler|envoie|envoyer|envoyez|(?:ré)?essaie|(?:ré)?essaye[rz]|refais|refaire|fais|faites|faire|mesure[rz]?|actualise[rz]?|
    recharge[rz]?|surveille[rz]?|interroge[rz]?|consulte[rz]?|regarde[rz]?|tourner`,
  numbers: words`deux|trois|quatre|cinq|six|sept|huit|neuf|dix|onze|douze|quinze|vingt|trente|cinquante|cent`,
  times: words`fois|tours|itérations|exécutions|répétitions`,
  endless: words`
    encore et encore|sans (?:arrêt|cesse)|en boucle|à répétition|en continu|(?:quelques |des |plusieurs )?(?:dizaines|douzaines) de fois|
    de nombreuses fois|toutes les (?:\d{1,3} |deux |cinq |dix )?(?:secondes|minutes|heures)|chaque (?:seconde|minute|heure)|
    (?:pendant|durant) (?:la prochaine |les (?:prochaines )?|une |environ )?(?:\d{1,3} |cinq |dix )?(?:prochaines )?(?:secondes?|minutes?|heures?)`,
  until: words`jusqu['’]à ce qu|jusqu['’](?:au premier |à l['’]|à la première )(?:échec|erreur)|tant qu`,
  failing: words`échou\p{L}*|échecs?|erreurs?|plante`,
};
