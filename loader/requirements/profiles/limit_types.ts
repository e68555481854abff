import { LIMIT_TYPES } from "../gen/limit_types_gen.js";

const known = new Map<string, ReadonlyMap<string, readonly string[]>>();

/**
 * How a member of a properties struct is compared: words such as `max`, `min`,
 * `mul`, `pot`, `bits`, `bitmask`, `range` and `true`; none if the values must
 * be equal.
 */
export function limitTypeOf(struct: string, member: string): readonly string[] {
  let members = known.get(struct);
  if (!members) known.set(struct, members = parse(struct));
  return members.get(member) ?? [];
}

function parse(struct: string): Map<string, readonly string[]> {
  const start = LIMIT_TYPES.indexOf(` ${struct} `);
  if (start < 0) return new Map();
  const [, , ...kinds] = LIMIT_TYPES.slice(start, LIMIT_TYPES.indexOf("\n", start)).split(" ");
  return new Map(kinds.flatMap((kind) => {
    const [how, names] = kind.split(":"), words = how.split("+");
    return names.split(",").map((name) => [name, words] as const);
  }));
}
