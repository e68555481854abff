import * as egl from "../../egl/gen/egl_constants_gen.js";
import * as gl from "../../egl/gen/gl_constants_gen.js";
import { EnumNames } from "../../egl/layers/shipped/gles_api_trace.ts";
import { vulkanNumbers } from "./vulkan_numbers.ts";

/** Functions that read or write native memory at an address. */
const MEMORY = /^(peek|poke|publish|acquire|exchange)\d+$/;
/** The ground floor, which reads no struct of an API. */
const GROUND = /^ffi\//;
/** The folders in which structs in memory are those of the Vulkan registry. */
const OF_REGISTRY = /^(loader|wsi)\/(?!consumer\/)/;
/** Values that extensions of Vulkan number; 1,000,000,000 alone are the nanoseconds of a second. */
const FIRST = 1_000_000_000, LAST = 1_001_000_000;
/** A comment with which a table of places may stand: the header that states them, or that they are ours. */
const STATED = /`[\w./-]+\.h`|\bours?\b/;
/** No struct is longer. */
const MOST = 4096;
/** A name of a constant. */
const CONSTANT = /^[A-Z][A-Z0-9_]*$/;
/** The paths of files that use enums of EGL and OpenGL ES. */
const OF_EGL = /^(egl|hwc\/backends\/egl)\//;
/** The forms in which enums of EGL and OpenGL ES are written by hand. */
const HEX_ENUM = /^0x[0-9a-f]{3,4}n?$/i;
/** Smaller values are bits, counts and sizes, too. */
const FIRST_ENUM = 0x500;
const EGL_NAMES = new EnumNames(egl), GL_NAMES = new EnumNames(gl);
const HINT =
  "Name it in tools/generate/native_lists.ts, run deno task generate, and import it from loader/gen/native_gen.ts";
const TABLE_HINT = `${
  HINT.replace("lists", "layouts")
}. The comment above a table that no registry states names its header (\`linux/sync_file.h\`), or says that the layout is ours`;

/**
 * Values and places in structs that the registry states are generated: values
 * of enums, places in calls that read memory, and tables of places. EGL and
 * OpenGL ES have all of their values. `file`: the path from the root of the
 * project.
 */
export function registryFacts(context: Deno.lint.RuleContext, file: string): Deno.lint.LintVisitor {
  const report = (node: Deno.lint.Node, message: string, hint = HINT) => context.report({ node, message, hint });
  return {
    ...values(report, OF_EGL.test(file)),
    ...vulkanNumbers(context, file, report),
    CallExpression({ callee, arguments: [address] }) {
      if (!OF_REGISTRY.test(file) || callee.type !== "Identifier" || !MEMORY.test(callee.name)) return;
      if (address?.type !== "BinaryExpression" || address.operator !== "+" || !isNumber(address.right)) return;
      report(address.right, "The place of a member is written as a number");
    },
    VariableDeclaration(node) {
      if (GROUND.test(file)) return;
      const tables = node.declarations.filter(({ id, init }) =>
        id.type === "Identifier" && CONSTANT.test(id.name) && isTable(init)
      );
      if (tables.length === 0 || STATED.test(commentAbove(context, node))) return;
      report(tables[0].id, "The places of members are written as numbers", TABLE_HINT);
    },
  };
}

type Report = (node: Deno.lint.Node, message: string, hint?: string) => void;

/** Values of enums. `ofEgl`: those of EGL and OpenGL ES as well. */
function values(report: Report, ofEgl: boolean): Deno.lint.LintVisitor {
  return {
    VariableDeclarator({ id, init }) {
      if (id.type !== "Identifier" || !id.name.startsWith("VK_") || !init || !isNumber(init)) return;
      report(id, `${id.name} is a value that the registry states`);
    },
    Literal(node) {
      const name = ofEgl ? enumName(node) : undefined;
      if (name !== undefined) {
        return report(
          node,
          `${node.raw} is an enum that the registry names, such as ${name}`,
          "Import the name from egl/gen",
        );
      }
      const value = numberOf(node);
      if (typeof value !== "number" || value < FIRST || value >= LAST) return;
      const isNegative = node.parent?.type === "UnaryExpression" && node.parent.operator === "-";
      if (value === FIRST && !isNegative) return;
      report(node, `${isNegative ? "-" : ""}${value} is a value that the registry states`);
    },
  };
}

/** The name of an enum of EGL or OpenGL ES that is written as a hexadecimal number; `undefined` for other numbers. */
function enumName({ raw, value }: Deno.lint.Literal): string | undefined {
  const number = Number(value);
  if (!HEX_ENUM.test(raw) || number < FIRST_ENUM) return undefined;
  return [EGL_NAMES, GL_NAMES].map((names) => names.of(number)).find((name) => typeof name === "string");
}

/**
 * Whether an initial value is an object of places: two or more rising multiples
 * of 4, which are not all bits, beside the size of the whole if there is one.
 */
function isTable(init: Deno.lint.Expression | null): boolean {
  if (init?.type === "TSAsExpression") return isTable(init.expression);
  if (init?.type !== "ObjectExpression") return false;
  const members = init.properties.flatMap((each) => each.type === "Property" ? [each] : []);
  const isSize = ({ key }: Deno.lint.Property) => key.type === "Identifier" && key.name === "size";
  const places = members.filter((each) => !isSize(each)).map(({ value }) => Number(numberOf(value) ?? NaN));
  if (places.length < (members.some(isSize) ? 1 : 2)) return false;
  const isRising = places.every((place, index) =>
    place % 4 === 0 && place < MOST && (index === 0 || place > places[index - 1])
  );
  return isRising && (members.some(isSize) || !places.every((place) => Number.isInteger(Math.log2(place))));
}

/** The value of a number in the source; `undefined` for anything else. Numbers with underscores have no value here. */
function numberOf(node: Deno.lint.Node): number | bigint | undefined {
  if (node.type !== "Literal") return undefined;
  if (typeof node.value === "bigint") return node.value;
  return typeof node.value === "number" ? Number(node.raw.replaceAll("_", "")) : undefined;
}

function isNumber(node: Deno.lint.Expression | Deno.lint.PrivateIdentifier): boolean {
  return node.type === "UnaryExpression" ? isNumber(node.argument) : numberOf(node) !== undefined;
}

/** The comments above the statement of a declaration. */
function commentAbove({ sourceCode }: Deno.lint.RuleContext, node: Deno.lint.VariableDeclaration): string {
  const statement = node.parent?.type === "ExportNamedDeclaration" ? node.parent : node;
  return sourceCode.getCommentsBefore(statement).map(({ value }) => value).join("\n");
}
