import { layOutAll } from "./layout.ts";
import type { Registry } from "./model.ts";
import { prune } from "./prune.ts";
import { readBlocks, readNeeds, readSources, readSuperseded } from "./read_blocks.ts";
import { readCommands } from "./read_commands.ts";
import { readConstants, readEnums, versionOf } from "./read_enums.ts";
import { readFormats } from "./read_formats.ts";
import { readTypes } from "./read_types.ts";
import { parseRegistryFile } from "./xml.ts";

/** Reads registry files into one model; a later file replaces what an earlier one says. */
export function loadRegistry(paths: readonly string[]): Registry {
  const roots = paths.map(parseRegistryFile);
  const blocks = readBlocks(roots);
  const needs = readNeeds(blocks);
  const constants = readConstants(roots, blocks);
  const constant = (text: string): number => {
    const value = /^\d/.test(text) ? Number(text) : constants.get(text)?.value;
    if (value !== undefined) return Number(value);
    throw new Error(`Cannot size an array by "${text}": found no such constant in the registry files`);
  };
  const types = readTypes(roots, { enums: readEnums(roots, blocks), needs, constant });
  const commands = readCommands(roots, needs, constant);
  prune(types, commands);
  return {
    version: versionOf(constants),
    types,
    commands,
    constants,
    sources: readSources(blocks),
    superseded: readSuperseded(blocks),
    blocks: blocks.map(({ block }) => block),
    formats: readFormats(roots),
    layouts: layOutAll(types),
  };
}
