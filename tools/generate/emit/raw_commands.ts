import type { VulkanDocs } from "../docs/vulkan.ts";
import { parameterLetter, resultLetter, type TypeLists } from "../../../loader/command/registry/signature.ts";
import { parseSpec } from "../../../loader/codec/layout/spec.ts";
import type { Command, Registry } from "../registry/model.ts";
import { resolveCommand } from "../registry/read_commands.ts";
import { header } from "./header.ts";
import { RESERVED_NAMES } from "../lists.ts";
import { SpecWriter, typeLists } from "./spec.ts";

/** Writes `raw_commands_gen.ts`: every command with its C parameters as numbers and bigints. */
export function emitRawCommands(registry: Registry, docs: VulkanDocs): string {
  const writer = new SpecWriter(registry), lists = typeLists(registry);
  const lines = [...registry.commands.values()].map((command) =>
    docs.rawCommand(command) + line(command, registry, writer, lists)
  );
  return `${header(registry.version)}
/** Every command with its C parameters: handles, pointers, sizes and 64-bit values as bigint, all else as number. */
export interface RawCommands {
${lines.join("")}}
`;
}

function line(command: Command, registry: Registry, writer: SpecWriter, lists: TypeLists): string {
  if (command.alias) return `${command.name}: RawCommands["${resolveCommand(registry.commands, command).name}"];\n`;
  const parameters = command.parameters.map((parameter) => {
    const spec = parseSpec(writer.write(parameter, false));
    const name = RESERVED_NAMES.get(spec.name) ?? spec.name;
    return `${name}: ${typeOf(parameterLetter(spec, "raw", lists))}`;
  });
  return `${command.name}(${parameters.join(", ")}): ${typeOf(resultLetter(command.result, lists))};\n`;
}

function typeOf(letter: string): string {
  return letter === "v" ? "void" : letter === "q" ? "bigint" : "number";
}
