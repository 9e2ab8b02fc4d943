/** The alternatives of a regular expression that stand in no group and no class. */
export function topLevel(source: string): readonly string[] {
  const found: string[] = [""];
  let depth = 0;
  for (const [part] of source.matchAll(/\\.|\[(?:\\.|[^\]\\])*\]|[\s\S]/gu)) {
    if (part === "(") depth++;
    if (part === ")") depth--;
    if (part === "|" && depth === 0) found.push("");
    else found[found.length - 1] += part;
  }
  return found;
}
