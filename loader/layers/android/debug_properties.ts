import type { Finding } from "../../driver/report/finding.ts";

/** The property that lists layers, and the prefix of those that name one layer each. */
const LIST = "debug.vulkan.layers", SINGLE = "debug.vulkan.layer.";
/** The last numbered property that is read even if the one before it is not set. */
const LAST_ALWAYS = 9;
/** PROP_VALUE_MAX: the first position of the list, so that the whole list comes before the numbered properties. */
const LIST_PRIORITY = -92;

/** A layer named by a property. */
interface Named {
  readonly priority: number;
  readonly name: string;
}

/** Returns the layers that properties name for every application, top to bottom. */
export function debugPropertyLayers(property: (name: string) => string, report: Finding[]): string[] {
  const read = (path: string) => {
    const value = property(path), reason = "names layers for every application";
    if (value !== "") report.push({ subject: "property", path, value, origin: "properties", taken: true, reason });
    return value;
  };
  const listed = read(LIST).split(":").map((name, index): Named => ({ priority: LIST_PRIORITY + index, name }));
  const all = [...listed.filter(({ name }) => name !== ""), ...numbered(read)];
  return all.sort((one, other) => one.priority - other.priority).map(({ name }) => name);
}

function numbered(read: (path: string) => string): Named[] {
  const found: Named[] = [];
  for (let priority = 0;; priority++) {
    const name = read(`${SINGLE}${priority}`);
    if (name !== "") found.push({ priority, name });
    else if (priority >= LAST_ALWAYS) return found;
  }
}
