import type { SessionStore, ThreadKey } from "../store/store.ts";
import type { Bookmark, Bookmarks } from "./bookmarks.ts";
import { ledgerText } from "./ledger-text.ts";
import { pointerTo } from "./trail.ts";

/** A store that is behind: what only a bookmark knows is put away in it before anyone reads or writes that. */
export function behind(bookmarks: Bookmarks, store: SessionStore, ttlMs: number): SessionStore {
  const settle = async (key: ThreadKey): Promise<void> => {
    const bookmark = bookmarks.take(key);
    if (bookmark !== undefined && !bookmark.isSaved) await putAway(bookmark, store, ttlMs);
  };
  return {
    async read(key) {
      await settle(key);
      return store.read(key);
    },
    async write(key, json, expectedVersion, writeTtlMs) {
      await settle(key);
      return store.write(key, json, expectedVersion, writeTtlMs);
    },
    async remove(key) {
      await settle(key);
      await store.remove(key);
    },
    close: () => store.close(),
  };
}

/** @throws whatever the store throws. */
export async function putAway(bookmark: Bookmark, store: SessionStore, ttlMs: number): Promise<void> {
  const { identity, save, version, alias } = bookmark;
  const json = ledgerText(save);
  // The store may have forgotten the thread meanwhile; whatever else it has of it is newer.
  const isOurs =
    (await store.write(identity.thread, json, version, ttlMs)) ||
    (version > 0 && (await store.write(identity.thread, json, 0, ttlMs)));
  if (isOurs && alias !== undefined) await store.write(alias, pointerTo(identity), 0, ttlMs);
}
