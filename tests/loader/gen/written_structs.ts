/** Every struct of the registry, read, changed and written by a layer; only ever type-checked, by `deno task check`. */
import { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2 } from "../../../loader/vk.ts";
import type { Out, VkDeviceCreateInfo } from "../../../loader/vk.ts";
import type { LayerContext } from "../../../loader/mod.ts";
import type { StructTypes } from "../../../loader/gen/names_gen.ts";

type Name = keyof StructTypes;

/** The structs that `this.write()` takes. */
type Written<Each extends Name> = StructTypes[Each] | Out<StructTypes[Each]>;

/** A struct that was read, with one member as scripts write the member. */
type Changed<Each extends Name, Key extends keyof StructTypes[Each]> =
  & Omit<Out<StructTypes[Each]>, Key>
  & { [Own in Key]: StructTypes[Each][Own] };

/** The members of a struct whose change makes the struct unfit to be written. Unions are written whole. */
type UnfitMembers<Each extends Name> = {
  [Key in keyof StructTypes[Each] & string]-?: Changed<Each, Key> extends StructTypes[Each] ? never : `${Each}.${Key}`;
}[keyof StructTypes[Each] & string];

type UnfitAsRead = { [Each in Name]: Out<StructTypes[Each]> extends StructTypes[Each] ? never : Each }[Name];
type UnfitAsChanged = { [Each in Name]: "__union" extends keyof StructTypes[Each] ? never : UnfitMembers<Each> }[Name];

/** The compiler names the structs and members that are missing here. */
export const unfit: readonly [{ [Each in UnfitAsRead]: never }, { [Each in UnfitAsChanged]: never }] = [{}, {}];

/** The table can fail: a size that is a number fits no struct that was read. */
export const counterexample: { size: number } extends Written<"VkBufferCreateInfo"> ? never : "unfit" = "unfit";

/** The spelling of a hook, with arguments that only exist as types. */
export function changes(context: LayerContext<Record<never, never>>, address: bigint): bigint[] {
  const info = context.read("VkDeviceCreateInfo", address);
  const written: VkDeviceCreateInfo = info;
  return [
    context.write("VkDeviceCreateInfo", info),
    context.write("VkDeviceCreateInfo", { ...info, pEnabledFeatures: { robustBufferAccess: true } }),
    context.write("VkDeviceCreateInfo", { ...info, pNext: [...info.pNext, { sType: VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, features: {} }] }),
    context.write("VkDeviceCreateInfo", written),
  ];
}
