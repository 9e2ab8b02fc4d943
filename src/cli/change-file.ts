import { type FileHandle, open, readFile, realpath, rename, rm, stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { UnloopError } from "../errors.ts";

/** Another change takes milliseconds. */
const PATIENCE_MS = 5_000;

/**
 * Changes the text of a file, one process at a time: of a link the file that it leads to. A reader sees the text before or behind
 * the change, and the mode stays. @throws UnloopError `bad_setting` where it cannot be written, and whatever `change` throws
 */
export async function changeFile(path: string, change: (text: string) => string): Promise<void> {
  try {
    const file = await realpath(path);
    const draft = `${file}.unloop.new`;
    const handle = await opened(draft);
    try {
      await handle.chmod((await stat(file)).mode);
      await handle.writeFile(change(await readFile(file, "utf8")));
      await handle.close();
      await rename(draft, file);
    } catch (error) {
      await handle.close().catch(() => undefined);
      await rm(draft, { force: true });
      throw error;
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
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await open(draft, "wx", 0o600);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    }
    if (Date.now() > until)
      throw new UnloopError("bad_setting", `${draft} is written by another process. Remove it if there is none.`);
    await sleep(25);
  }
}
