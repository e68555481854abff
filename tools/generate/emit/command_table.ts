import { parseSpec } from "../../../loader/codec/layout/spec.ts";
import { type Form, signatureOf } from "../../../loader/command/registry/signature.ts";
import { GLOBAL_COMMANDS, INSTANCE_HANDLES, READ_ONLY_PARAMETERS } from "../lists.ts";
import { type Command, type Declaration, type Registry, resolveType } from "../registry/model.ts";
import { resolveCommand } from "../registry/read_commands.ts";
import { header, textConstant } from "./header.ts";
import { isFull, SpecWriter, typeLists } from "./spec.ts";

const FORMS: readonly Form[] = ["arena", "raw"];

/** Writes `command_table_gen.js`: one line per command, the slots of both dispatch tables, all stub signatures. */
export function emitCommandTable(registry: Registry): string {
  const writer = new SpecWriter(registry);
  const slots = assignSlots(registry);
  const commands = [...registry.commands.values()];
  return [
    header(registry.version),
    textConstant(
      "COMMANDS",
      'One line per command: `NAME SLOT RESULT CODES parameter ...` or `NAME SLOT =TARGET`; SLOT is "g", or "i" or "d" and an index; CODES are the success codes besides VK_SUCCESS. Parameters as in `loader/codec/layout/spec.ts`.',
      commands.map((command) => `${command.name} ${slots.get(command.name)} ${definition(command, registry, writer)}`),
    ),
    words("INSTANCE_NAMES", "Names of the instance's dispatch table in slot order.", namesOf(slots, "i")),
    words("DEVICE_NAMES", "Names of the device's dispatch table in slot order.", namesOf(slots, "d")),
    words("SIGNATURES", "The stub signatures of all commands in both forms.", signatures(commands, registry, writer)),
  ].join("");
}

/** `g` for a global command, else `i` or `d` and the index in that dispatch table. Aliases have slots of their own. */
export function assignSlots(registry: Registry): Map<string, string> {
  const slots = new Map<string, string>();
  const next = { i: 0, d: 0 };
  for (const command of registry.commands.values()) {
    const [first] = resolveCommand(registry.commands, command).parameters;
    if (GLOBAL_COMMANDS.has(command.name)) slots.set(command.name, "g");
    else {
      const table = INSTANCE_HANDLES.has(first.type) ? "i" : "d";
      slots.set(command.name, `${table}${next[table]++}`);
    }
  }
  return slots;
}

function namesOf(slots: ReadonlyMap<string, string>, table: string): string[] {
  return [...slots].filter(([, slot]) => slot.startsWith(table)).map(([name]) => name);
}

function definition(command: Command, registry: Registry, writer: SpecWriter): string {
  if (command.alias) return `=${resolveCommand(registry.commands, command).name}`;
  return [command.result, successCodes(command, writer), ...parameterTexts(command, registry, writer)]
    .join(" ");
}

function successCodes(command: Command, writer: SpecWriter): string {
  const extra = command.successCodes.filter((code) => code !== "VK_SUCCESS");
  return extra.map((code) => writer.valueOf(code)).join("|") || "-";
}

function parameterTexts(command: Command, registry: Registry, writer: SpecWriter): string[] {
  return command.parameters.map((parameter) => {
    const isOutput = isWritten(command, parameter, registry);
    const text = writer.write(parameter, !isOutput && isRequired(parameter, registry));
    return text + (isOutput ? "!" : "") + (parameter.optional ? "?" : "") + (isFull(parameter, registry) ? "#" : "");
  });
}

/** Whether a caller must give a parameter: a pointer or handle that may not be null. */
export function isRequired(parameter: Declaration, registry: Registry): boolean {
  if (parameter.optional || parameter.noAutoValidity) return false;
  const kind = resolveType(registry.types, parameter.type)?.kind;
  return parameter.stars > 0 || parameter.dims.length > 0 || kind === "handle" || kind === "pointer" ||
    kind === "funcpointer";
}

/**
 * Whether the driver writes through a parameter into room whose size is known. A plain pointer to a type nobody can
 * see into is an input, and so is a `void*` without a length: the caller gives the address to write to.
 */
export function isWritten(command: Command, parameter: Declaration, registry: Registry): boolean {
  if (parameter.stars === 0 || parameter.isConst || READ_ONLY_PARAMETERS.has(`${command.name}.${parameter.name}`)) {
    return false;
  }
  const type = resolveType(registry.types, parameter.type);
  const isOpaque = type === undefined || type.kind === "incomplete";
  return !isOpaque || parameter.stars > 1 || parameter.len.length > 0;
}

function signatures(commands: readonly Command[], registry: Registry, writer: SpecWriter): string[] {
  const lists = typeLists(registry);
  const all = commands.filter((command) => !command.alias).flatMap((command) => {
    const specs = parameterTexts(command, registry, writer).map(parseSpec);
    return FORMS.map((form) => signatureOf(command.result, specs, form, lists));
  });
  return [...new Set(all)].sort();
}

function words(name: string, doc: string, list: readonly string[]): string {
  return `/** ${doc} */\nexport const ${name}: string = "${list.join(" ")}";\n`;
}
