import { parseSpec, type Spec, TableLines } from "../../codec/layout/spec.ts";
import { COMMANDS } from "../../gen/command_table_gen.js";
import { ERROR_CODES } from "../../gen/error_codes_gen.js";

/** The dispatch table of a command: none (global), the instance's or the device's. */
export type Level = "global" | "instance" | "device";

/** One Vulkan command as the registry states it. */
export interface Command {
  /** The C name. */
  readonly name: string;
  /** The table of the command. */
  readonly level: Level;
  /** The command's index in that table. The byte offset is eight times as large. */
  readonly slot: number;
  /** The C result type: `void`, `VkResult` or another. */
  readonly result: string;
  /** Success codes other than VK_SUCCESS. */
  readonly codes: readonly number[];
  /** Parameters in C order, including the dispatchable one. */
  readonly params: readonly Spec[];
}

const LEVELS: Record<string, Level> = { g: "global", i: "instance", d: "device" };
const lines = new TableLines(COMMANDS);
const parsed = new Map<string, Command | undefined>();

/** Returns the command of a name, parsed at its first use; `undefined` if the registry has none. */
export function findCommand(name: string): Command | undefined {
  if (!parsed.has(name)) parsed.set(name, parseLine(name, lines.find(name)));
  return parsed.get(name);
}

function parseLine(name: string, line: string | undefined): Command | undefined {
  if (line === undefined) return undefined;
  const [, place, result, codes, ...specs] = line.split(" ");
  const level = LEVELS[place[0]], slot = Number(place.slice(1) || 0);
  if (result[0] === "=") return { ...findCommand(result.slice(1))!, name, level, slot };
  return {
    name,
    level,
    slot,
    result,
    codes: codes === "-" ? [] : codes.split("|").map(Number),
    params: specs.map(parseSpec),
  };
}

/**
 * Returns the results other than VK_SUCCESS that the registry allows for a
 * command, errors first; none for a command without a VkResult.
 */
export function resultCodes(command: string): number[] {
  return [...errorCodes(command), ...findCommand(command)?.codes ?? []];
}

/** A name is between blanks, on the line that begins with its codes. */
function errorCodes(command: string): number[] {
  const found = ERROR_CODES.indexOf(` ${command} `);
  if (found < 0) return [];
  const line = ERROR_CODES.lastIndexOf("\n", found) + 1;
  return ERROR_CODES.slice(line, ERROR_CODES.indexOf(" ", line)).split("|").map(Number);
}

let failing: ReadonlySet<string> | undefined;

/** Whether the registry allows a command to return an error. */
export function canFail(command: string): boolean {
  return (failing ??= new Set(ERROR_CODES.split(" "))).has(command);
}

/** The first parameters of commands, as the registry names them. */
export const FIRST_PARAMETERS = [
  "instance",
  "physicalDevice",
  "device",
  "queue",
  "commandBuffer",
  "externalQueue",
] as const;

/** The name of a command's first parameter. */
export type FirstParameter = typeof FIRST_PARAMETERS[number];

const INSTANCE =
  /^vk(DestroyInstance|EnumeratePhysicalDevices|EnumeratePhysicalDeviceGroups(KHR)?|GetInstanceProcAddr|Create\w*Surface\w*|DestroySurfaceKHR|\w*Debug(Report|Utils)\w*)$/;
const COMMAND_BUFFER = /^vk(Cmd|(Begin|End|Reset)CommandBuffer$)/;
const QUEUE = /^vk(Queue|GetQueueCheckpointData)/;
const EXTERNAL_QUEUE = "vkGetExternalComputeQueueDataNV";

/**
 * Returns the first parameter of a command of a level, from its name alone,
 * because finding all commands in the table takes thirty milliseconds.
 */
export function firstParameter(level: "instance" | "device", command: string): FirstParameter {
  if (level === "instance") return INSTANCE.test(command) ? "instance" : "physicalDevice";
  if (COMMAND_BUFFER.test(command)) return "commandBuffer";
  if (QUEUE.test(command)) return "queue";
  return command === EXTERNAL_QUEUE ? "externalQueue" : "device";
}
