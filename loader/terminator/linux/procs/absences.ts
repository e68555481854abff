import { type Absent, createAbsent } from "../../../../ffi/functions/absent.ts";
import { canFail } from "../../../command/registry/result_codes.ts";
import { INSTANCE_NAMES } from "../../../gen/command_table_gen.js";
import { MOST_UNKNOWN } from "../members/member_table.ts";

const VK_SUCCESS = 0, VK_ERROR_EXTENSION_NOT_PRESENT = -7;
/** What is said, for `dprintf`: the command, and whose it is not. */
const FORMAT = `${"[Vulkan Loader] ERROR:".padEnd(32)}%s: %s does not have it\n`;

const commands = INSTANCE_NAMES.split(" ");
let made: Absent | null | undefined;
/** Commands the registry does not know, in the order they were met. */
const unknown: string[] = [];

/** Makes what {@linkcode absenceElsewhere} hands out. Not inside a callback. */
export function prepareAbsences(): void {
  if (made === undefined) made = make() ?? null;
}

/**
 * What other threads get to at a command of physical devices that the driver of this one lacks, while another driver
 * has it: a function that says so on standard error and fails. `undefined` where emitted code cannot be used, where
 * nothing was prepared, and after too many commands that the registry does not know.
 */
export function absenceElsewhere(name: string): bigint | undefined {
  const known = commands.indexOf(name), index = known < 0 ? unknownPlace(name) : known;
  return index === undefined ? undefined : made?.at(index);
}

function unknownPlace(name: string): number | undefined {
  let place = unknown.indexOf(name);
  if (place < 0) {
    if (unknown.length === MOST_UNKNOWN) return undefined;
    place = unknown.push(name) - 1;
    made?.name(commands.length + place, name);
  }
  return commands.length + place;
}

function make(): Absent | undefined {
  const known = commands.map((name) => ({ name, result: canFail(name) ? VK_ERROR_EXTENSION_NOT_PRESENT : VK_SUCCESS }));
  const rest = Array.from({ length: MOST_UNKNOWN }, () => ({ name: "", result: VK_SUCCESS }));
  return createAbsent([...known, ...rest], { format: FORMAT, driver: "the driver of this physical device" });
}
