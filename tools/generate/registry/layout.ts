import { type Declaration, type Layout, type Place, resolveType, type StructType, type Type } from "./model.ts";

/** Lays out every struct and union as a C compiler does on x86-64 and AArch64 Linux. */
export function layOutAll(types: ReadonlyMap<string, Type>): Map<string, Layout> {
  const layouts = new Map<string, Layout>();
  for (const type of types.values()) if (type.kind === "struct") layoutOf(type);
  return layouts;

  function layoutOf(struct: StructType): Layout {
    const known = layouts.get(struct.name);
    if (known) return known;
    const layout = layOut(struct, sizeOf);
    layouts.set(struct.name, layout);
    return layout;
  }

  function sizeOf(member: Declaration, owner: string): { size: number; align: number } {
    if (member.stars > 0) return { size: 8, align: 8 };
    const type = resolveType(types, member.type);
    switch (type?.kind) {
      case "struct":
        return layoutOf(type);
      case "scalar":
        return { size: type.size, align: type.size };
      case "enum":
      case "flags":
        return { size: type.bits / 8, align: type.bits / 8 };
      case "handle":
      case "funcpointer":
      case "pointer":
        return { size: 8, align: 8 };
      default:
        throw new Error(
          `Cannot lay out "${owner}.${member.name}": found ${member.type} by value, a type of unknown size; ` +
            `add it to SCALARS or POINTER_TYPES in tools/generate/lists.ts`,
        );
    }
  }
}

type SizeOf = (member: Declaration, owner: string) => { size: number; align: number };

function layOut(struct: StructType, sizeOf: SizeOf): Layout {
  const places: Place[] = [];
  let bit = 0, end = 0, align = 1;
  for (const member of struct.members) {
    const element = sizeOf(member, struct.name);
    if (struct.isUnion) bit = 0;
    const place = member.bits > 0
      ? placeBits(bit, member.bits, element.size)
      : placeWhole(bit, element.size * member.dims.reduce((all, extent) => all * extent, 1), element.align);
    places.push(place);
    bit = place.offset * 8 + (member.bits > 0 ? place.bit + member.bits : place.size * 8);
    end = Math.max(end, bit);
    align = Math.max(align, element.align);
  }
  return { size: roundUp(Math.ceil(end / 8), align), align, places };
}

/** A bit-field never straddles its storage unit: it begins the next one when it does not fit. */
function placeBits(bit: number, width: number, size: number): Place {
  const unit = size * 8;
  const start = bit % unit + width > unit ? roundUp(bit, unit) : bit;
  const offset = Math.floor(start / unit) * size;
  return { offset, size, bit: start - offset * 8 };
}

function placeWhole(bit: number, size: number, align: number): Place {
  return { offset: roundUp(Math.ceil(bit / 8), align), size, bit: 0 };
}

function roundUp(value: number, step: number): number {
  return Math.ceil(value / step) * step;
}
