const SENTENCES: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  ENOTDIR: "there is no such file",
  EISDIR: "it is a folder",
  EACCES: "this user has no right to read it",
  EPERM: "this user has no right to read it",
};

/** Why the operating system does not give a file, in words. Undefined for any other error. */
export function whyUnreadable(error: unknown): string | undefined {
  if (!(error instanceof Error && "syscall" in error && "code" in error)) return undefined;
  return SENTENCES[String(error.code)] ?? String(error.code);
}
