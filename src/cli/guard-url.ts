import { UnloopError } from "../errors.ts";

/** A guard's URL as `--guard` gives it. A host and port by themselves parse as a URL of an unknown scheme. @throws UnloopError `bad_setting` */
export function guardUrl(url: string): string {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url;
  throw new UnloopError(
    "bad_setting",
    `--guard must be a URL such as http://127.0.0.1:8787, not ${JSON.stringify(url)}.`,
  );
}
