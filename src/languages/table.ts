import { english } from "./en.ts";
import { german } from "./de.ts";
import { french } from "./fr.ts";
import { spanish } from "./es.ts";
import { portuguese } from "./pt.ts";
import { italian } from "./it.ts";
import { dutch } from "./nl.ts";
import { polish } from "./pl.ts";
import { russian } from "./ru.ts";
import { swedish } from "./sv.ts";
import { danish } from "./da.ts";
import { norwegian } from "./no.ts";
import { finnish } from "./fi.ts";
import { turkish } from "./tr.ts";
import { vietnamese } from "./vi.ts";
import { indonesian } from "./id.ts";
import { hindi } from "./hi.ts";
import { arabic } from "./ar.ts";
import { japanese } from "./ja.ts";
import { chinese } from "./zh.ts";
import { korean } from "./ko.ts";
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
