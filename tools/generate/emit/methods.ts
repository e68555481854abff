import type { VulkanDocs } from "../docs/vulkan.ts";
import { GLOBAL_COMMANDS, OBJECT_HANDLES, RESERVED_NAMES } from "../lists.ts";
import { type Command, type Declaration, type Registry, resolveType, type StructType } from "../registry/model.ts";
import { resolveCommand } from "../registry/read_commands.ts";
import { isWritten } from "./command_table.ts";
import { header } from "./header.ts";
import { Imports } from "./module.ts";
import { TypeWriter } from "./ts_type.ts";

/** The interface of the commands that need no object. */
const GLOBAL = "VulkanCommands";

/** Names of the type parameters for the chains of a command's outputs. */
const GENERICS = ["Chain", "Chain2", "Chain3"];

/** Writes `commands_gen.ts`: every command as a method of the object that is its first parameter. */
export function emitMethods(registry: Registry, docs: VulkanDocs): string {
  const imports = new Imports();
  const writer = new TypeWriter(registry, imports);
  const owners = new Map([GLOBAL, ...OBJECT_HANDLES.map((name) => `${name}Commands`)]
    .map((name) => [name, [] as string[]]));
  for (const command of registry.commands.values()) {
    const target = resolveCommand(registry.commands, command);
    const owner = ownerOf(target);
    const text = command.alias ? `${command.name}: ${owner}["${target.name}"];\n` : method(command, writer);
    owners.get(owner)!.push(docs.command(command) + text);
  }
  const body = [...owners].map(([name, methods]) => interfaceText(name, methods)).join("\n");
  return `${header(registry.version)}${imports.print()}\n${body}`;
}

/** The interface of the object that a command is called on; a command of another handle is called on the device. */
function ownerOf({ name, parameters: [first] }: Command): string {
  if (GLOBAL_COMMANDS.has(name)) return GLOBAL;
  return OBJECT_HANDLES.includes(first.type) ? `${first.type}Commands` : "VkDeviceCommands";
}

function interfaceText(name: string, methods: readonly string[]): string {
  const doc = name === GLOBAL ? "Commands that need no object." : `Commands of a ${name.replace("Commands", "")}.`;
  return `/** ${doc} */\nexport interface ${name} {\n${methods.join("")}}\n`;
}

/** The role of a parameter in the method. */
type Role = "self" | "count" | "fill" | "input" | "chain" | "output";

function roleOf(command: Command, parameter: Declaration, writer: TypeWriter): Role {
  const isValue = parameter.stars === 0 && parameter.dims.length === 0;
  if (parameter === command.parameters[0] && isValue && writer.isObject(parameter.type)) return "self";
  const counted = command.parameters.filter((each) =>
    each.len.some((len) => len.match(/^\w+/)?.[0] === parameter.name)
  );
  const written = (each: Declaration) => isWritten(command, each, writer.registry);
  if (isValue) return counted.some((each) => !written(each)) ? "count" : "input";
  if (!written(parameter)) return "input";
  if (counted.length > 0) return "fill";
  return filledStruct(parameter, writer.registry) ? "chain" : "output";
}

/** The struct behind a single output that can carry a `pNext` chain. */
function filledStruct(parameter: Declaration, registry: Registry): StructType | undefined {
  const type = resolveType(registry.types, parameter.type);
  if (parameter.stars !== 1 || parameter.len.length > 0) return undefined;
  return type?.kind === "struct" && type.sType ? type : undefined;
}

interface Output {
  key: string;
  type: string;
}

function method(command: Command, writer: TypeWriter): string {
  const roles = new Map(command.parameters.map((each) => [each, roleOf(command, each, writer)]));
  const withRole = (...wanted: Role[]) => command.parameters.filter((each) => wanted.includes(roles.get(each)!));
  const chain = withRole("chain").map((each, index) => chainOf(each, GENERICS[index], writer));
  const inputs = withRole("input", "chain");
  const texts = inputs.map((each, index) => {
    const rest = inputs.slice(index).every((later) => mayBeNull(command, later) || roles.get(later) === "chain");
    const own = chain.find(({ parameter }) => parameter === each);
    return own
      ? `${each.name}${rest ? "?" : ""}: ${own.input}${rest ? "" : " | undefined"}`
      : inputText(each, mayBeNull(command, each), rest, writer);
  });
  const outputs = withRole("output", "chain").map((each) => ({
    key: resultKey(each.name),
    type: chain.find(({ parameter }) => parameter === each)?.output ?? outputType(each, writer),
  }));
  const generics = chain.map(({ generic }) => generic).filter((each) => each !== "").join(", ");
  const isFill = withRole("fill").length > 0;
  const result = resultType(command, isFill, outputs, writer);
  return `${command.name}${generics && `<${generics}>`}(${texts.join(", ")}): ${result};\n`;
}

/** Whether a caller may leave a parameter out: it is optional, or it is an array whose count may be 0. */
function mayBeNull(command: Command, parameter: Declaration): boolean {
  const count = command.parameters.find(({ name, stars }) => stars === 0 && name === parameter.len[0]);
  return parameter.optional || count?.optional === true;
}

function inputText(parameter: Declaration, isNullable: boolean, isTrailing: boolean, writer: TypeWriter): string {
  const name = RESERVED_NAMES.get(parameter.name) ?? parameter.name;
  const isSingleNumber = parameter.stars === 1 && parameter.len.length === 0 &&
    writer.value(parameter.type) === "number";
  const type = isSingleNumber ? "ArrayLike<number>" : plainHandle(writer.input(parameter));
  return `${name}${isNullable && isTrailing ? "?" : ""}: ${type}${isNullable ? " | null" : ""}`;
}

/** An argument that is an object is given as that object. */
function plainHandle(type: string): string {
  return type.replace(/^(\w+) \| bigint$/, "$1").replace(/^readonly \((\w+) \| bigint\)\[\]$/, "readonly $1[]");
}

interface Chain {
  parameter: Declaration;
  generic: string;
  input: string;
  output: string;
}

/** An output struct whose `pNext` chain, and sometimes members, the caller may state. */
function chainOf(parameter: Declaration, generic: string, writer: TypeWriter): Chain {
  const struct = filledStruct(parameter, writer.registry)!;
  const name = writer.named(struct.name);
  if (!isExtended(struct, writer.registry)) {
    return { parameter, generic: "", input: `Partial<${name}>`, output: `${writer.base("Out")}<${name}>` };
  }
  return {
    parameter,
    generic: `const ${generic} extends ${writer.base("ChainOf")}<${name}> = []`,
    input: hasCallerMembers(struct) ? `${generic} | Partial<${name}>` : generic,
    output: `${writer.base("Filled")}<${name}, ${generic}>`,
  };
}

function isExtended(struct: StructType, registry: Registry): boolean {
  return [...registry.types.values()].some((type) =>
    type.kind === "struct" && type.extends.some((name) => resolveType(registry.types, name)?.name === struct.name)
  );
}

/** Whether the driver reads members of a struct that it fills: counts and arrays that the caller provides. */
function hasCallerMembers(struct: StructType): boolean {
  return !struct.returnedOnly || struct.members.some((each) => each.stars > 0 && each.name !== "pNext");
}

function outputType(parameter: Declaration, writer: TypeWriter): string {
  const { type, stars, len } = parameter;
  const isList = len.length > 0;
  const isVoid = type === "void";
  if (stars > 1 || (isVoid && !isList)) return "bigint";
  if (isVoid) return "Uint8Array";
  const value = writer.isStruct(type) ? `${writer.base("Out")}<${writer.value(type)}>` : writer.value(type);
  return isList ? `${value}[]` : value;
}

/** The C prefix for pointers is dropped: `pImageIndex` becomes `imageIndex`. */
function resultKey(name: string): string {
  return name.replace(/^p+(?=[A-Z])/, "").replace(/^[A-Z]/, (letter) => letter.toLowerCase());
}

function resultType(command: Command, isFill: boolean, outputs: readonly Output[], writer: TypeWriter): string {
  const codes = command.successCodes.filter((code) => code !== "VK_SUCCESS" && !(isFill && code === "VK_INCOMPLETE"));
  const isPlain = command.result === "void" || command.result === "VkResult";
  const returnsResult = !isPlain || codes.length > 0;
  if (outputs.length === 0) return returnsResult ? writer.value(command.result) : "void";
  if (outputs.length === 1 && !returnsResult) return outputs[0].type;
  const result = returnsResult ? [`result: ${writer.value(command.result)}`] : [];
  return `{ ${[...result, ...outputs.map(({ key, type }) => `${key}: ${type}`)].join("; ")} }`;
}
