import * as lists from "../gen/structs_gen.js";
import { classOf, type Form, signatureOf } from "./signature.ts";
import type { Command } from "./table.ts";

/** How one value of a type is stored and checked. */
export type Kind =
  | "u8"
  | "i8"
  | "u16"
  | "i16"
  | "u32"
  | "i32"
  | "u64"
  | "i64"
  | "size"
  | "f32"
  | "f64"
  | "bool"
  | "handle"
  | "pointer"
  | "struct"
  | "text"
  | "void";

/** The handles that commands are dispatched by; they are objects in JavaScript. */
export const DISPATCHABLE: ReadonlySet<string> = new Set([
  "VkInstance",
  "VkPhysicalDevice",
  "VkDevice",
  "VkQueue",
  "VkCommandBuffer",
]);

const CODES: Readonly<Record<string, Kind>> = {
  u8: "u8",
  i8: "i8",
  u16: "u16",
  i16: "i16",
  u32: "u32",
  i32: "i32",
  u64: "u64",
  i64: "i64",
  usize: "size",
  f32: "f32",
  f64: "f64",
  bool: "bool",
  str: "text",
  void: "void",
  p: "pointer",
};
const CLASSES = {
  enum: "i32",
  flags: "u32",
  flags64: "u64",
  handle: "handle",
  pointer: "pointer",
  struct: "struct",
} as const;

/** How a type of the generated tables is stored. */
export function kindOf(type: string): Kind {
  return CODES[type] ?? CLASSES[classOf(type, lists)];
}

/** The stub signature of a command in one of its forms. */
export function commandSignature(command: Command, form: Form): string {
  return signatureOf(command.result, command.params, form, lists);
}
