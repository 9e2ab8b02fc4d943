/** Memoises by object identity: policies are few and never change, requests are many. */
export function memoizeByRef<From extends object, To>(derive: (from: From) => To): (from: From) => To {
  const derived = new WeakMap<From, To>();
  return (from) => {
    if (!derived.has(from)) derived.set(from, derive(from));
    return derived.get(from) as To;
  };
}
