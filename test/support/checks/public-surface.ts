import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseSync } from "oxc-parser";

const root = resolve(import.meta.dirname, "../../..");

export interface PublicName {
  readonly name: string;
  /** The comment above its declaration, in one line; empty where there is none. */
  readonly about: string;
  readonly declaration: string;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

// biome-ignore lint/suspicious/noExplicitAny: the nodes of a syntax tree, of which few fields are looked at
type Node = any;

/** All names that a source file exports, those of other files with it. @param file below the repository's root */
export function publicNames(file: string): readonly PublicName[] {
  const names = [...moduleOf(file).body].flatMap((node: Node) => namesIn(node, file));
  return names.sort((one, other) => (one.name < other.name ? -1 : 1));
}

function moduleOf(file: string): {
  readonly body: readonly Node[];
  readonly text: string;
  readonly comments: readonly Node[];
} {
  const text = readFileSync(join(root, file), "utf8");
  const { program, comments } = parseSync(file, text);
  return { body: program.body, text, comments };
}

function namesIn(node: Node, file: string): readonly PublicName[] {
  if (node.type === "ExportDefaultDeclaration") return [describe("default", node.declaration, node, file)];
  if (node.type !== "ExportNamedDeclaration") return [];
  if (node.declaration) return declared(node.declaration).map((name) => describe(name, node.declaration, node, file));
  return node.specifiers.map((one: Node) => found(one.local.name, node.source?.value, file, one.exported.name));
}

const DECLARING: ReadonlySet<string> = new Set([
  "VariableDeclaration",
  "FunctionDeclaration",
  "ClassDeclaration",
  "TSInterfaceDeclaration",
  "TSTypeAliasDeclaration",
]);

const declared = (node: Node): readonly string[] =>
  node.type === "VariableDeclaration" ? node.declarations.map(({ id }: Node) => id.name) : [node.id.name];

/** Follows a name to where it is declared. */
function found(name: string, source: string | undefined, file: string, exported = name): PublicName {
  const target = source === undefined ? file : join(dirname(file), source);
  if (!existsSync(join(root, target))) return { name: exported, about: "", declaration: `from ${source}` };
  for (const node of moduleOf(target).body) {
    const declaration = node.declaration ?? node;
    if (DECLARING.has(declaration.type) && declared(declaration).includes(name))
      return { ...describe(name, declaration, node, target), name: exported };
    if (node.type === "ExportNamedDeclaration")
      for (const one of node.specifiers ?? [])
        if (one.exported.name === name && node.source)
          return found(one.local.name, node.source.value, target, exported);
    if (node.type === "ImportDeclaration")
      for (const one of node.specifiers ?? [])
        if (one.local.name === name) return found(one.imported?.name ?? "default", node.source.value, target, exported);
  }
  throw new Error(`${name} is declared nowhere near ${target}.`);
}

function describe(name: string, declaration: Node, outer: Span, file: string): PublicName {
  const { text, comments } = moduleOf(file);
  const comment = comments.find(
    ({ type, end }) => type === "Block" && end <= outer.start && text.slice(end, outer.start).trim() === "",
  );
  const about = (comment?.value ?? "")
    .replaceAll(/^\s*\*+ ?/gm, "")
    .replaceAll(/\s+/g, " ")
    .trim();
  return { name, about, declaration: shown(name, declaration, text) };
}

/** Bodies and values say how, not what. */
function shown(name: string, node: Node, text: string): string {
  const slice = ({ start, end }: Span) => text.slice(start, end);
  if (node.type === "FunctionDeclaration")
    return `function ${name}${slice({ start: node.id.end, end: node.body.start }).trim()};`;
  if (node.type === "VariableDeclaration") {
    const one = node.declarations.find(({ id }: Node) => id.name === name);
    if (one.init?.type === "ArrowFunctionExpression")
      return `const ${name}: ${slice({ start: one.init.start, end: one.init.body.start }).trim()} …;`;
    return `const ${slice(one.id)};`;
  }
  if (node.type === "ClassDeclaration")
    return `class ${name}${node.superClass ? ` extends ${slice(node.superClass)}` : ""} { ${publicMembers(node, slice)} }`;
  return slice(node);
}

const publicMembers = (node: Node, slice: (span: Span) => string): string =>
  node.body.body
    .filter(({ key, accessibility }: Node) => key?.type !== "PrivateIdentifier" && accessibility !== "private")
    .map((member: Node) =>
      slice({ start: member.start, end: member.value?.body?.start ?? member.end })
        .replaceAll(/\s+/g, " ")
        .replaceAll("( ", "(")
        .replaceAll(", )", ")")
        .trim()
        .replace(/;?$/, ";"),
    )
    .join(" ");
