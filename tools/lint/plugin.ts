/**
 * Seven rules of this house for `deno lint`: floors import downwards only, a
 * file written by hand stays short, the arena is used by frames, and the ground
 * floor knows no graphics API. Comments are in plain English, what the registry
 * states is not written by hand, and no test imports its preload.
 *
 * @module
 */
import project from "../../deno.json" with { type: "json" };
import { commentFault } from "./comments.ts";
import { isPublished, objection } from "./floors.ts";
import { registryFacts } from "./registry_facts.ts";

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
    ImportExpression: ({ source }) =>
      checkImport(context, source.type === "TSAsExpression" ? source.expression : source),
    ExportNamedDeclaration: (node) => checkImport(context, node.source),
    ExportAllDeclaration: (node) => checkImport(context, node.source),
  };
}

/** The preload of the tests, and the modules that tests imported before there was one. */
const PRELOAD = /^tests\/support\/(?:preload|warm(?:_\w+)?)\.ts$/;

function preload(context: Deno.lint.RuleContext): Deno.lint.LintVisitor {
  return {
    ImportDeclaration(node) {
      if (!PRELOAD.test(target(context.filename, node.source.value) ?? "")) return;
      const hint = "Remove the import: `deno task test` hands tests/support/preload.ts to `deno test` by --preload";
      context.report({ node, message: "A test does not import what runs before each test file", hint });
    },
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

/** Whether a text names the module of an import. */
function isSource({ parent }: Deno.lint.Literal): boolean {
  return parent !== undefined && /^(Import|Export)/.test(parent.type);
}

/** Words of Vulkan, EGL and OpenGL, and of what only they know. */
const API_WORD =
  /Vk[A-Z]|VK_|\bvk|\b(?:gl|egl)[A-Z_]|\b(?:GL|EGL)_|[Vv]ulkan|[Ss]wapchain|[Ss]urface|[Pp]hysicalDevice/;

/** Code of the ground floor gets offsets, results and names of an API handed in; comments may name examples. */
function apiWords(context: Deno.lint.RuleContext): Deno.lint.LintVisitor {
  const file = pathInside(context.filename) ?? "";
  if (!file.startsWith("ffi/") || isGenerated(file)) return {};
  function check(node: Deno.lint.Node, text: string): void {
    const word = API_WORD.exec(text)?.[0];
    if (word === undefined) return;
    const hint = "Let a floor above hand it in: as an offset, a value, or a function that writes machine code";
    context.report({ node, message: `The ground floor knows no graphics API, and "${word}" is of one`, hint });
  }
  return {
    Identifier: (node) => check(node, node.name),
    Literal: (node) => typeof node.value === "string" && !isSource(node) && check(node, node.value),
    TemplateElement: (node) => check(node, node.cooked),
  };
}

/** The folders whose comments must be plain. */
const PLAIN = /^(?:ffi|loader|wsi|egl|hwc|workbench|cli|tools|bench|examples|tests\/support)\//;

function plainComments(context: Deno.lint.RuleContext): Deno.lint.LintVisitor {
  if (!PLAIN.test(pathInside(context.filename) ?? "") || isGenerated(context.filename)) return {};
  return {
    Program() {
      for (const { type, value, range } of context.sourceCode.getAllComments()) {
        const fault = type === "Block" ? commentFault(value) : undefined;
        if (fault) context.report({ range, ...fault });
      }
    },
  };
}

function factsOf(context: Deno.lint.RuleContext): Deno.lint.LintVisitor {
  const file = pathInside(context.filename) ?? "";
  return isPublished(file) && !isGenerated(file) ? registryFacts(context, file) : {};
}

const plugin: Deno.lint.Plugin = {
  name: "pumice",
  rules: {
    floors: { create: floors },
    "file-length": { create: fileLength },
    frames: { create: frames },
    "api-words": { create: apiWords },
    "plain-comments": { create: plainComments },
    "registry-facts": { create: factsOf },
    preload: { create: preload },
  },
};

export default plugin;
