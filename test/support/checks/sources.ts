import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

export interface Source {
  /** Relative to `src`, with forward slashes. */
  readonly file: string;
  readonly text: string;
}

const SRC = resolve(import.meta.dirname, "../../../src");

export function readSources(): readonly Source[] {
  return readdirSync(SRC, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.[jt]s$/.test(file))
    .map((file) => ({ file: file.replaceAll("\\", "/"), text: readFileSync(join(SRC, file), "utf8") }));
}

/** Lines and files of each folder of `src`, styles and pages among them; `.` is the top folder. */
export function roomSizes(): Readonly<Record<string, readonly [lines: number, files: number]>> {
  const sizes: Record<string, [number, number]> = {};
  for (const entry of readdirSync(SRC, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const [room = "."] = relative(SRC, join(entry.parentPath, entry.name))
      .replaceAll("\\", "/")
      .split("/")
      .slice(0, -1);
    const lines = readFileSync(join(entry.parentPath, entry.name), "utf8").split("\n").length - 1;
    const [sum, files] = sizes[room] ?? [0, 0];
    sizes[room] = [sum + lines, files + 1];
  }
  return sizes;
}

/** Comments say what they like; only code is held to the rules. */
export function codeOf(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
}

export function importsOf({ file, text }: Source): readonly string[] {
  const found = codeOf(text).matchAll(/(?:\bfrom\s*|\bimport\s*\(\s*|^\s*import\s+)["']([^"']+)["']/gm);
  return [...found].map(([, target = ""]) =>
    target.startsWith(".")
      ? relative(SRC, resolve(SRC, dirname(file), target)).replaceAll("\\", "/")
      : packageOf(target),
  );
}

function packageOf(target: string): string {
  if (target.startsWith("node:")) return "node:";
  return target.split("/", target.startsWith("@") ? 2 : 1).join("/");
}

/** Folders of small tools that several parts need and none owns: each file is a part by itself. */
const LIBRARIES = ["text"];

/** The folder that a file is part of (`engine`), or the file itself at the top; a package is its own part. */
export function partOf(file: string): string {
  if (LIBRARIES.some((library) => file.startsWith(`${library}/`))) return file;
  return file.includes("/") && /\.[jt]s$/.test(file) ? (file.split("/", 1)[0] ?? "") : file;
}

/** The folder within its part that a file is in (`engine/detectors`), or the part. */
export function roomOf(file: string): string {
  return file.split("/").length > 2 ? file.split("/", 2).join("/") : partOf(file);
}

export function exportsOf({ text }: Source): readonly string[] {
  const code = codeOf(text);
  const own = code.matchAll(/^export (?:async )?(?:function\*?|const|let|interface|type|class) (\w+)/gm);
  const passed = [...code.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, list = ""]) => list.split(","));
  const names = [...[...own].map(([, name = ""]) => name), ...passed.map((name) => name.trim())];
  return names.filter((name) => name !== "" && name !== "type");
}
