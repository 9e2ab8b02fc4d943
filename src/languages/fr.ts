import type { LanguageWords } from "./language.ts";

export const french: LanguageWords = {
  code: "fr",
  failureOpening: "erreur|échec",
  failureClause: "impossible d(?:e |')",
  failureState: "échec",
  failureField: "erreur",
  refusalState: "refusée?|rejetée?",
  denial: String.raw`n['’](?=\p{L})|ne|pas|aucune?|introuvable|inconnue?|invalide|expirée?|dépassée?|échouée?|refusée?`,
  fault: "erreurs?|échecs?",
  faulty: String.raw`échoué\p{L}*`,
  negation: "aucune?|pas d['’e]|ne|sans",
  notBeside: "car",
  announcing: "je vais|laissez-moi",
  atOnce: "tout de suite|immédiatement|dès maintenant",
  beginning: "je commence|je m'y mets|je procède",
  goOn: "continue[rz]?|vas-y|allez-y",
  please: "s(?:'|’)il (?:te|vous) pla[iî]t",
  calls: String.raw`outils?\b|fonctions?\b`,
  answers: "réponse|répond",
  farewell:
    "merci(?: beaucoup| bien)?|de rien|je (?:vous en|ten|t en) prie|au revoir|à bientôt|prenez soin de vous|" +
    "prends soin de toi|(?:bonne|excellente) (?:journée|soirée|nuit|continuation|fin de journée)",
  courtesy:
    "vous|aussi|également|à|et|pour|votre|ton|aide|beaucoup|bien|une|belle|bonne|journée|soirée|plaisir|avec|le|" +
    "les|de|tout|toi|salut|madame|monsieur|excellente",
  request: "veux|voudrais|pouvez|pourriez|peux|besoin|mais|annuler|changer|réserver|oui",
  thinkVerb: "penser|réflexion",
  sendVerb: "envoyer",
  writeVerb: "creer|créer|ecrire|écrire|enregistrer|supprimer|modifier|éditer|remplacer|ajouter|réserver|acheter",
  attempt: "essai",
  rationale: "motif|raison",
  tally: "échecs|erreurs",
  and: "et|ou",
  upTo: "à",
};
