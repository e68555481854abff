import { arena } from "../../../../../ffi/arena.ts";
import { countOf, type Parameter, planOf } from "../../../../../loader/command/plan.ts";
import { findCommand } from "../../../../../loader/command/registry/table.ts";
import type { Args } from "./fault.ts";

/** The `this` of a hook. */
// deno-lint-ignore no-explicit-any -- names of structs are only known at run time
export type Hook = any;
/** The arguments of a hook. */
// deno-lint-ignore no-explicit-any -- they depend on the command
export type Raw = any[];

/** The reading and the writing of a parameter in raw arguments. */
interface Access {
  readonly name: string;
  read(self: Hook, raw: Raw): unknown;
  write(self: Hook, raw: Raw, value: Args[string]): void;
}

const accesses = new Map<string, Access[]>();

/** Reads the arguments of a call by name. */
export function readArguments(self: Hook, command: string, raw: Raw): Args {
  return Object.fromEntries(accessesOf(command).map((each) => [each.name, each.read(self, raw)]));
}

/** Puts arguments in place of those that were read. */
export function writeArguments(self: Hook, command: string, raw: Raw, args: Args): void {
  for (const each of accessesOf(command)) if (args[each.name] !== null) each.write(self, raw, args[each.name]);
}

function accessesOf(command: string): Access[] {
  const known = accesses.get(command);
  if (known) return known;
  const { parameters } = planOf(findCommand(command)!);
  const made = parameters.flatMap((each, index) => accessOf(each, index, parameters) ?? []);
  accesses.set(command, made);
  return made;
}

function accessOf(parameter: Parameter, at: number, all: readonly Parameter[]): Access | undefined {
  const { name, role, kind, type } = parameter;
  const length = all.findIndex((each) => each.name === countOf(parameter));
  const put = (raw: Raw, address: bigint, count: number) => {
    raw[at] = address;
    if (length >= 0) raw[length] = count;
  };
  if (role === "value") return { name, read: (_, raw) => raw[at], write: (_, raw, value) => raw[at] = value };
  if (role === "struct") {
    return {
      name,
      read: (self, raw) => self.read(type, raw[at]),
      write: (self, raw, value) => raw[at] = self.write(type, value),
    };
  }
  if (role === "data") {
    return {
      name,
      read: (self, raw) => self.bytes(raw[at], Number(raw[length])),
      write: (_, raw, value) => raw[at] = arena().place(value),
    };
  }
  if (role !== "array" || length < 0 && parameter.dims.length === 0) return undefined;
  if (kind === "struct") {
    return {
      name,
      read: (self, raw) => self.readAll(type, raw[at], raw[length]),
      write: (self, raw, value) => put(raw, self.writeAll(type, value), value.length),
    };
  }
  const isLong = kind === "h" || kind === "u64", List = kind === "f32" ? Float32Array : Uint32Array;
  const bytesOf = (list: never[]) => new Uint8Array((isLong ? BigUint64Array.from(list) : new List(list)).buffer);
  const read = isLong ? "handles" : kind === "f32" ? "f32" : "u32";
  return {
    name,
    read: (self, raw) => self[read](raw[at], length < 0 ? Number(parameter.dims[0]) : raw[length]),
    write: (_, raw, value) => put(raw, arena().place(bytesOf(value as never)), value.length),
  };
}
