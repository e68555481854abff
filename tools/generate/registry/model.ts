import type { Group } from "../lists.ts";

/** A struct member or a command parameter. */
export interface Declaration {
  /** The C name. */
  name: string;
  /** The C type without stars. */
  type: string;
  /** Number of `*` in the declaration. */
  stars: number;
  /** Whether the declaration points to const data. */
  isConst: boolean;
  /** Extents of an inline array, constants resolved. */
  dims: number[];
  /** Width of a bit-field; 0 for none. */
  bits: number;
  /** Count expressions, outermost first, `null-terminated` included. */
  len: string[];
  /** Whether the value may be null or zero. */
  optional: boolean;
  /** Whether the elements behind the pointer may be null or zero. */
  optionalElements: boolean;
  /** Whether no other thread may use the object during the call. */
  isExclusive: boolean;
  /** Whether the specification states rules of its own for the value. */
  noAutoValidity: boolean;
  /** The structure type constant that `sType` must hold. */
  value?: string;
  /** The member that says which member of this union is valid. */
  selector?: string;
  /** The enumerants that choose this union member. */
  selection: string[];
  /** The declaration in C. */
  text: string;
  /** Whether nothing reads it any more. */
  isUnused: boolean;
  /** The comparison of two values of a property, such as `max` or `min,pot`; `undefined` if the registry names none. */
  limit?: string;
}

/** The place of a member: byte offset and size, and for a bit-field its first bit counted from that byte. */
export interface Place {
  /** Bytes from the start of the struct. */
  offset: number;
  /** Bytes of the member, or of its storage unit. */
  size: number;
  /** First bit of a bit-field. */
  bit: number;
}

/** The C layout of a struct or union; `places` run parallel to its members. */
export interface Layout {
  /** Bytes in all. */
  size: number;
  /** Alignment in bytes. */
  align: number;
  /** One for each member. */
  places: Place[];
}

/** The layout of a format's texels in memory. */
export interface TexelFormat {
  /** The name, such as `VK_FORMAT_R8G8B8A8_UNORM`. */
  name: string;
  /** Bytes of a block of texels. */
  blockSize: number;
  /** Texels of a block: width, height, depth. */
  blockExtent: number[];
  /** Bits of the words that the components are packed in; 0 for components that lie one after the other. */
  packed: number;
  /** Whether the components lie in several planes. */
  isMultiPlanar: boolean;
  /** The components in order; `bits` is 0 for compressed ones. */
  components: { name: string; bits: number; numericFormat: string }[];
}

/** The common members of every named thing of the registry. */
export interface Named {
  /** The C name. */
  name: string;
  /** The home module; `undefined` until something requires the type or command. */
  group?: Group;
  /** Whether only provisional extensions require it. */
  experimental?: boolean;
}

/** A struct or union. */
export interface StructType extends Named {
  /** Tells types apart. */
  kind: "struct";
  /** Whether it is a union. */
  isUnion: boolean;
  /** Members in C order, `sType` and `pNext` included. */
  members: Declaration[];
  /** The constant of its structure type. */
  sType?: string;
  /** The structs in whose chain it may stand. */
  extends: string[];
  /** Whether only drivers fill it. */
  returnedOnly: boolean;
}

/** One value of an enum. */
export interface EnumValue {
  /** The C name. */
  name: string;
  /** The value; a bigint for 64-bit enums. */
  value: number | bigint;
  /** The value it is another name for. */
  alias?: string;
  /** Whether it belongs to a provisional extension. */
  experimental: boolean;
  /** Whether the registry says that only the name it stands for is to be used. */
  isDeprecated?: boolean;
}

/** An enum, or the bits of a flags type. */
export interface EnumType extends Named {
  /** Tells types apart. */
  kind: "enum";
  /** Width in C. */
  bits: 32 | 64;
  /** Whether its values are bits. */
  isBitmask: boolean;
  /** In the order of the registry. */
  values: EnumValue[];
}

/** A dispatchable or non-dispatchable handle. */
export interface HandleType extends Named {
  /** Tells types apart. */
  kind: "handle";
  /** Whether it is a pointer to an object with a dispatch table. */
  isDispatchable: boolean;
}

/** A flags type and the enum that holds its bits. */
export interface FlagsType extends Named {
  /** Tells types apart. */
  kind: "flags";
  /** Width in C. */
  bits: 32 | 64;
  /** The enum of its bits. */
  of?: string;
}

/** A C or platform type passed by value. */
export interface ScalarType extends Named {
  /** Tells types apart. */
  kind: "scalar";
  /** Bytes. */
  size: number;
  /** The code that the tables use. */
  code: string;
}

/** A function pointer, a typedef of a pointer, or a type known by name only. */
export interface OpaqueType extends Named {
  /** Tells types apart. */
  kind: "funcpointer" | "pointer" | "incomplete";
}

/** Another name for a type. */
export interface AliasType extends Named {
  /** Tells types apart. */
  kind: "alias";
  /** The name it stands for. */
  to: string;
}

/** Any type of the registry. */
export type Type = StructType | EnumType | HandleType | FlagsType | ScalarType | OpaqueType | AliasType;

/** A command, or another name for one. */
export interface Command extends Named {
  /** The command it is another name for. */
  alias?: string;
  /** C result type. */
  result: string;
  /** In C order. */
  parameters: Declaration[];
  /** Names of its success codes, VK_SUCCESS included. */
  successCodes: string[];
  /** Names of its error codes. */
  errorCodes: string[];
  /** The place of it beside render passes: `outside`, `inside` or `both`; absent if it is not recorded. */
  side?: string;
  /** The bits of the queue families whose command buffers may have it; empty if it is not recorded. */
  queues: string[];
  /** The levels of the command buffers that may have it: `primary`, `secondary`. */
  levels: string[];
}

/** An API constant; numbers only, with the C type it has. */
export interface Constant extends Named {
  /** A number, or a bigint where a number is not exact. */
  value: number | bigint;
}

/** A core version or an extension. */
export interface Block extends Named {
  /** Home module of the block's types and commands. */
  group: Group;
  /** Extension number; 0 for a core version. */
  number: number;
  /** A core version, or the level of an extension. */
  kind: "version" | "instance" | "device";
  /** Revision of the extension; 0 for a core version. */
  specVersion: number;
  /** The platform it is for. */
  platform?: string;
  /** The version or extension that took it over. */
  promotedTo?: string;
  /** Names of the commands that it requires. */
  commands: string[];
  /** Names of the types that it requires. */
  types: string[];
  /** The commands that are required only together with other versions or extensions. */
  conditional: ConditionalCommands[];
}

/** Commands and what must be there for them. */
export interface ConditionalCommands {
  /** Names of versions and extensions, with `+` for "and", `,` for "or" and parentheses. */
  condition: string;
  /** Names. */
  commands: string[];
}

/** The successor of a command or type, and the version or extension that brought it. */
export interface Superseded {
  /** The name of the version or extension. */
  since: string;
  /** The name to use; `undefined` if there is none. */
  by?: string;
}

/** Everything that was read. */
export interface Registry {
  /** The versions and extensions that bring each type, command, value and constant, core versions first. */
  sources: ReadonlyMap<string, readonly string[]>;
  /** The commands and types that newer ones took the place of. */
  superseded: ReadonlyMap<string, Superseded>;
  /** For example `1.4.359`. */
  version: string;
  /** By name, in the order of the registry. */
  types: Map<string, Type>;
  /** By name, in the order of the registry. */
  commands: Map<string, Command>;
  /** By name. */
  constants: Map<string, Constant>;
  /** Core versions first. */
  blocks: Block[];
  /** The layouts of every struct and union by name. */
  layouts: Map<string, Layout>;
  /** The formats of texels. */
  formats: TexelFormat[];
}

/** Follows aliases to the type itself. */
export function resolveType(types: ReadonlyMap<string, Type>, name: string): Exclude<Type, AliasType> | undefined {
  const type = types.get(name);
  return type?.kind === "alias" ? resolveType(types, type.to) : type;
}
