import { layoutOf, nameOfSType } from "../../../loader/codec/layout/layout.ts";
import type { StructObject } from "../../../loader/codec/values/convert.ts";
import { VulkanError } from "../../../loader/error.ts";
import { coreName } from "../record/commands.ts";
import type { RecordedCall } from "../record/line.ts";
import { addressIn } from "./addresses.ts";
import type { ParsedCall } from "./arguments.ts";
import type { AllocateInfo } from "./memory.ts";
import type { Session } from "./session.ts";
import { VK_ACCELERATION_STRUCTURE_BUILD_TYPE_DEVICE_KHR } from "../../../loader/gen/native_gen.ts";
import {
  VK_BUFFER_CREATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT,
  VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT,
} from "../../../loader/gen/enums_core_gen.js";

/** The opaque capture address of a buffer or an allocation, if the device can give its address again. */
export function opaqueOf(session: Session, device: string, name: string): bigint | undefined {
  return session.place(device).givesAgain ? session.survey.opaque.get(name) : undefined;
}

/** Makes something at a recorded address or, if the driver has no room there, elsewhere. */
export function withAddress<T>(
  info: StructObject,
  struct: string,
  opaqueCaptureAddress: bigint | undefined,
  make: (info: StructObject) => T,
): T {
  if (!opaqueCaptureAddress) return make(info);
  const link = { sType: layoutOf(struct).sType, opaqueCaptureAddress };
  try {
    return make({ ...info, pNext: [...info.pNext as StructObject[] ?? [], link] });
  } catch (error) {
    if (!(error instanceof VulkanError)) throw error;
    return make(info);
  }
}

/** Without the flag for addresses that can be had again, where the device cannot. */
export function capturable({ pNext = [], ...info }: AllocateInfo, givesAgain: boolean): AllocateInfo {
  const links = (pNext as unknown as StructObject[]).map((link) =>
    nameOfSType(link.sType as number) === "VkMemoryAllocateFlagsInfo" && !givesAgain
      ? { ...link, flags: (link.flags as number) & ~VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT }
      : link
  );
  return { ...info, pNext: links as unknown as AllocateInfo["pNext"] };
}

/** Throws a `TypeError` if a build needs more than the recorded size, of which each driver has its own. */
export function requireRoom(session: Session, call: RecordedCall, { given }: ParsedCall): void {
  const device = session.device(session.deviceOf(call.args.commandBuffer)!);
  const ranges = given.get("ppBuildRangeInfos") as { readonly primitiveCount: number }[][];
  for (const [index, info] of (given.get("pInfos") as StructObject[]).entries()) {
    const counts = ranges[index].map(({ primitiveCount }) => primitiveCount);
    const { accelerationStructureSize: needed } = device.vkGetAccelerationStructureBuildSizesKHR(
      VK_ACCELERATION_STRUCTURE_BUILD_TYPE_DEVICE_KHR,
      info as never,
      counts,
    );
    const name = call.args.pInfos[index].dstAccelerationStructure, size = session.sizes.get(name)!;
    if (needed > size) throw new TypeError(`${name} has ${size} bytes in the recording, and needs ${needed} here`);
  }
}

/** Asks for an address, and has the recorded one mean this one from now on. */
export function getAddress(session: Session, call: RecordedCall, parsed: ParsedCall): void {
  const [name, recorded] = addressIn(coreName(call.command), call)!, here = session.call(call, parsed) as bigint;
  const size = name.startsWith("VkBuffer#") ? session.sizes.get(name)! : 1;
  session.addresses.add(name, recorded, BigInt(size), here);
}

/** Makes a buffer, at its recorded address where the device can. */
export function makeBuffer(session: Session, call: RecordedCall, parsed: ParsedCall): void {
  const { device } = call.args, info = parsed.given.get("pCreateInfo") as StructObject;
  if (!session.place(device).givesAgain) {
    info.flags = ((info.flags ?? 0) as number) & ~VK_BUFFER_CREATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT;
  }
  const address = opaqueOf(session, device, call.out!.pBuffer);
  withAddress(info, "VkBufferOpaqueCaptureAddressCreateInfo", address, (pCreateInfo) => {
    parsed.given.set("pCreateInfo", pCreateInfo);
    session.call(call, parsed);
  });
}
