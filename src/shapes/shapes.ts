export * from "./objects.ts";
export * from "./shape.ts";
export * from "./values.ts";
