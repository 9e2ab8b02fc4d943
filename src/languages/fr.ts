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
};
