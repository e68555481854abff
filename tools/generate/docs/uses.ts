import { type Command, type Declaration, type Registry, resolveType, type StructType } from "../registry/model.ts";

/** The places where each type and result code is used. */
export interface Uses {
  /** By the name of a type: members of structs as `STRUCT.MEMBER`, then commands. */
  readonly types: ReadonlyMap<string, readonly string[]>;
  /** By the name of a type: the commands that hand out values of the type. */
  readonly makers: ReadonlyMap<string, readonly string[]>;
  /** By the name of a type: the commands that end an object of the type. */
  readonly enders: ReadonlyMap<string, readonly string[]>;
  /** By the name of a result code: the commands that return the code. */
  readonly codes: ReadonlyMap<string, readonly string[]>;
}

/** Finds out where types and result codes are used. */
export function usesOf(registry: Registry): Uses {
  const [types, makers, enders, codes] = Array.from({ length: 4 }, () => new Map<string, string[]>());
  const structs = [...registry.types.values()].filter((type): type is StructType => type.kind === "struct");
  const commands = [...registry.commands.values()].filter(({ alias }) => alias === undefined);
  for (const { name, members } of structs) {
    for (const member of members) note(types, nameOf(registry, member), `${name}.${member.name}`);
  }
  for (const command of commands) {
    for (const parameter of command.parameters) note(types, nameOf(registry, parameter), command.name);
    for (const parameter of command.parameters.filter(isOutput)) {
      note(makers, nameOf(registry, parameter), command.name);
    }
    const ended = command.parameters.findLast(({ type }) => type !== "VkAllocationCallbacks");
    if (ended && /^vk(Destroy|Free)/.test(command.name)) note(enders, nameOf(registry, ended), command.name);
    for (const code of codesOf(command)) note(codes, code, command.name);
  }
  return { types, makers, enders, codes };
}

/** The type of a declaration without aliases; for flags the enum of their bits. */
export function nameOf({ types }: Registry, { type }: Declaration): string {
  const resolved = resolveType(types, type);
  return (resolved?.kind === "flags" ? resolved.of && resolveType(types, resolved.of)?.name : undefined) ??
    resolved?.name ?? type;
}

function isOutput({ stars, isConst }: Declaration): boolean {
  return stars > 0 && !isConst;
}

function codesOf({ successCodes, errorCodes }: Command): string[] {
  return [...successCodes, ...errorCodes];
}

function note(found: Map<string, string[]>, key: string, place: string): void {
  const places = found.get(key);
  if (!places) found.set(key, [place]);
  else if (!places.includes(place)) places.push(place);
}
