import { AUTHOR_GROUPS, type Group, GROUPS } from "../lists.ts";
import type { Block, Superseded } from "./model.ts";
import { attribute, type Element, elements, isForVulkan } from "./xml.ts";

/** A core version or extension together with its `<require>` elements. */
export interface SourceBlock {
  /** The block's description. */
  block: Block;
  /** The `<require>` elements for Vulkan. */
  requires: Element[];
  /** The `<deprecate>` elements for Vulkan. */
  deprecates: Element[];
}

/** The first block that needs a type or command, and whether only provisional extensions do. */
export interface Need {
  /** The home module. */
  group: Group;
  /** Whether every block that needs it is provisional. */
  experimental: boolean;
}

/** Reads every core version and supported extension, sorted by home module. A later file replaces a block of the same name. */
export function readBlocks(roots: readonly Element[]): SourceBlock[] {
  const blocks = new Map<string, SourceBlock>();
  for (const root of roots) {
    for (const element of elements(root, "feature").filter(isForVulkan)) add(versionBlock(element), element);
    for (const element of elements(root, "extensions").flatMap((each) => elements(each, "extension"))) {
      if ((element.attributes.supported ?? "").split(",").includes("vulkan")) add(extensionBlock(element), element);
    }
  }
  return [...blocks.values()].sort((a, b) => GROUPS.indexOf(a.block.group) - GROUPS.indexOf(b.block.group));

  function add(block: Block, element: Element): void {
    const requires = elements(element, "require").filter(isForVulkan);
    block.commands = requires.flatMap(commandsOf);
    block.conditional = requires.filter(({ attributes }) => attributes.depends)
      .map((each) => ({ condition: each.attributes.depends, commands: commandsOf(each) }))
      .filter(({ commands }) => commands.length > 0);
    block.types = requires.flatMap((each) => elements(each, "type")).map(({ attributes }) => attributes.name);
    blocks.set(block.name, { block, requires, deprecates: elements(element, "deprecate").filter(isForVulkan) });
  }
}

function commandsOf(require: Element): string[] {
  return elements(require, "command").map(({ attributes }) => attributes.name);
}

function versionBlock(element: Element): Block {
  const { name } = element.attributes;
  return { name, group: "core", number: 0, kind: "version", specVersion: 0, commands: [], conditional: [], types: [] };
}

function extensionBlock(element: Element): Block {
  const { name, number, type, platform, promotedto, provisional } = element.attributes;
  return {
    name,
    group: groupOf(name, platform),
    number: Number(number ?? 0),
    kind: type === "instance" ? "instance" : "device",
    specVersion: specVersionOf(element),
    platform: platform === "provisional" ? undefined : platform,
    promotedTo: promotedto,
    experimental: provisional === "true",
    commands: [],
    conditional: [],
    types: [],
  };
}

function groupOf(name: string, platform: string | undefined): Group {
  if (name.startsWith("vulkan_video_codec")) return "video";
  if (platform && platform !== "provisional") return "platform";
  return AUTHOR_GROUPS.get(name.split("_")[1]) ?? "vendor";
}

function specVersionOf(element: Element): number {
  const values = elements(element, "require").flatMap((each) => elements(each, "enum"));
  return Number(values.find((each) => each.attributes.name.endsWith("_SPEC_VERSION"))?.attributes.value ?? 0) || 0;
}

/** The block that gives each type and command its home: the first in module order. */
export function readNeeds(blocks: readonly SourceBlock[]): Map<string, Need> {
  const needs = new Map<string, Need>();
  for (const { block, requires } of blocks) {
    for (const element of requires.flatMap((each) => elements(each))) {
      if (element.tagName === "type" || element.tagName === "command") note(attribute(element, "name")!, block);
    }
  }
  return needs;

  function note(name: string, block: Block): void {
    const known = needs.get(name);
    if (!known) needs.set(name, { group: block.group, experimental: block.experimental === true });
    else if (!block.experimental) known.experimental = false;
  }
}

/** The blocks that require each type, command, value and constant, in module order. */
export function readSources(blocks: readonly SourceBlock[]): Map<string, string[]> {
  const sources = new Map<string, string[]>();
  for (const { block, requires } of blocks) {
    for (const { attributes: { name } } of requires.flatMap((each) => elements(each))) {
      const known = sources.get(name);
      if (!known) sources.set(name, [block.name]);
      else if (!known.includes(block.name)) known.push(block.name);
    }
  }
  return sources;
}

/** Reads the newer commands and types in place of older ones. */
export function readSuperseded(blocks: readonly SourceBlock[]): Map<string, Superseded> {
  const found = new Map<string, Superseded>();
  for (const { block, deprecates } of blocks) {
    for (const { attributes: { name, supersededby } } of deprecates.flatMap((each) => elements(each))) {
      if (!found.has(name)) found.set(name, { since: block.name, by: supersededby });
    }
  }
  return found;
}
