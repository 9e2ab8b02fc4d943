/** Memoises by object identity: policies are few and never change, requests are many. */
export function memoizeByRef<From extends object, To>(derive: (from: From) => To): (from: From) => To {
  const derived = new WeakMap<From, { readonly value: To }>();
  return (from) => {
    const memo = derived.get(from);
    if (memo !== undefined) return memo.value;
    const value = derive(from);
    derived.set(from, { value });
    return value;
  };
}
