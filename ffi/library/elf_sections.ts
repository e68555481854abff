/** A section of a library that is in memory, from the file. */
export interface Section {
  readonly type: number;
  /** Offset in memory, in the file, and bytes. */
  readonly address: number;
  readonly offset: number;
  readonly size: number;
  readonly isWritable: boolean;
  readonly isExecutable: boolean;
}

/** Returns where something of these bytes and rights in memory is in the file; `undefined` for nowhere. */
type PlaceOf = (section: Pick<Section, "address" | "size" | "isWritable" | "isExecutable">) => number | undefined;

const ENTRY = 64, DYNAMIC = 6, NOBITS = 8, WRITABLE = 1n, ALLOCATED = 2n, EXECUTABLE = 4n;
/** Sections by their type, with the entries of the dynamic section that say where they are, and how large. */
const TABLES = [
  [14, "INIT_ARRAY", "INIT_ARRAYSZ"],
  [15, "FINI_ARRAY", "FINI_ARRAYSZ"],
  [0x6fffffff, "VERSYM", undefined],
] as const;
/** The entries of the dynamic section that sections witness. */
type Witnessed = Exclude<typeof TABLES[number][1 | 2], undefined>;

/** Reads the sections that are in memory. None of a file without sections, or with such as cannot be read. */
export function sectionsOf(
  header: DataView,
  fileSize: number,
  read: (at: number, size: number) => DataView,
): Section[] {
  const at = Number(header.getBigUint64(40, true)), count = header.getUint16(60, true);
  if (header.getUint16(58, true) !== ENTRY || at + count * ENTRY > fileSize) return [];
  const table = read(at, count * ENTRY), sections: Section[] = [];
  for (let row = 0; row + ENTRY <= table.byteLength; row += ENTRY) {
    const type = table.getUint32(row + 4, true), flags = table.getBigUint64(row + 8, true);
    if ((flags & ALLOCATED) === 0n || type === NOBITS) continue;
    const [address, offset, size] = [16, 24, 32].map((place) => Number(table.getBigUint64(row + place, true)));
    const rights = { isWritable: (flags & WRITABLE) !== 0n, isExecutable: (flags & EXECUTABLE) !== 0n };
    sections.push({ type, address, offset, size, ...rights });
  }
  return sections;
}

/**
 * Returns what the sections of a library show to be wrong, as a part of a sentence. The dynamic linker reads no
 * sections, and tools may spoil them: they count only where they have the dynamic section that the program headers have.
 */
export function faultOfSections(
  sections: readonly Section[],
  dynamic: Pick<Section, "address" | "offset">,
  value: (name: Witnessed) => number | undefined,
  placeOf: PlaceOf,
): string | undefined {
  const found = sections.filter(({ type }) => type === DYNAMIC);
  if (found.length !== 1 || found[0].address !== dynamic.address || found[0].offset !== dynamic.offset) {
    return undefined;
  }
  if (sections.some((each) => each.size > 0 && placeOf(each) !== each.offset)) {
    return "has a section that is not mapped where it says";
  }
  for (const [type, place, size] of TABLES) {
    const [section, ...others] = sections.filter((each) => each.type === type), address = value(place);
    if (!section || others.length > 0 || address === undefined) continue;
    if (address !== section.address || size && value(size) !== section.size) {
      return `has DT_${place} where it says no such section is`;
    }
  }
  return undefined;
}
