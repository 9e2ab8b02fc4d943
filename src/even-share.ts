/** Space that several owners share: who takes up most beyond an even share makes room first, with what it used least recently. */
export interface SharedSpace {
  /** Takes up so much for a key, in place of what it took up before; the key counts as used now. */
  put(key: string, owner: string, weight: number): void;
  /** Counts as use. */
  touch(key: string): void;
  remove(key: string): void;
  /** The key that has to make room now; undefined while there is room for all. */
  crowded(): string | undefined;
  /** Taken up by all. */
  taken(): number;
}

/** What all owners take up together, at most. */
export interface SpaceBounds {
  readonly weight: number;
  readonly keys?: number;
}

interface Owner {
  readonly name: string;
  taken: number;
  /** Weights by key. A Map remembers the order of insertion, so its first keys are the least recently used. */
  readonly keys: Map<string, number>;
}

type Measure = (owner: Owner) => number;
const byWeight: Measure = ({ taken }) => taken;
const byKeys: Measure = ({ keys }) => keys.size;

export function sharedSpace({ weight: most, keys: mostKeys = Number.POSITIVE_INFINITY }: SpaceBounds): SharedSpace {
  const owners = new Map<string, Owner>();
  const ownerOf = new Map<string, Owner>();
  let taken = 0;
  let latest: Owner | undefined;
  let heaviest: Owner | undefined;

  function remove(key: string): void {
    const owner = ownerOf.get(key);
    const weight = owner?.keys.get(key);
    if (owner === undefined || weight === undefined) return;
    ownerOf.delete(key);
    owner.keys.delete(key);
    owner.taken -= weight;
    taken -= weight;
    if (owner.keys.size === 0) owners.delete(owner.name);
  }

  /** All are looked at only where neither of two has more than its share: there may be thousands. */
  function crowding(measure: Measure, limit: number): Owner | undefined {
    const share = limit / owners.size;
    // Who has one key alone gives that up only if all others have less.
    const isOver = (owner: Owner | undefined): owner is Owner =>
      owner !== undefined && owner.keys.size > 1 && measure(owner) > share;
    if (isOver(heaviest)) return heaviest;
    if (isOver(latest)) return latest;
    let largest: Owner | undefined;
    for (const owner of owners.values())
      if (largest === undefined || measure(owner) > measure(largest)) largest = owner;
    return largest;
  }

  return {
    put(key, name, weight) {
      remove(key);
      const owner = owners.get(name) ?? { name, taken: 0, keys: new Map() };
      owners.set(name, owner);
      ownerOf.set(key, owner);
      owner.keys.set(key, weight);
      owner.taken += weight;
      taken += weight;
      latest = owner;
    },
    touch(key) {
      const keys = ownerOf.get(key)?.keys;
      const weight = keys?.get(key);
      if (keys === undefined || weight === undefined) return;
      keys.delete(key);
      keys.set(key, weight);
    },
    remove,
    crowded() {
      if (taken <= most && ownerOf.size <= mostKeys) return undefined;
      heaviest = taken > most ? crowding(byWeight, most) : crowding(byKeys, mostKeys);
      return heaviest?.keys.keys().next().value;
    },
    taken: () => taken,
  };
}
