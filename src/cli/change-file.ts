import { type FileHandle, open, readFile, realpath, rename, rm, stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { UnloopError } from "../errors.ts";

/** Another change takes milliseconds. */
const PATIENCE_MS = 5_000;

/**
 * Changes the text of a file, one process at a time: of a link the file that it leads to. A reader sees the text before or behind
 * the change, and the mode stays; a text that stays as it was is not written.
 * @throws UnloopError `bad_setting` where it cannot be written, and whatever `change` throws
 */
export async function changeFile(path: string, change: (text: string) => string): Promise<void> {
  try {
    const file = await realpath(path);
    const draft = `${file}.unloop.new`;
    const handle = await opened(draft);
    let isOurs = true;
    try {
      const text = await readFile(file, "utf8");
      const changed = change(text);
      if (changed === text) return;
      await handle.chmod((await stat(file)).mode);
      await handle.writeFile(changed);
      await rename(draft, file);
      isOurs = false;
    } finally {
      await handle.close();
      if (isOurs) await rm(draft, { force: true });
    }
  } catch (error) {
    if (error instanceof UnloopError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new UnloopError("bad_setting", `${path} cannot be changed (${why}). Correct its permissions.`, {
      cause: error,
    });
  }
}

/** The draft is the lock, too: it is there for as long as one process changes the file. */
async function opened(draft: string): Promise<FileHandle> {
  for (const until = Date.now() + PATIENCE_MS; Date.now() < until; await sleep(25)) {
    try {
      return await open(draft, "wx", 0o600);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    }
  }
  throw new UnloopError("bad_setting", `${draft} is there: another process writes it, or has died. Remove it then.`);
}
