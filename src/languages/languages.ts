/** Words of human languages: a row for each language, from which regular expressions are built. */
export { alternatives, alternativesBesides, type Category, HAN, UNSPACED_SCRIPTS } from "./alternatives.ts";
export { LANGUAGES } from "./table.ts";
