import { bytesAt } from "../../../../ffi/arena.ts";
import { readCString } from "../../../../ffi/cstring.ts";
import { peek32, peek64 } from "../../../../ffi/machine.ts";
import { layoutOf } from "../../../codec/layout/layout.ts";
import { chain, nextOf } from "../../../driver/structs/create_info.ts";
import { VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT } from "../../../gen/enums_stype_gen.js";

/** A value of a setting. */
export type SettingValue = boolean | number | bigint | string;

function placesIn(struct: string): (member: string) => bigint {
  const places = new Map(layoutOf(struct).fields.map(({ name, offset }) => [name, BigInt(offset)]));
  return (member) => places.get(member)!;
}

/** Reads an element of each VkLayerSettingTypeEXT but text, and its bytes. */
const NUMBERS: readonly (readonly [size: number, read: (view: DataView, at: number) => SettingValue])[] = [
  [4, (view, at) => view.getUint32(at, true) !== 0],
  [4, (view, at) => view.getInt32(at, true)],
  [8, (view, at) => view.getBigInt64(at, true)],
  [4, (view, at) => view.getUint32(at, true)],
  [8, (view, at) => view.getBigUint64(at, true)],
  [4, (view, at) => view.getFloat32(at, true)],
  [8, (view, at) => view.getFloat64(at, true)],
];
const TEXT = NUMBERS.length;

/**
 * Returns the settings of a layer in the chain of a VkInstanceCreateInfo, by name: a list of values for each. They count
 * whether or not the instance enables VK_EXT_layer_settings.
 */
export function settingsInChain(layer: string, info: bigint): Map<string, SettingValue[]> {
  const found = new Map<string, SettingValue[]>(), of = placesIn("VkLayerSettingsCreateInfoEXT");
  const { size } = layoutOf("VkLayerSettingEXT"), at = placesIn("VkLayerSettingEXT");
  for (const { sType, address } of chain(nextOf(info))) {
    if (sType !== VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT) continue;
    const count = peek32(address + of("settingCount")), first = peek64(address + of("pSettings"));
    for (let index = 0; index < count; index++) {
      const setting = first + BigInt(index * size);
      if (readCString(peek64(setting + at("pLayerName"))) !== layer) continue;
      const name = readCString(peek64(setting + at("pSettingName")));
      const type = peek32(setting + at("type")), length = peek32(setting + at("valueCount"));
      found.set(name, valuesAt(type, length, peek64(setting + at("pValues"))));
    }
  }
  return found;
}

function valuesAt(type: number, count: number, address: bigint): SettingValue[] {
  const indices = Array.from({ length: count }, (_, index) => index);
  if (type === TEXT) return indices.map((index) => readCString(peek64(address + BigInt(8 * index))));
  const number = NUMBERS[type];
  if (!number) return [];
  const [size, read] = number, bytes = bytesAt(address, size * count);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return indices.map((index) => read(view, size * index));
}
