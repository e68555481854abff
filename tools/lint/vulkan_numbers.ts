import { isVulkanMember, memberValue, repeatedValue, statedValue } from "./vulkan_values.ts";

/** The folders where numbers may be values of Vulkan; machine code and window systems have numbers of their own. */
const OF_VULKAN = /^(?:loader\/(?!emit\/)|wsi\/(?!consumer\/|web\/)|hwc\/backends\/vulkan\/|workbench\/|cli\/)/;
/** A name of a constant. */
const CONSTANT = /^[A-Z][A-Z0-9_]*$/;

type Report = (node: Deno.lint.Node, message: string) => void;

/**
 * Values of Vulkan that are written as numbers, where that can be told surely:
 * as a member of a Vulkan struct, compared with one, or as a constant that
 * repeats a value's name or whose comment states it.
 */
export function vulkanNumbers(
  { sourceCode }: Deno.lint.RuleContext,
  file: string,
  report: Report,
): Deno.lint.LintVisitor {
  if (!OF_VULKAN.test(file)) return {};
  const constants = new Map<string, number>();
  const check = (node: Deno.lint.Node, member: string, value: Deno.lint.Node) => {
    const number = evaluate(value, constants), name = number === undefined ? undefined : memberValue(member, number);
    if (name !== undefined) {
      report(node, `${member} is written as a number, and its values have names, such as ${name}`);
    }
  };
  return {
    Program({ body }) {
      for (const statement of body) {
        const comment = sourceCode.getCommentsBefore(statement).map(({ value }) => value).join("\n");
        for (const [constant, value] of declared(statement)) {
          const number = CONSTANT.test(constant) ? evaluate(value, constants) : undefined;
          if (number === undefined) continue;
          constants.set(constant, number);
          const known = repeatedValue(constant, number) ?? statedValue(comment, constant, number);
          if (known !== undefined) report(value, `${constant} is ${known}, which the registry states`);
        }
      }
    },
    Property(node) {
      const member = nameOf(node.key);
      if (member !== undefined && (isVulkanMember(member) || isInStruct(node))) check(node, member, node.value);
    },
    BinaryExpression({ operator, left, right }) {
      if (!/^(?:[!=]==|&)$/.test(operator)) return;
      for (const [member, value] of [[left, right], [right, left]]) {
        const name = nameOf(member.type === "MemberExpression" ? member.property : member);
        if (name !== undefined && isVulkanMember(name) && evaluate(value, constants) !== 0) check(value, name, value);
      }
    },
  };
}

/** The constants that a statement declares, and the members of tables of constants. */
function declared(statement: Deno.lint.Node): (readonly [string, Deno.lint.Node])[] {
  const declaration = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
  if (declaration?.type !== "VariableDeclaration") return [];
  return declaration.declarations.flatMap(({ id, init }) => {
    const own = id.type === "Identifier" && init ? [[id.name, init] as const] : [];
    return [...own, ...membersOf(init)];
  });
}

/** The members of a table of constants. */
function membersOf(init: Deno.lint.Expression | null): (readonly [string, Deno.lint.Node])[] {
  if (init?.type === "TSAsExpression") return membersOf(init.expression);
  if (init?.type !== "ObjectExpression") return [];
  return init.properties.flatMap((each) => {
    const name = each.type === "Property" ? nameOf(each.key) : undefined;
    return each.type === "Property" && name !== undefined ? [[name, each.value] as const] : [];
  });
}

function nameOf(node: Deno.lint.Node): string | undefined {
  return node.type === "Identifier" ? node.name : undefined;
}

/** The value of a number, of several joined by `|` or `<<`, or of a constant of the file. */
function evaluate(node: Deno.lint.Node | null, constants: ReadonlyMap<string, number>): number | undefined {
  switch (node?.type) {
    case "Literal":
      return typeof node.value === "number" ? Number(node.raw.replaceAll("_", "")) : undefined;
    case "Identifier":
      return constants.get(node.name);
    case "TSAsExpression":
      return evaluate(node.expression, constants);
    case "UnaryExpression": {
      const value = node.operator === "-" ? evaluate(node.argument, constants) : undefined;
      return value === undefined ? undefined : -value;
    }
    case "BinaryExpression": {
      const [left, right] = [node.left, node.right].map((each) => evaluate(each, constants));
      if (left === undefined || right === undefined) return undefined;
      return node.operator === "|" ? left | right : node.operator === "<<" ? left << right : undefined;
    }
  }
}

/** Whether a member is one of a Vulkan struct: the object has a structure type or a member that only Vulkan has, or is in such an object, or a command gets it. */
function isInStruct(node: { readonly parent?: unknown }): boolean {
  const parent = node.parent as Deno.lint.Node | undefined;
  switch (parent?.type) {
    case "ObjectExpression":
      return membersOf(parent).some(([name]) => name === "sType" || isVulkanMember(name)) || isInStruct(parent);
    case "CallExpression":
      return isOfVulkan(parent);
    case "ArrayExpression":
    case "Property":
    case "TSAsExpression":
      return isInStruct(parent);
    default:
      return false;
  }
}

/** Whether a call is one of a command, or gets the name of a struct first. */
function isOfVulkan({ callee, arguments: [first] }: Deno.lint.CallExpression): boolean {
  if (first?.type === "Literal" && /^Vk[A-Z]/.test(`${first.value}`)) return true;
  return callee.type === "MemberExpression" && callee.property.type === "Identifier" &&
    /^vk[A-Z]/.test(callee.property.name);
}
