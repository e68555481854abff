import type { Group } from "../lists.ts";
import type { Command, Type } from "./model.ts";

/**
 * Keeps only the types that a version, an extension or a kept type needs, so that nothing of Vulkan SC or of a
 * disabled extension leaks in. A type without a home gets the home of the first one that needs it.
 */
export function prune(types: Map<string, Type>, commands: ReadonlyMap<string, Command>): void {
  const used = new Set<string>();
  for (const type of [...types.values()]) {
    if (type.group && type.kind !== "incomplete" && type.kind !== "pointer") keep(type.name, type.group);
  }
  for (const command of commands.values()) {
    for (const name of [command.result, ...command.parameters.map((each) => each.type)]) keep(name, command.group!);
  }
  for (const name of [...types.keys()]) if (!used.has(name)) types.delete(name);

  function keep(name: string, group: Group): void {
    const type = types.get(name);
    if (!type || used.has(name)) return;
    used.add(name);
    type.group ??= group;
    for (const needed of neededBy(type)) keep(needed, type.group);
  }
}

function neededBy(type: Type): string[] {
  switch (type.kind) {
    case "alias":
      return [type.to];
    case "struct":
      return type.members.map((member) => member.type);
    case "flags":
      return type.of ? [type.of] : [];
    default:
      return [];
  }
}
