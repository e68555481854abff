import * as lists from "../../gen/structs_gen.js";
import { type Form, signatureOf } from "./signature.ts";
import type { Command } from "./table.ts";

/** The dispatchable handles, which are objects in JavaScript. */
export const DISPATCHABLE: ReadonlySet<string> = new Set([
  "VkInstance",
  "VkPhysicalDevice",
  "VkDevice",
  "VkQueue",
  "VkCommandBuffer",
]);

/** Returns the stub signature of a command in one of its forms. */
export function commandSignature(command: Command, form: Form): string {
  return signatureOf(command.result, command.params, form, lists);
}
