export type { Configured } from "./configured.ts";
export {
  type LoadedSettings,
  loadSettings,
  problemLines,
  type SettingSources,
  fileText,
  watchFiles,
} from "./load.ts";
export { type EdgeConfiguration, edgeConfiguration } from "./edge.ts";
export { followed, isKept } from "./kept.ts";
export { changesBetween, type InForce, revisionOf } from "./revision.ts";
export { readConfigFile } from "./read.ts";
export { configJsonSchema } from "./schema.ts";
