/**
 * The lines of a recording that do something, found from their uses: what is used is looked for from the end, over the
 * whole recording. The state tracker says which objects are alive at a line, which is no help here: an object may be
 * alive to the end and never used.
 *
 * @module
 */
import type { RecordedLine } from "../record/line.ts";
import { coreName } from "../record/commands.ts";
import { madeBy, namesOf, usedBy } from "../state_tracker/names.ts";
import { dropped } from "./drop.ts";

/** Calls that make something, describe something, or end something: alone they do nothing. */
const PASSIVE = /^vk(Create|Allocate|Get|Map|Unmap|Flush|Invalidate|Destroy|Free|Wait|Reset|Trim|SetDebug)/;
/** Calls that give something to the objects that they name first. */
const GIVES = /^vk(Bind(Buffer|Image)Memory|UpdateDescriptorSet)/;
/** Calls that record into a command buffer. */
const RECORDS = /^vk(Cmd|BeginCommandBuffer|EndCommandBuffer)/;
/** Objects that are there in any case. */
const ALWAYS = /^Vk(Instance|PhysicalDevice|Device|Queue)#/;

/**
 * Returns a recording without the objects that nothing uses, the command
 * buffers that nobody submits, and the contents that the program read.
 */
export function livingLines(lines: readonly RecordedLine[]): RecordedLine[] {
  const living = openBuffers(lines);
  for (let before = -1; living.size > before;) {
    before = living.size;
    for (const line of lines) if (isAlive(line, living)) { for (const name of usedBy(line)) living.add(name); }
  }
  const dead = lines.flatMap((line, index) => isDead(line, living) ? [index] : []);
  return dead.length === 0 ? [...lines] : dropped(lines, new Set(dead));
}

/**
 * The command buffers whose recording has not ended with the lines: a program that ends amid a recording, within a
 * command perhaps, submits nothing of it.
 */
function openBuffers(lines: readonly RecordedLine[]): Set<string> {
  const open = new Set<string>();
  for (const line of lines) {
    if (!("command" in line)) continue;
    if (line.command === "vkBeginCommandBuffer") open.add(line.args.commandBuffer);
    if (line.command === "vkEndCommandBuffer") open.delete(line.args.commandBuffer);
  }
  return open;
}

/** Whether a line does something, or is for something that does. */
function isAlive(line: RecordedLine, living: ReadonlySet<string>): boolean {
  if (!("command" in line)) return false;
  const core = coreName(line.command), { args } = line;
  if (RECORDS.test(core)) return living.has(args.commandBuffer);
  if (GIVES.test(core)) return receiversIn(args).some((name) => living.has(name));
  return !PASSIVE.test(core) || [...madeBy(line)].some((name) => ALWAYS.test(name) || living.has(name));
}

/** Creations without a living object, and recordings of command buffers that are not submitted. */
function isDead(line: RecordedLine, living: ReadonlySet<string>): boolean {
  if (!("command" in line)) return "read" in line;
  if (RECORDS.test(coreName(line.command))) return !living.has(line.args.commandBuffer);
  const made = [...madeBy(line)];
  return made.length > 0 && made.every((name) => !ALWAYS.test(name) && !living.has(name));
}

/** The buffers, images and descriptor sets that get memory or descriptors. */
function receiversIn(args: unknown): string[] {
  return [...namesOf(args)].filter((name) => /^Vk(Buffer|Image|DescriptorSet)#/.test(name));
}
