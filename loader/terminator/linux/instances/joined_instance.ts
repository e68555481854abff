import { NativeBlock } from "../../../../ffi/block.ts";
import { invokeAddress, peek32, poke32, poke64 } from "../../../../ffi/machine.ts";
import { INSTANCE } from "../../../../ffi/functions/member.ts";
import { driverProc, instanceProcAddr } from "../../../driver/interface/probe.ts";
import { missingCommands } from "../../../driver/interface/required.ts";
import { joinedCode } from "../code.ts";
import type { MadeInstance } from "./create_instance.ts";
import { chainedToGroups, type DeviceGroup, deviceGroups, writeGroups } from "../physical_devices/groups.ts";
import type { LiveMember, Member } from "../members/member.ts";
import { MemberTable, memberTableSize } from "../members/member_table.ts";
import type { Messengers } from "../messages/messengers.ts";
import { type DeviceChoice, type PhysicalDevice, PhysicalDevices } from "../physical_devices/physical_devices.ts";
import { InstanceMemory, unlessOutOfMemory } from "./instance_memory.ts";
import { NativeLists } from "../physical_devices/native_lists.ts";
import type { Say } from "../../../driver/report/log.ts";
import { surfaceOffset, Surfaces } from "../surfaces/surfaces.ts";

const VK_INCOMPLETE = 5, VK_ERROR_OUT_OF_HOST_MEMORY = -1;
/** ICD_LOADER_MAGIC: word 0 is the loader's to write, as with any driver's handle. */
const LOADER_MAGIC = 0x01cdc0den;

/** How the instances of a joined driver are to be. */
export interface InstanceRules {
  /** Which physical devices are seen, and in which order. */
  readonly choice: DeviceChoice;
  /** Puts into a member's new table what the member lacks and can be made of what it has, where these are enabled. */
  readonly emulate: (member: Member, table: MemberTable, enabled: ReadonlySet<string>) => void;
  /** Addresses of the commands that list devices and groups, for other threads when a member lists something new. */
  readonly changed: { readonly devices: bigint; readonly groups: bigint };
}

/** What an instance of ours is made of. */
interface NewInstance {
  /** Those of the members. */
  readonly made: readonly MadeInstance[];
  /** Address of the application's VkAllocationCallbacks. */
  readonly allocator: bigint;
  /** The Vulkan version that the application asked for. */
  readonly version: number;
}

/** An instance of ours: those of the members, and what applications see of them. */
export class JoinedInstance {
  /** The instance as layers and applications know it. */
  readonly handle: bigint;
  /** The members that made an instance and have all that a driver must have. */
  readonly members: readonly LiveMember[];
  /** The extensions the application enabled. */
  readonly extensions: ReadonlySet<string>;
  /** Its physical devices. */
  readonly devices: PhysicalDevices;
  /** Its surfaces. */
  readonly surfaces: Surfaces;
  /** Who listens to it. */
  readonly messengers: Messengers;
  /** Takes messages that concern it. */
  readonly say: Say;
  /** The version and the extensions it was made with: members answer alike for instances that have the same. */
  readonly madeWith: string;
  /** Whether there was memory enough when the members were first asked for their devices. */
  readonly hasMemory: boolean;
  readonly #memory: NativeBlock;
  readonly #taken: InstanceMemory;
  /** How many instances the members made for it. */
  readonly #made: number;
  readonly #lists: NativeLists;

  /** Puts instances that were just made with an allocator behind one handle. */
  constructor(
    { made, allocator, version }: NewInstance,
    extensions: ReadonlySet<string>,
    messengers: Messengers,
    { choice, emulate, changed }: InstanceRules,
    say: Say,
  ) {
    const size = memberTableSize();
    this.#memory = new NativeBlock(INSTANCE.tables + size * made.length);
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
      emulate(member, table, extensions);
      const getDeviceProcAddr = driverProc(member.driver, instance, "vkGetDeviceProcAddr");
      return { member, index, table, getDeviceProcAddr };
    }).filter((live) => isComplete(live, say));
    this.#taken = new InstanceMemory(this.handle, allocator);
    this.devices = new PhysicalDevices(this.members, this.#taken, choice, say);
    this.surfaces = new Surfaces({ handle: this.handle, places: made.length }, this.members, this.devices);
    messengers.begin(this.handle, this.members);
    this.#memory.view.setBigUint64(INSTANCE.changed, changed.devices, true);
    this.#memory.view.setBigUint64(INSTANCE.changedGroups, changed.groups, true);
    this.#lists = new NativeLists(this.handle, made.length, this.#taken);
    const found = this.#refresh(); // other threads may ask before this one does
    this.hasMemory = found !== VK_ERROR_OUT_OF_HOST_MEMORY;
  }

  /** Carries out vkEnumeratePhysicalDevices, and keeps the list for threads that cannot. */
  enumerate(count: bigint, out: bigint): number {
    const found = this.#refresh();
    if (typeof found === "number") return found;
    if (out === 0n) {
      poke32(count, found.length);
      return 0;
    }
    const room = Math.min(peek32(count), found.length);
    if (room < found.length) {
      this.say("info", `vkEnumeratePhysicalDevices: Trimming device count from ${found.length} to ${room}`);
    }
    found.slice(0, room).forEach(({ handle }, index) => poke64(out + BigInt(8 * index), handle));
    poke32(count, room);
    return room < found.length ? VK_INCOMPLETE : 0;
  }

  /** Carries out vkEnumeratePhysicalDeviceGroups. */
  enumerateGroups(count: bigint, out: bigint): number {
    const found = this.#refresh();
    const groups = unlessOutOfMemory(() => {
      const all = typeof found === "number" ? found : this.#groupsOf(found, chainedToGroups(count, out));
      if (all !== VK_ERROR_OUT_OF_HOST_MEMORY) this.#lists.publishGroups(all);
      return all;
    });
    return typeof groups === "number" ? groups : writeGroups(groups, count, out);
  }

  /** Destroys the members' instances, unless another thread has done so, and frees everything. */
  destroy(allocator: bigint): void {
    if (!this.isGone) this.#destroyOwn(allocator);
    this.surfaces.close();
    this.#taken.close();
    this.#memory.close();
  }

  /** Whether another thread has destroyed it; then its physical devices' handles may be others'. */
  get isGone(): boolean {
    return this.#memory.view.getBigUint64(INSTANCE.gone, true) !== 0n;
  }

  #destroyOwn(allocator: bigint): void {
    this.messengers.end();
    this.say("debug", `vkDestroyInstance: ${this.#made} driver instances are destroyed`);
    invokeAddress(joinedCode()!.destroyInstance, "v:qq", [this.handle, allocator]);
  }

  #refresh(): PhysicalDevice[] | number {
    return unlessOutOfMemory(() => {
      const found = this.devices.enumerate();
      if (found === VK_ERROR_OUT_OF_HOST_MEMORY) return found;
      this.#lists.publish(found, this.devices.listed, () => this.#groupsOf(found as PhysicalDevice[]));
      return found;
    });
  }

  #groupsOf(devices: readonly PhysicalDevice[], chained?: readonly bigint[]): DeviceGroup[] | number {
    return deviceGroups(this.members, this.devices, devices, chained);
  }
}

function isComplete({ member, table, getDeviceProcAddr }: LiveMember, say: Say): boolean {
  const missing = missingCommands((name) => name === "vkGetDeviceProcAddr" ? getDeviceProcAddr : table.get(name));
  if (missing.length === 0) return true;
  say("error", `${member.driver.path}: it has no ${missing.join(", ")}; its devices are left out`);
  return false;
}
