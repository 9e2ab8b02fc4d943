/** The value with one place anywhere in it replaced. */
export function mutated(value: unknown, replacement: unknown, pick: number): unknown {
  const places: (() => void)[] = [];
  const copy = structuredClone(value);
  const visit = (node: unknown) => {
    if (typeof node !== "object" || node === null) return;
    for (const key of Object.keys(node)) {
      places.push(() => Reflect.set(node, key, replacement));
      visit(Reflect.get(node, key));
    }
  };
  visit(copy);
  places[pick % places.length]?.();
  return copy;
}
