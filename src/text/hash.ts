// FNV-1a over UTF-16 units, 32 bits.

export const HASH_SEED = 0x811c9dc5 | 0;

export function hashUnit(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, 0x01000193);
}

export function hashText(text: string, seed = HASH_SEED): number {
  let hash = seed;
  for (let i = 0; i < text.length; i++) hash = hashUnit(hash, text.charCodeAt(i));
  return hash;
}
