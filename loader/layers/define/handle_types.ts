import { planOf } from "../../command/plan.ts";
import { findCommand } from "../../command/registry/table.ts";
import { DEVICE_NAMES, INSTANCE_NAMES } from "../../gen/command_table_gen.js";

/** Every command's name. */
export function commandNames(): string[] {
  return `${INSTANCE_NAMES} ${DEVICE_NAMES}`.split(" ");
}

/** Whether some command takes or gives handles of a type. Looks no further than the first that does. */
export function isHandleType(type: string): boolean {
  return commandNames().some((name) => handlesIn(name).includes(type));
}

/** All types of handles. */
export function handleTypes(): string[] {
  return [...new Set(commandNames().flatMap(handlesIn))];
}

function handlesIn(command: string): string[] {
  return planOf(findCommand(command)!).parameters.filter(({ kind }) => kind === "h").map(({ type }) => type);
}
