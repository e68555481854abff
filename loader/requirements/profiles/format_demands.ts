import type { DeviceFacts, FormatFacts } from "../facts.ts";
import { enumValue, numberOf, shownValue } from "./registry_names.ts";
import type { Demand } from "./report.ts";
import type { Json } from "./profile.ts";

/** The structs with which a profile may describe a format, and the flags types of their members. */
const STRUCTS: Readonly<Record<string, string>> = {
  VkFormatProperties: "VkFormatFeatureFlags",
  VkFormatProperties2: "VkFormatFeatureFlags",
  VkFormatProperties3: "VkFormatFeatureFlags2",
};
const MEMBERS = ["linearTilingFeatures", "optimalTilingFeatures", "bufferFeatures"] as const;

/** Returns what a capability demands of formats. A key may have several names with the same demands. */
export function formatDemands(
  formats: Readonly<Record<string, Record<string, Json>>>,
  device: DeviceFacts,
): Demand[] {
  return Object.entries(formats).flatMap(([names, structs]) =>
    names.split(" ").flatMap((name) => {
      const found = device.format(Number(numberOf("VkFormat", name)));
      return Object.entries(structs).flatMap(([struct, members]) => demandsOf(name, struct, members, found));
    })
  );
}

function demandsOf(format: string, given: string, members: Json, found: FormatFacts): Demand[] {
  const flags = STRUCTS[given.replace(/KHR$/, "")];
  if (flags === undefined) {
    throw new TypeError(`Cannot compare with a profile: ${format} is stated by ${given}; give VkFormatProperties`);
  }
  const values = (members.formatProperties ?? members) as Json;
  for (const name of Object.keys(values)) checkMember(given, name);
  return MEMBERS.filter((name) => values[name] !== undefined).map((name): Demand => {
    const wanted = BigInt(enumValue(flags, values[name]) as bigint | number), value = found[name];
    const missing = wanted & ~value;
    return {
      kind: "format",
      name: `${format}.${name}`,
      met: missing === 0n,
      wanted: shownBits(flags, wanted),
      found: missing === 0n ? "all of it" : `no ${shownBits(flags, missing)}`,
    };
  });
}

/** Formats bits by the distinct parts of their names. */
function shownBits(flags: string, bits: bigint): string {
  return shownValue(flags, bits).replace(/\bVK_FORMAT_FEATURE_(?:2_)?(\w+?)_BIT(\w*)\b/g, "$1$2");
}

function checkMember(struct: string, name: string): void {
  if (MEMBERS.some((each) => each === name)) return;
  throw new TypeError(`Cannot compare with a profile: ${struct} has no member ${name}; check its spelling`);
}
