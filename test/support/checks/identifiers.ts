import { parseSync } from "oxc-parser";
import type { Source } from "./sources.ts";

interface Node {
  readonly type: string;
  readonly name?: string;
  readonly computed?: boolean;
  readonly arguments?: readonly unknown[];
  readonly [field: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as Node).type === "string";

/** Names that the code reads: variables, with one member behind them (`Date.now`) and a call without arguments (`new Date()`). */
export function identifiersIn({ file, text }: Source): readonly string[] {
  const names: string[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const each of value) visit(each);
    else if (isNode(value)) visitNode(value);
  };
  const visitNode = (node: Node): void => {
    if (node.type === "Identifier") names.push(node.name ?? "");
    names.push(...calledName(node), ...memberName(node));
    for (const [field, child] of Object.entries(node)) if (!isLabel(node, field)) visit(child);
  };
  visit(parseSync(file, text).program);
  return names;
}

/** What names a member, and no variable. */
function isLabel(node: Node, field: string): boolean {
  if (node.computed === true || node.shorthand === true) return false;
  return (
    (field === "property" && node.type === "MemberExpression") ||
    (field === "key" && "value" in node) ||
    isType(node, field)
  );
}

function isType(node: Node, field: string): boolean {
  return (field === "key" && node.type.startsWith("TS")) || field === "typeAnnotation" || field === "returnType";
}

function calledName(node: Node): readonly string[] {
  const callee = node.callee;
  if (!isNode(callee) || callee.type !== "Identifier" || node.arguments?.length !== 0) return [];
  return [`${node.type === "NewExpression" ? "new " : ""}${callee.name}()`];
}

function memberName({ type, object, property }: Node): readonly string[] {
  const isMember = type === "MemberExpression" && isNode(object) && isNode(property);
  return isMember && object.type === "Identifier" ? [`${object.name}.${property.name}`] : [];
}

/** Exported functions that take an `unknown` value, or one that holds such, and no `Work`. */
export function exportsOfUnknown({ file, text }: Source): readonly string[] {
  return parseSync(file, text).program.body.flatMap((statement) => {
    const { declaration } = statement as { readonly declaration?: unknown };
    if (statement.type !== "ExportNamedDeclaration" || !isNode(declaration)) return [];
    const named = declaration.type === "VariableDeclaration" ? [declaration.declarations].flat() : [declaration];
    return named.filter(isNode).flatMap(({ id, init, params = isNode(init) ? init.params : undefined }) => {
      const isUnpaid =
        has(params, ({ type }) => type === "TSUnknownKeyword") && !has(params, ({ name }) => name === "Work");
      return isUnpaid && isNode(id) ? [id.name ?? ""] : [];
    });
  });
}

function has(value: unknown, isIt: (node: Node) => boolean): boolean {
  if (Array.isArray(value)) return value.some((each) => has(each, isIt));
  return isNode(value) && (isIt(value) || Object.values(value).some((child) => has(child, isIt)));
}
