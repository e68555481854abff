import { planOf } from "../../command/plan.ts";
import { findCommand } from "../../command/registry/table.ts";
import { DEVICE_NAMES, INSTANCE_NAMES } from "../../gen/command_table_gen.js";

/** The names of all commands. */
export function commandNames(): string[] {
  return `${INSTANCE_NAMES} ${DEVICE_NAMES}`.split(" ");
}

/** Whether some command takes or returns handles of a type. Stops at the first such command. */
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
