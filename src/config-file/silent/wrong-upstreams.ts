import type { Problem } from "../../shapes/shapes.ts";
import { withoutEndSlashes } from "../../text/without-end-slashes.ts";
import type { ConfigFileText } from "../schema.ts";

/** Paths of the guard's own. */
const OWN = /^\/(?:unloop|session)(?:\/|$)/;
const ENDPOINT = /\/(?:completions|responses|messages|embeddings|chat|generateContent)$/;

/** Upstreams that no request would reach, or reach where they stand. */
export function wrongUpstreams({ upstreams = {} }: ConfigFileText): readonly Problem[] {
  const prefixes = Object.keys(upstreams).map(withoutEndSlashes);
  return Object.entries(upstreams).flatMap(([prefix, url], i) => {
    const problem = OWN.test(prefix)
      ? "is reached by no request: the path is the guard's own. Choose another"
      : prefixes.indexOf(withoutEndSlashes(prefix)) < i
        ? "is an earlier one with a slash at its end; remove one of them"
        : ENDPOINT.test(withoutEndSlashes(url))
          ? "ends with an endpoint; write the base URL, such as https://api.openai.com: the request's path comes behind it"
          : undefined;
    return problem === undefined ? [] : [{ path: ["upstreams", prefix], problem }];
  });
}
