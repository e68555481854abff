import { arena, inFrame } from "../../../../ffi/arena.ts";
import { invokeAddress, peek32, peek64, poke32, poke64 } from "../../../../ffi/machine.ts";
import { GROUP } from "../../../emit/layout.ts";
import type { LiveMember } from "../members/member.ts";
import type { PhysicalDevice, PhysicalDevices } from "./physical_devices.ts";
import {
  VK_ERROR_INITIALIZATION_FAILED,
  VK_ERROR_OUT_OF_HOST_MEMORY,
  VK_INCOMPLETE,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GROUP_PROPERTIES,
} from "../../../gen/native_gen.ts";

/** Physical devices that can be used as one. */
export interface DeviceGroup {
  /** The devices in order. */
  readonly devices: readonly PhysicalDevice[];
  /** VkPhysicalDeviceGroupProperties.subsetAllocation. */
  readonly subsetAllocation: boolean;
}

/**
 * Returns the groups of all members, the last member's first. They are sorted
 * as devices are: inside each group, and the groups by their first device.
 * Groups that compare equal stay in the driver's order. A group with a hidden
 * device is left out. A member that knows no groups, or cannot list them, has
 * one for each of its devices. A member that is out of memory is an error for
 * all. Members fill the structs at the addresses in `chained`, the caller's
 * pNext of each element, in the order before sorting. `leavesOut` hears the
 * places of groups with a hidden device, in that order, too.
 */
export function deviceGroups(
  members: readonly LiveMember[],
  devices: PhysicalDevices,
  seen: readonly PhysicalDevice[],
  chained: readonly bigint[] = [],
  leavesOut: (index: number) => void = () => {},
): DeviceGroup[] | number {
  const isSeen = new Set(seen), compare = devices.comparison(seen), found: DeviceGroup[] = [];
  for (const member of members.toReversed()) {
    const own = groupsOf(member, devices, seen, chained.slice(found.length));
    if (!own) return VK_ERROR_OUT_OF_HOST_MEMORY;
    found.push(...own);
  }
  const isWhole = (group: DeviceGroup) => group.devices.every((device) => isSeen.has(device));
  found.forEach((group, index) => isWhole(group) || leavesOut(index));
  const groups = found
    .filter((group) => group.devices.length > 0 && isWhole(group))
    .map((group) => ({ ...group, devices: group.devices.toSorted(compare) }));
  return groups.sort((a, b) => compare(a.devices[0], b.devices[0]));
}

/** The data of a group to write. */
type WrittenGroup = Pick<DeviceGroup, "subsetAllocation"> & {
  readonly devices: readonly { readonly handle: bigint }[];
};

/** Makes a group of each device, for a driver that knows no groups. */
export function groupEach<Device>(devices: readonly Device[]): { devices: Device[]; subsetAllocation: boolean }[] {
  return devices.map((device) => ({ devices: [device], subsetAllocation: false }));
}

/** Answers vkEnumeratePhysicalDeviceGroups. The caller's chain of each element stays. */
export function writeGroups(groups: readonly WrittenGroup[], count: bigint, out: bigint): number {
  if (out === 0n) {
    poke32(count, groups.length);
    return 0;
  }
  const room = Math.min(peek32(count), groups.length);
  writeAll(groups.slice(0, room), out);
  poke32(count, room);
  return room < groups.length ? VK_INCOMPLETE : 0;
}

/**
 * Returns the address of the caller's chain of each element in the array that
 * vkEnumeratePhysicalDeviceGroups fills.
 */
export function chainedToGroups(count: bigint, out: bigint): bigint[] {
  const room = out === 0n ? 0 : peek32(count);
  return Array.from({ length: room }, (_, index) => peek64(out + BigInt(GROUP.size * index + GROUP.next)));
}

/** Writes groups one after the other. */
export function writeAll(groups: readonly WrittenGroup[], out: bigint): void {
  groups.forEach((group, index) => writeGroup(group, out + BigInt(GROUP.size * index)));
}

/** Returns the size of so many groups in bytes. */
export function sizeOf(groups: readonly DeviceGroup[]): number {
  return GROUP.size * groups.length;
}

function writeGroup({ devices, subsetAllocation }: WrittenGroup, at: bigint): void {
  poke32(at + BigInt(GROUP.count), devices.length);
  devices.forEach(({ handle }, index) => poke64(at + BigInt(GROUP.handles + 8 * index), handle));
  poke32(at + BigInt(GROUP.subset), subsetAllocation ? 1 : 0);
}

function groupsOf(
  member: LiveMember,
  devices: PhysicalDevices,
  seen: readonly PhysicalDevice[],
  chained: readonly bigint[],
): DeviceGroup[] | undefined {
  const enumerate = member.table.get("vkEnumeratePhysicalDeviceGroups");
  devices.listedGroups.delete(member);
  const groups = enumerate === 0n ? VK_ERROR_INITIALIZATION_FAILED : ownGroups(member, enumerate, devices, chained);
  if (typeof groups !== "number") return groups;
  if (groups === VK_ERROR_OUT_OF_HOST_MEMORY) return undefined;
  return groupEach(seen.filter(({ owner }) => owner === member));
}

/** Returns the groups that a member lists, or its error. */
function ownGroups(
  owner: LiveMember,
  enumerate: bigint,
  devices: PhysicalDevices,
  chained: readonly bigint[],
): DeviceGroup[] | number {
  return inFrame((memory) => {
    const { view } = memory;
    const count = memory.alloc(4),
      ask = (out: number) => invokeAddress(enumerate, "s:qoo", [owner.table.instance, count, out]) as number;
    view.setUint32(count, 0, true);
    const counted = ask(0);
    if (counted < 0) return counted;
    const room = view.getUint32(count, true), out = memory.alloc(GROUP.size * room + 16);
    memory.bytes.fill(0, out, out + GROUP.size * room);
    for (let index = 0; index < room; index++) {
      view.setUint32(out + GROUP.size * index, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GROUP_PROPERTIES, true);
      view.setBigUint64(out + GROUP.size * index + GROUP.next, chained[index] ?? 0n, true);
    }
    const filled = room > 0 ? ask(out) : 0;
    if (filled < 0) return filled;
    const found = Math.min(room, view.getUint32(count, true));
    devices.listedGroups.set(owner, listedIn(out, found));
    return Array.from({ length: found }, (_, index) => readGroup(owner, devices, out + GROUP.size * index));
  });
}

/** Copies groups from the arena, without the caller's chains. */
function listedIn(at: number, count: number): Uint8Array {
  const groups = arena().bytes.slice(at, at + GROUP.size * count), view = new DataView(groups.buffer);
  for (let index = 0; index < count; index++) view.setBigUint64(GROUP.size * index + GROUP.next, 0n, true);
  return groups;
}

function readGroup(owner: LiveMember, devices: PhysicalDevices, at: number): DeviceGroup {
  const { view } = arena();
  const own = Array.from(
    { length: view.getUint32(at + GROUP.count, true) },
    (_, index) => view.getBigUint64(at + GROUP.handles + 8 * index, true),
  );
  return {
    devices: own.map((handle) => devices.wrap(owner, handle)),
    subsetAllocation: view.getUint32(at + GROUP.subset, true) !== 0,
  };
}
