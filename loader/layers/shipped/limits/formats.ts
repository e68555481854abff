import { peek32, peek64, poke32, poke64 } from "../../../../ffi/machine.ts";
import { structAt } from "../../../codec/codec.ts";
import { layoutOf } from "../../../codec/layout/layout.ts";
import type { Hook, Layer } from "../../../layer.ts";
import { apply, eachLink, INNER, patchOf } from "../../define/device_changes.ts";
import type { FormatFeatures, SettingsOf } from "./settings.ts";

/** Makes the hooks of the queries about formats. */
export function formatHooks(current: SettingsOf): NonNullable<Layer["commands"]> {
  const formats2: Hook<"vkGetPhysicalDeviceFormatProperties2"> = (next, gpu, format, out) => {
    next(gpu, format, out);
    const { onlyLowers, ...settings } = current(gpu), features = settings.format(format);
    if (!features) return;
    putFeatures("VkFormatProperties", features, out + INNER, onlyLowers);
    eachLink(out, (name, address) => {
      if (name === "VkFormatProperties3") putFeatures(name, features, address, onlyLowers);
      else lowerModifiers(name, address, features);
    });
  };
  return {
    vkGetPhysicalDeviceFormatProperties(next, gpu, format, out) {
      next(gpu, format, out);
      const { onlyLowers, ...settings } = current(gpu), features = settings.format(format);
      if (features) putFeatures("VkFormatProperties", features, out, onlyLowers);
    },
    vkGetPhysicalDeviceFormatProperties2: formats2,
    vkGetPhysicalDeviceFormatProperties2KHR: formats2,
  };
}

/** The first 31 bits of both generations of flags mean the same; the older struct has no others. */
function putFeatures(struct: string, features: FormatFeatures, address: bigint, onlyLowers: boolean): void {
  const isWide = struct === "VkFormatProperties3", driver = onlyLowers ? structAt(struct, address) : {};
  const values = Object.entries(features).map(([name, bits]) => {
    const left = onlyLowers ? bits & BigInt(driver[name] as bigint | number) : bits;
    return [name, isWide ? left : Number(BigInt.asUintN(32, left))];
  });
  apply(patchOf(struct, Object.fromEntries(values)), address);
}

/** A list of modifiers and its element, by the list's name. */
const MODIFIERS: Readonly<Record<string, string>> = {
  VkDrmFormatModifierPropertiesListEXT: "VkDrmFormatModifierPropertiesEXT",
  VkDrmFormatModifierPropertiesList2EXT: "VkDrmFormatModifierProperties2EXT",
};

const TILING_FEATURES = "drmFormatModifierTilingFeatures";

/** Takes features from every modifier of a format, in a list at an address; all modifiers, if there are no features. */
function lowerModifiers(name: string, address: bigint, values: FormatFeatures): void {
  const element = MODIFIERS[name], features = values.linearTilingFeatures | values.optimalTilingFeatures;
  if (element === undefined) return;
  if (features === 0n) return apply(patchOf(name, { drmFormatModifierCount: 0 }), address);
  const [count, array] = layoutOf(name).fields.slice(2).map(({ offset }) => address + BigInt(offset));
  const { size, fields } = layoutOf(element), field = fields.find((each) => each.name === TILING_FEATURES)!;
  const first = peek64(array), length = first === 0n ? 0 : peek32(count);
  for (let index = 0; index < length; index++) {
    const at = first + BigInt(size * index + field.offset);
    if (field.kind === "u64") poke64(at, peek64(at) & features);
    else poke32(at, Number(BigInt(peek32(at) >>> 0) & features));
  }
}
