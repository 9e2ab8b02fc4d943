import {
  arabic,
  danish,
  dutch,
  finnish,
  hindi,
  indonesian,
  italian,
  korean,
  norwegian,
  polish,
  russian,
  swedish,
  turkish,
  vietnamese,
} from "./few-words.ts";
import { english } from "./en.ts";
import { german } from "./de.ts";
import { french } from "./fr.ts";
import { spanish } from "./es.ts";
import { portuguese } from "./pt.ts";
import { japanese } from "./ja.ts";
import { chinese } from "./zh.ts";
import type { LanguageWords } from "./language.ts";

/** All languages that words are known of; their alternatives are tried in this order. */
export const LANGUAGES: readonly LanguageWords[] = [
  english,
  german,
  french,
  spanish,
  portuguese,
  italian,
  dutch,
  polish,
  russian,
  swedish,
  danish,
  norwegian,
  finnish,
  turkish,
  vietnamese,
  indonesian,
  hindi,
  arabic,
  japanese,
  chinese,
  korean,
];
