import type { NameBlob } from "../../../../ffi/cstring.ts";
import { type MemoryReserve, NativeBlock } from "../../../../ffi/block.ts";
import { invokeAddress, peek32, poke32, poke64 } from "../../../../ffi/machine.ts";
import { UNCOUNTED } from "../../../chain/table/table_layout.ts";
import { INSTANCE } from "../../../emit/layout.ts";
import { driverProc, instanceProcAddr, LOADER_MAGIC, missingCommands } from "../../../driver/interface/probe.ts";
import { joinedCode } from "../code.ts";
import type { Application } from "../emulation/emulation.ts";
import { ALIGNMENT, InstanceMemory, type MadeInstance, PIECE, unlessOutOfMemory } from "./create_instance.ts";
import { chainedToGroups, type DeviceGroup, deviceGroups, writeGroups } from "../physical_devices/groups.ts";
import { type LiveMember, type Member, MemberTable, memberTableSize } from "../members/member.ts";
import type { Messengers } from "../messages/messengers.ts";
import { NativeLists } from "../physical_devices/native_lists.ts";
import { type DeviceChoice, type PhysicalDevice, PhysicalDevices } from "../physical_devices/physical_devices.ts";
import type { Say } from "../../../driver/report/log.ts";
import { surfaceOffset, Surfaces } from "../surfaces.ts";
import { VK_ERROR_INITIALIZATION_FAILED, VK_ERROR_OUT_OF_HOST_MEMORY, VK_INCOMPLETE } from "../../../gen/native_gen.ts";

/** Rules for the instances of a joined driver. */
export interface InstanceRules {
  /** Returns which physical devices are visible now, and in which order. The variables may be set, or are not. */
  readonly choice: (mayBeSet: boolean) => DeviceChoice;
  /** The names of these variables. */
  readonly variables: NameBlob;
  /** Keeps the memory of instances for later ones. */
  readonly reserve: MemoryReserve;
  /**
   * Adds to a member's new table the commands that the member lacks and that
   * can be made from those it has, for an application of a version with these
   * enabled extensions.
   */
  readonly emulate: (member: Member, table: MemberTable, application: Application) => void;
  /** Addresses of the commands that list devices and groups for other threads after a member lists something new. */
  readonly changed: { readonly devices: bigint; readonly groups: bigint };
}

/** The parts of an instance of ours. */
interface NewInstance {
  /** The members' instances. */
  readonly made: readonly MadeInstance[];
  /** Address of the application's VkAllocationCallbacks. */
  readonly allocator: bigint;
  /** The Vulkan version that the application requested. */
  readonly version: number;
}

/** An instance of ours: the members' instances, and what applications see of them. */
export class JoinedInstance {
  /** The handle for layers and applications. */
  readonly handle: bigint;
  /** The members that created an instance and have all required commands. */
  readonly members: readonly LiveMember[];
  /** The extensions that the application enabled. */
  readonly extensions: ReadonlySet<string>;
  /** The physical devices. */
  readonly devices: PhysicalDevices;
  /** The surfaces. */
  readonly surfaces: Surfaces;
  /** The messengers. */
  readonly messengers: Messengers;
  /** Takes messages about the instance. */
  readonly say: Say;
  /** The version and the extensions of the creation. Members answer alike for instances in which these are equal. */
  readonly madeWith: string;
  /** Whether there was enough memory when the members were first asked for their devices. */
  readonly hasMemory: boolean;
  readonly #memory: NativeBlock;
  readonly #taken: InstanceMemory;
  /** The number of instances that the members created for it. */
  readonly #made: number;
  readonly #lists: NativeLists;

  /** Puts new instances, created with an allocator, behind one handle. */
  constructor(
    { made, allocator, version }: NewInstance,
    extensions: ReadonlySet<string>,
    messengers: Messengers,
    { choice, emulate, changed, variables, reserve }: InstanceRules,
    say: Say,
  ) {
    const size = memberTableSize(), behind = ALIGNMENT * Math.ceil((INSTANCE.tables + size * made.length) / ALIGNMENT);
    this.#memory = new NativeBlock(behind + PIECE, reserve);
    this.#made = made.length;
    this.messengers = messengers;
    this.say = say;
    this.handle = this.#memory.address;
    this.extensions = extensions;
    this.madeWith = `${version} ${[...extensions].sort().join()}`;
    this.#memory.view.setBigUint64(0, LOADER_MAGIC, true);
    this.#memory.view.setBigUint64(INSTANCE.count, BigInt(made.length), true);
    this.members = made.map(({ member, instance }, index) => {
      const at = INSTANCE.tables + size * index, { bytes, address } = this.#memory;
      const view = new DataView(bytes.buffer, bytes.byteOffset + at, size);
      const table = new MemberTable(address + BigInt(at), view, instance, surfaceOffset(index));
      table.joinTo(this.handle, member.driver);
      table.fill(instanceProcAddr(member.driver, instance));
      emulate(member, table, { version, enabled: extensions });
      const getDeviceProcAddr = driverProc(member.driver, instance, "vkGetDeviceProcAddr");
      return { member, index, table, getDeviceProcAddr };
    }).filter((live) => isComplete(live, say));
    this.#taken = new InstanceMemory(this.handle, allocator, this.handle + BigInt(behind));
    this.devices = new PhysicalDevices(this.members, this.#taken, choice, say);
    this.surfaces = new Surfaces({ handle: this.handle, places: made.length }, this.members, this.devices);
    messengers.begin(this.handle, this.members);
    this.#memory.view.setBigUint64(INSTANCE.changed, changed.devices, true);
    this.#memory.view.setBigUint64(INSTANCE.changedGroups, changed.groups, true);
    this.#lists = new NativeLists({ handle: this.handle, places: made.length, memory: this.#taken, names: variables });
    const found = this.#refresh(); // other threads may ask before this thread does
    this.hasMemory = found !== VK_ERROR_OUT_OF_HOST_MEMORY;
  }

  /** Implements vkEnumeratePhysicalDevices, and publishes the list for threads that cannot run it. */
  enumerate(count: bigint, out: bigint): number {
    if (count === 0n) return this.#refuse(UNCOUNTED[0]);
    const found = this.#refresh();
    if (out !== 0n || this.devices.isUnmatched) this.devices.tellChoice();
    if (typeof found === "number") return found;
    if (out === 0n) {
      poke32(count, found.length);
      return 0;
    }
    const room = Math.min(peek32(count), found.length);
    if (room < found.length) {
      this.#sayTrimmed(found.length, room);
    }
    found.slice(0, room).forEach(({ handle }, index) => poke64(out + BigInt(8 * index), handle));
    poke32(count, room);
    return room < found.length ? VK_INCOMPLETE : 0;
  }

  /** Reports the short list that another thread got last, if there is one. */
  tellTrimmed(): void {
    const { view } = this.#memory, found = view.getUint32(INSTANCE.trimmed, true);
    if (found === 0) return;
    const room = view.getUint32(INSTANCE.trimmed + 4, true);
    view.setUint32(INSTANCE.trimmed, 0, true);
    this.#sayTrimmed(found, room);
  }

  /** Reports a caller that gave no place for a count: a layer, since the dispatch table refuses applications. */
  #refuse(words: string): number {
    this.say("error", words);
    return VK_ERROR_INITIALIZATION_FAILED;
  }

  #sayTrimmed(found: number, room: number): void {
    this.say("info", `vkEnumeratePhysicalDevices: Trimming device count from ${found} to ${room}`);
  }

  /** Implements vkEnumeratePhysicalDeviceGroups. */
  enumerateGroups(count: bigint, out: bigint): number {
    if (count === 0n) return this.#refuse(UNCOUNTED[1]);
    const found = this.#refresh();
    if (found === VK_ERROR_INITIALIZATION_FAILED && out === 0n && this.devices.isUnmatched) {
      return this.#countGroups(count);
    }
    if (out !== 0n) this.devices.tellChoice();
    const leavesOut = (index: number) => out === 0n || this.devices.tellLeftOut(index);
    const groups = unlessOutOfMemory(() => {
      const all = typeof found === "number" ? found : this.#groupsOf(found, chainedToGroups(count, out), leavesOut);
      this.#lists.publishGroups(all, this.devices.listedGroups);
      return all;
    });
    return typeof groups === "number" ? groups : writeGroups(groups, count, out);
  }

  /** Counts the groups although the settings file lists none of their devices: as in the Khronos loader, only filling fails. */
  #countGroups(count: bigint): number {
    const groups = this.#groupsOf(this.devices.known());
    return typeof groups === "number" ? groups : writeGroups(groups, count, 0n);
  }

  /** Destroys the members' instances, unless another thread has done so, and frees everything. */
  destroy(allocator: bigint): void {
    this.tellTrimmed();
    if (!this.isGone) this.#destroyOwn(allocator);
    this.surfaces.close();
    this.#taken.close();
    this.#memory.close();
  }

  /**
   * Whether another thread has destroyed the instance. The handles of its
   * physical devices may then belong to others.
   */
  get isGone(): boolean {
    return this.#memory.view.getBigUint64(INSTANCE.gone, true) !== 0n;
  }

  #destroyOwn(allocator: bigint): void {
    this.messengers.end();
    this.say("debug", `vkDestroyInstance: ${this.#made} driver instances are destroyed`);
    invokeAddress(joinedCode()!.destroyInstance, "v:qq", [this.handle, allocator]);
  }

  #refresh(): PhysicalDevice[] | number {
    this.tellTrimmed();
    return unlessOutOfMemory(() => {
      const variables = this.#lists.variables();
      const found = this.devices.enumerate(variables.some((value) => value !== 0n));
      if (found === VK_ERROR_OUT_OF_HOST_MEMORY) return found;
      const groups = () => typeof found === "number" ? found : this.#groupsOf(found);
      this.#lists.publish(found, this.devices, variables, groups);
      return found;
    });
  }

  #groupsOf(
    devices: readonly PhysicalDevice[],
    chained?: readonly bigint[],
    leavesOut?: (index: number) => void,
  ): DeviceGroup[] | number {
    return deviceGroups(this.members, this.devices, devices, chained, leavesOut);
  }
}

function isComplete({ member, table, getDeviceProcAddr }: LiveMember, say: Say): boolean {
  const missing = missingCommands((name) => name === "vkGetDeviceProcAddr" ? getDeviceProcAddr : table.get(name));
  if (missing.length === 0) return true;
  say("error", `${member.driver.path}: it has no ${missing.join(", ")}; its devices are left out`);
  return false;
}
