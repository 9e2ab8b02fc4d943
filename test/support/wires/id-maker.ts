/** Call ids make two runs of the same task differ, so no two upstreams may share any. */
export function idMaker(): () => string {
  const instance = crypto.randomUUID().replaceAll("-", "").slice(0, 16);
  let count = 0;
  return () => `42${instance}_${String(++count).padStart(4, "0")}`;
}
