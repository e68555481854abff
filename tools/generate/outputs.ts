import { emitConditionalCommands } from "./emit/conditional_commands.ts";
import { emitCommandTable } from "./emit/command_table.ts";
import { emitEnumNames } from "./emit/enum_names.ts";
import { emitEnums, emitStructureTypes } from "./emit/enums.ts";
import { asJavaScript } from "./emit/header.ts";
import { emitErrorCodes } from "./emit/error_codes.ts";
import { emitExtensions } from "./emit/extensions.ts";
import { emitFormats } from "./emit/formats.ts";
import { emitLayouts } from "./emit/layouts.ts";
import { emitLimitTypes } from "./emit/limit_types.ts";
import { emitMethods } from "./emit/methods.ts";
import { emitProfiles } from "./emit/profiles.ts";
import { emitRawCommands } from "./emit/raw_commands.ts";
import { emitNative } from "./emit/native.ts";
import { emitNames, emitStructureNames } from "./emit/names.ts";
import { emitResults } from "./emit/results.ts";
import { emitStructs } from "./emit/structs.ts";
import { emitTypes } from "./emit/types.ts";
import { VulkanDocs } from "./docs/vulkan.ts";
import { GROUPS } from "./lists.ts";
import type { Registry } from "./registry/model.ts";

/** Folders below the project's root of the published modules, and of the data for tests. */
const MODULES = "loader/gen/", RULES = "loader/requirements/gen/", TEST_DATA = "tests/loader/gen/";

/** Writes the tables of known Vulkan Profiles in memory, by the files that state them, in the order of their names. */
export function generateProfiles(registry: Registry, paths: readonly string[]): Map<string, string> {
  const files = paths.toSorted().map((path) => JSON.parse(Deno.readTextFileSync(path)));
  return new Map([[`${RULES}profiles_gen.js`, asJavaScript(emitProfiles(registry, files))]]);
}

/** Writes every generated file in memory: its path below the project's root, and its text. */
export function generate(registry: Registry): Map<string, string> {
  const docs = new VulkanDocs(registry);
  return new Map([
    [`${MODULES}structs_gen.js`, asJavaScript(emitStructs(registry))],
    [`${MODULES}command_table_gen.js`, asJavaScript(emitCommandTable(registry))],
    [`${MODULES}error_codes_gen.js`, asJavaScript(emitErrorCodes(registry))],
    [`${MODULES}formats_gen.js`, asJavaScript(emitFormats(registry))],
    [`${MODULES}enum_names_gen.js`, asJavaScript(emitEnumNames(registry))],
    [`${MODULES}extensions_gen.ts`, emitExtensions(registry)],
    [`${MODULES}names_gen.ts`, emitNames(registry)],
    [`${MODULES}structure_types_gen.ts`, emitStructureNames(registry)],
    [`${MODULES}results_gen.ts`, emitResults(registry)],
    [`${MODULES}native_gen.ts`, emitNative(registry)],
    [`${MODULES}commands_gen.ts`, emitMethods(registry, docs)],
    [`${MODULES}raw_commands_gen.ts`, emitRawCommands(registry, docs)],
    ...[...emitStructureTypes(registry, docs), ...GROUPS.flatMap((group) => emitEnums(registry, group, docs))]
      .map(([name, text]): [string, string] => [`${MODULES}${name}`, text]),
    ...GROUPS.map((group): [string, string] => [`${MODULES}types_${group}_gen.ts`, emitTypes(registry, group, docs)]),
    [`${RULES}limit_types_gen.js`, asJavaScript(emitLimitTypes(registry))],
    [`${RULES}conditional_commands_gen.js`, asJavaScript(emitConditionalCommands(registry))],
    [`${TEST_DATA}layouts_gen.txt`, emitLayouts(registry)],
  ]);
}
