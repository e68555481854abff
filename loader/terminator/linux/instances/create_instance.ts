import { arena, inFrame } from "../../../../ffi/arena.ts";
import { invokeAddress, peek32 } from "../../../../ffi/machine.ts";
import { infoForDriver, INSTANCE_CREATE_INFO } from "../../../driver/structs/create_info.ts";
import { asksForPortability, missesPortability } from "../../../driver/linux/portability.ts";
import { driverProc } from "../../../driver/interface/probe.ts";
import { type Member, offers } from "../members/member.ts";
import type { Say } from "../../../driver/report/log.ts";
import {
  offsetsOfVkInstanceCreateInfo,
  sizeOfVkApplicationInfo,
  VK_API_VERSION_1_0,
  VK_API_VERSION_1_1,
  VK_ERROR_INCOMPATIBLE_DRIVER,
  VK_ERROR_OUT_OF_HOST_MEMORY,
  VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR,
  VkApplicationInfo,
} from "../../../gen/native_gen.ts";

/** A member's new instance. */
export interface MadeInstance {
  /** The member. */
  readonly member: Member;
  /** The member's own instance. */
  readonly instance: bigint;
}

const INFO = offsetsOfVkInstanceCreateInfo;
const PORTABILITY = "VK_KHR_portability_enumeration";

/**
 * Calls vkCreateInstance of all members that may take part. A failing member is
 * left out. Out of memory is an error for all, and so is having no member left.
 */
export function createInstances(
  members: readonly Member[],
  info: bigint,
  allocator: bigint,
  { say, raisesVersion = false }: { readonly say: Say; readonly raisesVersion?: boolean },
): MadeInstance[] | number {
  const made: MadeInstance[] = [], taking = members.filter((each) => takesPart(each, info, say));
  for (const member of taking) {
    const instance = createInstance(member, info, allocator, raisesVersion);
    if (typeof instance === "bigint") made.push({ member, instance });
    else if (instance !== VK_ERROR_OUT_OF_HOST_MEMORY) say("warning", failure(member, instance));
    else {
      destroyInstances(made, allocator);
      return instance;
    }
  }
  if (made.length > 0) return made;
  if (taking.length === 0 && members.length > 0) say("error", missesPortability(info));
  say("error", "vkCreateInstance: Found no drivers!");
  return VK_ERROR_INCOMPATIBLE_DRIVER;
}

/** Calls vkDestroyInstance of each member. */
export function destroyInstances(made: readonly MadeInstance[], allocator: bigint): void {
  for (const { member, instance } of made) {
    const destroy = driverProc(member.driver, instance, "vkDestroyInstance");
    if (destroy !== 0n) invokeAddress(destroy, "v:qq", [instance, allocator]);
  }
}

function takesPart({ isPortability, driver }: Member, info: bigint, say: Say): boolean {
  if (!isPortability || asksForPortability(info)) return true;
  say("info", `${driver.path}: left out, because the application does not ask for portability drivers`);
  return false;
}

function failure({ driver }: Member, result: number): string {
  return `terminator_CreateInstance: Received return code ${result} from call to vkCreateInstance in ICD ${driver.path}. Skipping this driver.`;
}

/**
 * Calls vkCreateInstance of a member with its part of the create info. Returns
 * its instance, or the VkResult of the failure.
 */
export function createInstance(member: Member, info: bigint, allocator: bigint, raises = false): bigint | number {
  return inFrame((memory) => {
    const { view } = memory;
    const copy = infoForDriver(info, INSTANCE_CREATE_INFO, (name) => offers(member, name)), out = memory.alloc(8);
    if (!offers(member, PORTABILITY)) {
      const flags = view.getUint32(copy + INFO.flags, true);
      view.setUint32(copy + INFO.flags, flags & ~VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR, true);
    }
    if (member.isOld) changeVersion(copy, (version) => Math.min(version, VK_API_VERSION_1_0));
    else if (raises) changeVersion(copy, (version) => Math.max(version, VK_API_VERSION_1_1));
    const create = driverProc(member.driver, 0n, "vkCreateInstance");
    const result = invokeAddress(create, "s:qqq", [memory.address(copy), allocator, memory.address(out)]) as number;
    return result < 0 ? result : view.getBigUint64(out, true);
  });
}

/** Changes the version that an application requests. A 1.0 driver may refuse a version later than its own. */
function changeVersion(copy: number, change: (version: number) => number): void {
  const memory = arena(), { view } = memory, application = view.getBigUint64(copy + INFO.pApplicationInfo, true);
  const found = application === 0n ? 0 : peek32(application + VkApplicationInfo.apiVersion),
    version = found || VK_API_VERSION_1_0;
  if (change(version) === version) return;
  const changed = application === 0n ? emptyApplication() : memory.copyIn(application, sizeOfVkApplicationInfo);
  view.setUint32(changed + Number(VkApplicationInfo.apiVersion), change(version), true);
  view.setBigUint64(copy + INFO.pApplicationInfo, memory.address(changed), true);
}

function emptyApplication(): number {
  const memory = arena(), at = memory.alloc(sizeOfVkApplicationInfo);
  memory.bytes.fill(0, at, at + sizeOfVkApplicationInfo); // VK_STRUCTURE_TYPE_APPLICATION_INFO is 0
  return at;
}
