import { type Absent, createAbsent } from "../../../emit/absent.ts";
import { canFail } from "../../../command/registry/table.ts";
import { INSTANCE_NAMES } from "../../../gen/command_table_gen.js";
import { MOST_UNKNOWN } from "../members/member_table.ts";
import { VK_ERROR_EXTENSION_NOT_PRESENT, VK_SUCCESS } from "../../../gen/native_gen.ts";

/** The message for `dprintf`: the command, and the driver that lacks it. */
const FORMAT = `${"[Vulkan Loader] ERROR:".padEnd(32)}%s: %s does not have it\n`;

const commands = INSTANCE_NAMES.split(" ");
let made: Absent | null | undefined;
/** Commands outside the registry, in the order in which they were met. */
const unknown: string[] = [];

/** Makes the functions that {@linkcode absenceElsewhere} returns. Not for use inside a callback. */
export function prepareAbsences(): void {
  if (made === undefined) made = make() ?? null;
}

/**
 * Returns the function for a command on physical devices that one driver lacks
 * and another has, for calls on other threads. The function reports the absence
 * on standard error and fails. Returns `undefined` where emitted code cannot be
 * used, if nothing was prepared, and after too many commands outside the
 * registry.
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
