import { inFrame } from "../../../../ffi/arena.ts";
import { invokeAddress, poke64 } from "../../../../ffi/machine.ts";
import type { Say, Told } from "../../../driver/report/log.ts";
import { PHYSICAL_DEVICE } from "../../../emit/layout.ts";
import { VK_ERROR_INITIALIZATION_FAILED, VK_ERROR_OUT_OF_HOST_MEMORY } from "../../../gen/native_gen.ts";
import type { InstanceMemory } from "../instances/create_instance.ts";
import type { LiveMember, Member } from "../members/member.ts";
import { compareDevices } from "./device_choice.ts";
import { type DeviceFacts, readFacts, readName } from "./device_facts.ts";

/** The physical devices that an application sees, and their order. */
export interface DeviceChoice {
  /** Whether they are sorted. If not, they stay in the drivers' order, with the last driver's first. */
  readonly isSorted: boolean;
  /** VK_LOADER_DEVICE_SELECT: the device that comes first. */
  readonly chosen?: { readonly vendorID: number; readonly deviceID: number };
  /** Whether a device is visible. Default: all are. */
  readonly isVisible?: (facts: DeviceFacts) => boolean;
  /** Replaces all of these by an exact list: returns each device's index, or -1 for none. */
  readonly placeOf?: (owner: LiveMember, gpu: bigint) => number;
  /** Returns what the Khronos loader says when an application lists all these devices and gets those of the list. */
  readonly words?: (devices: readonly PhysicalDevice[]) => Told[];
}

/** A physical device of ours. */
export interface PhysicalDevice {
  /** The handle for applications and layers. */
  readonly handle: bigint;
  /** The driver's own handle. */
  readonly own: bigint;
  /** The member that the device belongs to. */
  readonly owner: LiveMember;
  /** The name that the device reports. */
  readonly name: string;
  /** All facts that the device reports, which are read at the first use: a single device needs no place among others. */
  readonly facts: DeviceFacts;
}

/** The number of devices in one piece of memory. */
const CHUNK = 32;

/** The Khronos loader's prefix of messages about devices. Programs search for these words. */
const SETUP = "setup_loader_term_phys_devs:";

/** The physical devices of one instance. A driver's device keeps its handle, however often it is listed. */
export class PhysicalDevices {
  readonly #members: readonly LiveMember[];
  readonly #choice: (mayBeSet: boolean) => DeviceChoice;
  readonly #say: Say;
  readonly #known = new Map<string, PhysicalDevice>();
  readonly #listed = new Map<LiveMember, readonly bigint[]>();
  /** The groups that members listed last, as they filled them, by member. */
  readonly listedGroups: Map<LiveMember, Uint8Array> = new Map();
  readonly #byHandle = new Map<bigint, PhysicalDevice>();
  readonly #memory: InstanceMemory;
  /** The choice of the last list. Reading the variables for another takes long. */
  #chosen: DeviceChoice | undefined;
  /** The devices of the last list, before the choice. */
  #found: readonly PhysicalDevice[] = [];
  #isUnmatched = false;
  #chunk = 0n;
  #inChunk = CHUNK;

  /** Starts without devices. `memory` will hold their handles. */
  constructor(
    members: readonly LiveMember[],
    memory: InstanceMemory,
    choice: (mayBeSet: boolean) => DeviceChoice,
    say: Say,
  ) {
    this.#memory = memory;
    this.#members = members;
    this.#choice = choice;
    this.#say = say;
  }

  /** Whether the settings file listed none of the devices when they were listed last. */
  get isUnmatched(): boolean {
    return this.#isUnmatched;
  }

  /** Returns the device of one of our handles; `undefined` for any other address. */
  find(handle: bigint): PhysicalDevice | undefined {
    return this.#byHandle.get(handle);
  }

  /** Whether a member's own handle was met. */
  has(member: Member, own: bigint): boolean {
    return this.known().some((device) => device.own === own && device.owner.member === member);
  }

  /** Returns all devices met so far. */
  known(): PhysicalDevice[] {
    return [...this.#byHandle.values()];
  }

  /** Returns our device for a member's device. */
  wrap(owner: LiveMember, own: bigint): PhysicalDevice {
    const key = `${owner.index} ${own}`;
    let device = this.#known.get(key);
    if (!device) {
      this.#known.set(key, device = makeDevice(this.#newHandle(owner, own), owner, own));
      this.#byHandle.set(device.handle, device);
    }
    return device;
  }

  /**
   * Asks all members again. A failing member does not hide the others, unless
   * it is out of memory. If no member has a device, the result is -3. Call this
   * method inside `unlessOutOfMemory()`. `mayBeSet`: whether one of the
   * variables that decide about devices is set.
   */
  enumerate(mayBeSet: boolean): PhysicalDevice[] | number {
    const lists = this.#members.map((member) => this.#devicesOf(member));
    if (lists.includes(undefined)) return VK_ERROR_OUT_OF_HOST_MEMORY;
    const found = this.#found = (lists as PhysicalDevice[][]).toReversed().flat();
    if (found.length === 0) {
      this.#say("error", `${SETUP}  Failed to detect any valid GPUs in the current config`);
      return VK_ERROR_INITIALIZATION_FAILED;
    }
    const choice = this.#chosen = this.#choice(mayBeSet), seen = this.arrange(found, choice);
    this.#isUnmatched = seen.length === 0 && choice.placeOf !== undefined;
    return this.#isUnmatched ? VK_ERROR_INITIALIZATION_FAILED : seen;
  }

  /** Reports which devices of the last list the settings file lists, if it lists some. */
  tellChoice(): void {
    for (const { level, text } of this.#chosen?.words?.(this.#found) ?? []) this.#say(level, text, "none");
  }

  /** Reports a group, by its place among all groups, that has a device which the settings file does not list. */
  tellLeftOut(index: number): void {
    if (this.#chosen?.placeOf) this.#say("info", leftOut(index), "none");
  }

  /** Returns the visible devices in order. */
  arrange(devices: readonly PhysicalDevice[], choice: DeviceChoice): PhysicalDevice[] {
    const { isSorted, chosen, isVisible, placeOf } = choice;
    if (placeOf) {
      const placed = devices.map((device) => ({ device, place: placeOf(device.owner, device.own) }));
      return placed.filter(({ place }) => place >= 0).sort((a, b) => a.place - b.place).map(({ device }) => device);
    }
    const visible = isVisible ? devices.filter(({ facts }) => isVisible(facts)) : [...devices];
    return isSorted ? visible.sort((a, b) => compareDevices(a.facts, b.facts, chosen)) : visible;
  }

  /** Compares visible devices, as they were listed last; 0 for two devices in any order. */
  comparison(seen: readonly PhysicalDevice[]): (left: PhysicalDevice, right: PhysicalDevice) => number {
    const { isSorted, chosen, placeOf } = this.#chosen ?? this.#choice(true);
    if (placeOf) return (left, right) => seen.indexOf(left) - seen.indexOf(right);
    return isSorted ? (left, right) => compareDevices(left.facts, right.facts, chosen) : () => 0;
  }

  /** The handles that members listed last, by member. */
  get listed(): ReadonlyMap<LiveMember, readonly bigint[]> {
    return this.#listed;
  }

  /** Returns a member's devices; none if it fails, `undefined` if it is out of memory. */
  #devicesOf(owner: LiveMember): PhysicalDevice[] | undefined {
    const { table } = owner, handles = ownDevices(table.get("vkEnumeratePhysicalDevices"), table.instance);
    this.#listed.set(owner, typeof handles === "number" ? [] : handles);
    if (typeof handles !== "number") return handles.map((own) => this.wrap(owner, own));
    if (handles === VK_ERROR_OUT_OF_HOST_MEMORY) return undefined;
    const call = `Call to 'vkEnumeratePhysicalDevices' in ICD ${owner.member.driver.path}`;
    this.#say("error", `${SETUP} ${call} failed with error code ${handles}`);
    return [];
  }

  #newHandle({ table }: LiveMember, own: bigint): bigint {
    if (this.#inChunk === CHUNK) {
      this.#chunk = this.#memory.take(CHUNK * PHYSICAL_DEVICE.size);
      this.#inChunk = 0;
    }
    const handle = this.#chunk + BigInt(PHYSICAL_DEVICE.size * this.#inChunk++);
    poke64(handle + BigInt(PHYSICAL_DEVICE.table), table.address);
    poke64(handle + BigInt(PHYSICAL_DEVICE.handle), own);
    return handle;
  }
}

/** The Khronos loader's words about a group with a device that is not listed. */
function leftOut(index: number): string {
  return `terminator_EnumeratePhysicalDeviceGroups: Physical device group ${index} contains a VkPhysicalDevice which ` +
    "the settings file device configurations exclude, so the group was not reported.";
}

/** Returns the handles that an instance's vkEnumeratePhysicalDevices lists, or its error. */
export function ownDevices(enumerate: bigint, instance: bigint): bigint[] | number {
  return inFrame((memory) => {
    const count = memory.alloc(4),
      ask = (out: number) => invokeAddress(enumerate, "s:qoo", [instance, count, out]) as number;
    memory.view.setUint32(count, 0, true);
    let result = ask(0);
    const room = memory.view.getUint32(count, true), out = memory.alloc(8 * room + 8);
    if (result >= 0 && room > 0) result = ask(out);
    if (result < 0) return result;
    const found = Math.min(room, memory.view.getUint32(count, true));
    return Array.from({ length: found }, (_, index) => memory.view.getBigUint64(out + 8 * index, true));
  });
}

function makeDevice(handle: bigint, owner: LiveMember, own: bigint): PhysicalDevice {
  let facts: DeviceFacts | undefined;
  return {
    handle,
    own,
    owner,
    get name() {
      return readName(owner.table, own);
    },
    get facts() {
      return facts ??= readFacts(owner.table, own);
    },
  };
}
