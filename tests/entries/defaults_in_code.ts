import { walk } from "../../tools/walk.ts";

const ROOT = decodeURIComponent(new URL("../../", import.meta.url).pathname);
const FLOORS = ["ffi", "loader", "wsi", "egl", "hwc", "workbench"];

/** An expression: a name, a calculation, or text as it is written. */
type Expression =
  | { readonly kind: "name" | "text"; readonly text: string }
  | { readonly kind: "calculation"; readonly text: string; readonly operator: string; readonly parts: Expression[] };

/** A source file, as far as defaults in it are looked for. */
interface Source {
  /** By option, the expressions that stand for an option that is left out. */
  readonly defaults: ReadonlyMap<string, readonly Expression[]>;
  readonly constants: ReadonlyMap<string, Expression>;
  /** By name, the file that the name is imported from. */
  readonly imports: ReadonlyMap<string, string>;
}

const texts = new Map<string, string>(), sources = new Map<string, Source>();

/** The text of a file by its path from the root of the project. */
export function sourceText(path: string): string {
  let text = texts.get(path);
  if (text === undefined) texts.set(path, text = Deno.readTextFileSync(ROOT + path));
  return text;
}

const files = FLOORS.flatMap((floor) => [...walk(`${ROOT}${floor}`)]).map((path) => path.slice(ROOT.length))
  .filter((path) => path.endsWith(".ts") && !path.includes("/gen/"));

/** The files of the floors that name a type. */
function filesNaming(type: string): string[] {
  const named = new RegExp(`\\b${type}\\b`);
  return files.filter((path) => named.test(sourceText(path)));
}

/**
 * The values that stand in for an option that is left out, in the files that
 * name its type: numbers, texts in quotes, and other expressions as they are
 * written. Found are defaults of destructured options (`{ every = 1 }`),
 * `options.every ?? 1` and `options.every !== false`.
 */
export function defaultsInCode(type: string, option: string): ReadonlySet<string> {
  return new Set(
    filesNaming(type).flatMap((path) => {
      const source = read(path);
      return (source.defaults.get(option) ?? []).map((node) => valueOf(source, node));
    }),
  );
}

function read(path: string): Source {
  const known = sources.get(path);
  if (known) return known;
  const defaults = new Map<string, Expression[]>(), constants = new Map<string, Expression>();
  const imports = new Map<string, string>(), text = sourceText(path);
  const found = (key: Deno.lint.Node, value: Expression) => {
    if (key.type === "Identifier") defaults.set(key.name, [...defaults.get(key.name) ?? [], value]);
  };
  const put = (key: Deno.lint.Node, value: Deno.lint.Node) => found(key, expressionOf(value, text));
  const create = (): Deno.lint.LintVisitor => ({
    ObjectPattern({ properties }) {
      for (const each of properties) {
        if (each.type === "Property" && each.value.type === "AssignmentPattern") put(each.key, each.value.right);
      }
    },
    LogicalExpression({ operator, left, right }) {
      if (operator === "??" && left.type === "MemberExpression") put(left.property, right);
    },
    BinaryExpression({ operator, left, right }) {
      if (operator !== "!==" || right.type !== "Literal" || right.value !== false) return;
      found(left.type === "MemberExpression" ? left.property : left, { kind: "text", text: "true" });
    },
    VariableDeclarator({ id, init }) {
      if (id.type === "Identifier" && /^[A-Z]/.test(id.name) && init) constants.set(id.name, expressionOf(init, text));
    },
    ImportDeclaration({ source, specifiers }) {
      const from = new URL(source.value, `file:///${path}`).pathname.slice(1);
      for (const { local } of specifiers) imports.set(local.name, from);
    },
  });
  Deno.lint.runPlugin({ name: "defaults", rules: { read: { create } } }, ROOT + path, text);
  const source = { defaults, constants, imports };
  sources.set(path, source);
  return source;
}

function expressionOf(node: Deno.lint.Node, source: string): Expression {
  const text = source.slice(...node.range);
  switch (node.type) {
    case "Literal":
      if (typeof node.value === "string") return { kind: "text", text: JSON.stringify(node.value) };
      return { kind: "text", text: /^\d/.test(text) ? `${Number(text.replace(/n$|_/g, ""))}` : text };
    case "TSAsExpression":
      return expressionOf(node.expression, source);
    case "Identifier":
      return { kind: "name", text };
    case "BinaryExpression": {
      const parts = [node.left, node.right].map((each) => expressionOf(each, source));
      return { kind: "calculation", text, operator: node.operator, parts };
    }
    default:
      return { kind: "text", text };
  }
}

/** The value of an expression as text: constants are looked up, and numbers are calculated. */
function valueOf(source: Source, expression: Expression): string {
  const { kind, text } = expression;
  if (kind === "calculation") {
    const [left, right] = expression.parts.map((each) => Number(valueOf(source, each)));
    const results: Record<string, number> = { "<<": left << right, "**": left ** right, "*": left * right };
    return expression.operator in results ? `${results[expression.operator]}` : text;
  }
  if (kind === "text" || !/^[A-Z][A-Z0-9_]+$/.test(text)) return text;
  const from = source.imports.get(text), there = from?.endsWith(".ts") ? read(from) : source;
  const value = there.constants.get(text);
  return value ? valueOf(there, value) : text;
}
