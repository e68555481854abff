/**
 * Three rules of this house for `deno lint`: floors import downwards only, a
 * file written by hand stays short, and the arena is used by frames.
 *
 * @module
 */
import project from "../../deno.json" with { type: "json" };
import { isPublished, objection } from "./floors.ts";

const ROOT = decodeURIComponent(new URL("../..", import.meta.url).pathname);
const MOST_LINES = 500;
/** By the specifier that users write (`@pumice/gfx/layers`), the entry's path from the root. */
const ENTRIES = new Map(
  Object.entries(project.exports).map(([name, path]) => [project.name + name.slice(1), path.slice(2)]),
);

type Source = Deno.lint.Literal | Deno.lint.Expression | null;

function pathInside(file: string): string | undefined {
  return file.startsWith(ROOT) ? file.slice(ROOT.length) : undefined;
}

function checkImport(context: Deno.lint.RuleContext, source: Source): void {
  const importer = pathInside(context.filename);
  if (importer === undefined || source?.type !== "Literal" || typeof source.value !== "string") return;
  const imported = target(context.filename, source.value);
  const message = imported === undefined ? undefined : objection(importer, imported);
  if (message === undefined) return;
  const hint = "Move the code down, or hand what it needs in as an argument";
  context.report({ node: source, message, hint });
}

/** The path from the project's root that a specifier means; a package of somebody else's means none. */
function target(importer: string, specifier: string): string | undefined {
  if (!specifier.startsWith(".")) return ENTRIES.get(specifier);
  return pathInside(decodeURIComponent(new URL(specifier, `file://${importer}`).pathname));
}

function floors(context: Deno.lint.RuleContext): Deno.lint.LintVisitor {
  return {
    ImportDeclaration: (node) => checkImport(context, node.source),
    ImportExpression: (node) => checkImport(context, node.source),
    ExportNamedDeclaration: (node) => checkImport(context, node.source),
    ExportAllDeclaration: (node) => checkImport(context, node.source),
  };
}

function isGenerated(file: string): boolean {
  return /_gen\.ts$|\/gen\//.test(file);
}

function fileLength(context: Deno.lint.RuleContext): Deno.lint.LintVisitor {
  return {
    Program(node) {
      if (isGenerated(context.filename)) return;
      const lines = context.sourceCode.text.replace(/\n$/, "").split("\n").length;
      if (lines <= MOST_LINES) return;
      const message = `File has ${lines} lines, more than the ${MOST_LINES} that a file written by hand may have`;
      context.report({ node, message, hint: "Split it: one idea a file" });
    },
  };
}

/** Published code frees the arena's memory by `inFrame`, which no error gets past; the arena's own file is the exception. */
function frames(context: Deno.lint.RuleContext): Deno.lint.LintVisitor {
  const file = pathInside(context.filename) ?? "";
  if (!isPublished(file) || file.endsWith("/arena.ts")) return {};
  return {
    CallExpression(node) {
      const { callee } = node;
      if (callee.type !== "MemberExpression" || callee.property.type !== "Identifier") return;
      if (callee.property.name !== "mark" || node.arguments.length > 0) return;
      const hint = "Call inFrame((memory) => …) of ffi/arena.ts";
      context.report({ node, message: "mark() leaks the arena's memory when something throws before release()", hint });
    },
  };
}

const plugin: Deno.lint.Plugin = {
  name: "pumice",
  rules: {
    floors: { create: floors },
    "file-length": { create: fileLength },
    frames: { create: frames },
  },
};

export default plugin;
