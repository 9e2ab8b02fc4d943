export type { Configured } from "./configured.ts";
export { type LoadedSettings, loadSettings, type SettingSources, fileText, watchFiles } from "./load.ts";
export { type EdgeConfiguration, edgeConfiguration, followed, isKept } from "./edge.ts";
export { changesBetween, type InForce, revisionOf } from "./revision.ts";
export { readConfigFile } from "./read.ts";
export type { ConfigFileText } from "./schema.ts";
