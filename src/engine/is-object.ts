export { isObject as isRecord } from "../text/is-object.ts";
