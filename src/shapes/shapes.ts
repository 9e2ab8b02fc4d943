export * from "./formats.ts";
export * from "./objects.ts";
export * from "./shape.ts";
export * from "./values.ts";
