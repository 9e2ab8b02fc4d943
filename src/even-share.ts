/** What all owners keep together, at most. */
export interface SharedBounds {
  readonly weight: number;
  readonly keys?: number;
}

interface Owner {
  readonly name: string;
  taken: number;
  /** The least recently used first. */
  readonly keys: Set<string>;
}

interface Entry<Value> {
  readonly value: Value;
  readonly weight: number;
  readonly until: number;
  readonly owner: Owner;
}

type Measure = (owner: Owner) => number;
const byWeight: Measure = ({ taken }) => taken;
const byKeys: Measure = ({ keys }) => keys.size;

/**
 * A bounded map of several owners whose entries expire. In a full one room is made by who takes up most beyond an even share, with what
 * it used least recently. @param gone is told of each value that leaves
 */
export function sharedMap<Value>(
  { weight: most, keys: mostKeys = Number.POSITIVE_INFINITY }: SharedBounds,
  now: () => number,
  gone: (value: Value) => void = () => undefined,
) {
  const entries = new Map<string, Entry<Value>>();
  const owners = new Map<string, Owner>();
  let taken = 0;
  let heaviest: Owner | undefined;

  function remove(key: string): void {
    const entry = entries.get(key);
    if (entry === undefined) return;
    const { owner, weight, value } = entry;
    entries.delete(key);
    owner.keys.delete(key);
    owner.taken -= weight;
    taken -= weight;
    if (owner.keys.size === 0) owners.delete(owner.name);
    gone(value);
  }

  /** All are looked at only where neither of two has more than its share: there may be thousands. */
  function crowding(measure: Measure, limit: number, latest: Owner): Owner {
    const share = limit / owners.size;
    // Who has one key alone gives that up only if all others have less.
    const isOver = (owner: Owner): boolean => owner.keys.size > 1 && measure(owner) > share;
    if (heaviest !== undefined && isOver(heaviest)) return heaviest;
    if (isOver(latest)) return latest;
    let largest = latest;
    for (const owner of owners.values()) if (measure(owner) > measure(largest)) largest = owner;
    return largest;
  }

  /** One entry comes and up to two overdue ones go, so that the expired melt away without a timer. */
  function tidy(latest: Owner): void {
    let looked = 0;
    for (const [key, { until }] of entries) {
      if (looked === 2 || until > now()) break;
      remove(key);
      looked += 1;
    }
    while (taken > most || entries.size > mostKeys) {
      heaviest = taken > most ? crowding(byWeight, most, latest) : crowding(byKeys, mostKeys, latest);
      for (const key of heaviest.keys) {
        remove(key);
        break;
      }
    }
  }

  const standing = (key: string): Entry<Value> | undefined => {
    const entry = entries.get(key);
    return entry !== undefined && entry.until > now() ? entry : undefined;
  };

  return {
    /** Counts as use. */
    get(key: string): Value | undefined {
      const entry = standing(key);
      if (entry === undefined) return undefined;
      entries.delete(key);
      entries.set(key, entry);
      entry.owner.keys.delete(key);
      entry.owner.keys.add(key);
      return entry.value;
    },
    peek: (key: string): Value | undefined => standing(key)?.value,
    values: (): Value[] => [...entries.values()].filter(({ until }) => until > now()).map(({ value }) => value),
    set(key: string, name: string, weight: number, value: Value, ttlMs: number): void {
      remove(key);
      const owner = owners.get(name) ?? { name, taken: 0, keys: new Set() };
      owners.set(name, owner);
      owner.keys.add(key);
      owner.taken += weight;
      taken += weight;
      entries.set(key, { value, weight, until: now() + ttlMs, owner });
      tidy(owner);
    },
    delete: remove,
    /** Weight of all. */
    taken: () => taken,
  };
}
