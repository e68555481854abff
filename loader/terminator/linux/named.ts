import { NativeBlock } from "../../../ffi/block.ts";
import { readCString } from "../../../ffi/cstring.ts";
import { createLookup, type Lookup } from "../../../ffi/functions/lookup.ts";
import { invokeAddress, poke64 } from "../../../ffi/machine.ts";
import { procOf } from "../../../ffi/library/library.ts";
import { tableLayout } from "../../chain/table/table_layout.ts";
import { surfaceCheck, SWAPCHAINS } from "../../emit/members/surface_check.ts";
import { byLayer } from "../../chain/bottom/driver_instance.ts";
import { enabledExtensions, requestedVersion } from "../../driver/structs/create_info.ts";
import { type Driver, driverOf } from "../../driver/interface/driver.ts";
import type { EntryPoints } from "../../driver/interface/entry_points.ts";
import { mergeExtensions, writeExtensionList } from "../../driver/interface/extension_list.ts";
import { driverProc } from "../../driver/interface/probe.ts";
import { createInstance } from "./instances/create_instance.ts";
import { Emulation } from "./emulation/emulation.ts";
import { type Member, memberIndices, memberOf, MemberTable, memberTableSize } from "./members/member.ts";
import { NamedListeners, OWN_EXTENSIONS } from "./messages/named_listeners.ts";
import { groupEach, writeGroups } from "./physical_devices/groups.ts";
import { ownDevices } from "./physical_devices/physical_devices.ts";
import type { NativeCall } from "../../command/compile.ts";
import type { Say } from "../../driver/report/log.ts";
import { Thunks } from "./code.ts";
import { VK_API_VERSION_1_1 } from "../../gen/native_gen.ts";

const INSTANCE_EXTENSIONS = "vkEnumerateInstanceExtensionProperties";
const DEVICE_EXTENSIONS = "vkEnumerateDeviceExtensionProperties";
const GROUPS = "vkEnumeratePhysicalDeviceGroups";
/** An empty set, because no other driver offers an extension that this one lacks. */
const NONE_BESIDE: ReadonlySet<string> = new Set();
/** A named driver answers for itself as far as it can, whatever the application's version is. */
const ANY_APPLICATION = { version: VK_API_VERSION_1_1, enabled: NONE_BESIDE };
const TOOLS = "vkGetPhysicalDeviceToolProperties";

/**
 * A named driver with everything that the Khronos loader adds to any driver:
 * commands by their other name and queries emulated for applications of Vulkan
 * 1.0, VK_KHR_portability_enumeration, messengers and debug callbacks, groups
 * of one device each if the driver lists none, and an answer about the device
 * extensions of a layer. Handles and all other commands stay the driver's own.
 * Takes ownership of the driver.
 */
export function completeDriver(driver: Driver, say: Say): Driver {
  return driverOf(driver.path, new NamedDriver(driver, say).entryPoints());
}

/** The loader's data about an instance. */
interface NamedInstance {
  /** Whether the instance lacks commands that can be made from those it has. */
  readonly hasGaps: boolean;
  /** Address of the instance's vkGetInstanceProcAddr, after the first query. */
  address?: bigint;
  /** The number of earlier instances with the same handle whose end is not yet reported. */
  goneBefore: number;
}

class NamedDriver {
  readonly #driver: Driver;
  readonly #member: Member;
  readonly #thunks = new Thunks();
  readonly #emulation: Emulation;
  readonly #given: ReadonlyMap<string, bigint>;
  /** The lookups, by the functions that differ from the driver's own. */
  readonly #lookups = new Map<string, Lookup>();
  /** Instances with gaps: those of an application, or of a driver, of Vulkan 1.0. */
  readonly #instances = new Map<bigint, NamedInstance>();
  readonly #listeners: NamedListeners;
  #listDevice = 0n;
  #listGroups = 0n;
  /** The list of tools of a driver without, the same for all instances: a table is filled to find what a command needs. */
  #toolless: [string, bigint][] | undefined;
  /** Whether an instance has enabled surfaces: only then there are swapchains. */
  #presents = false;
  /** The driver's vkGetDeviceProcAddr, from the latest instance. */
  #deviceProcAddr = 0n;

  constructor(driver: Driver, say: Say) {
    this.#driver = driver;
    this.#member = memberOf(driver);
    this.#listeners = new NamedListeners(this.#member, this.#thunks);
    this.#emulation = new Emulation(this.#member, this.#thunks, (_member, _gpu, words) => {
      for (const { level, text } of words(NONE_BESIDE)) {
        say(level, text);
        this.#listeners.tell(level, text);
      }
    });
    const create = this.#thunks.command(
      "vkCreateInstance",
      (info, allocator, out) => this.#createInstance(info, allocator, out),
    );
    this.#given = new Map([...driver.given, ["vkCreateInstance", create], [INSTANCE_EXTENSIONS, this.#listing()]]);
  }

  entryPoints(): EntryPoints {
    return {
      ...this.#driver,
      given: this.#given,
      instanceProcAddr: (instance) => this.#addressOf(instance),
      deviceProcAddr: (device) => this.#ofDevice(device),
      deviceSlots: (device) =>
        this.#presents ? SWAPCHAINS.map((name) => procOf(this.#deviceProcAddr, device, name)) : [],
      tell: (instance, { level, text }) => this.#listeners.tellOf(instance, level, text),
      prepare: () => this.#emulation.prepare(),
      instanceGone: (instance) => {
        this.#forget(instance);
        this.#driver.instanceGone?.(instance);
      },
      close: () => this.#close(),
    };
  }

  /** The vkGetDeviceProcAddr of a device: the driver's, unless the loader has a part in a command. */
  #ofDevice(device: bigint): bigint {
    const own = this.#deviceProcAddr, has = (name: string) => procOf(own, device, name) !== 0n;
    const checked = this.#presents && SWAPCHAINS.some(has)
      ? [...surfaceCheck(tableLayout("device").own) ?? []].filter(([name]) => has(name))
      : [];
    return this.#listeners.deviceProcAddr(own, checked);
  }

  #close(): void {
    for (const lookup of this.#lookups.values()) lookup.free();
    this.#listeners.close();
    this.#thunks.close();
    this.#driver.close();
  }

  #listing(): bigint {
    const list: NativeCall = (_layer, count, out) => {
      this.#member.askAgain();
      return writeExtensionList(mergeExtensions(this.#member.extensions, OWN_EXTENSIONS), count, out);
    };
    return this.#thunks.command(INSTANCE_EXTENSIONS, list, {
      onForeignThread: "block",
      next: driverProc(this.#driver, 0n, INSTANCE_EXTENSIONS),
    });
  }

  /** A driver of 1.0 hears of a later application version, because scripts may want to see the result. */
  #createInstance(info: bigint, allocator: bigint, out: bigint): number {
    this.#member.askAgain();
    const { isOld } = this.#member, messengers = this.#listeners.of(info);
    const made = createInstance({ ...this.#member, isOld: false }, info, allocator);
    if (typeof made === "number") return made;
    this.#presents ||= enabledExtensions(info)?.includes("VK_KHR_surface") ?? false;
    this.#listeners.begin(made, messengers);
    this.#deviceProcAddr = procOf(this.#driver.getInstanceProcAddr, made, "vkGetDeviceProcAddr");
    const before = this.#instances.get(made), goneBefore = before ? before.goneBefore + 1 : 0;
    this.#instances.set(made, { hasGaps: isOld || requestedVersion(info) < VK_API_VERSION_1_1, goneBefore });
    poke64(out, made);
    return 0;
  }

  /**
   * The end of an instance on another thread is reported late. The driver may
   * have given its handle to a new instance by then.
   */
  #forget(instance: bigint): void {
    const known = this.#instances.get(instance);
    if (known && known.goneBefore > 0) known.goneBefore--;
    else {
      this.#instances.delete(instance);
      this.#listeners.end(instance);
    }
  }

  #addressOf(instance: bigint): bigint {
    const known = this.#instances.get(instance);
    if (!known) return this.#driver.getInstanceProcAddr;
    return known.address ??= this.#lookup(instance, known.hasGaps).address;
  }

  #lookup(instance: bigint, hasGaps: boolean): Lookup {
    const entries: [string, bigint][] = [
      [DEVICE_EXTENSIONS, this.#listDevice ||= this.#deviceListing(instance)],
      ...this.#groups(instance),
      ...hasGaps ? this.#gaps(instance) : this.#noTools(instance),
      ...this.#listeners.commands(instance),
    ];
    const key = entries.join();
    let lookup = this.#lookups.get(key);
    if (!lookup) {
      this.#lookups.set(key, lookup = createLookup(entries, this.#driver.getInstanceProcAddr));
      lookup.set("vkGetInstanceProcAddr", lookup.address);
    }
    return lookup;
  }

  /** Returns the commands that an instance lacks and that can be made from those it has. */
  #gaps(instance: bigint): [string, bigint][] {
    using block = new NativeBlock(memberTableSize());
    const table = new MemberTable(block.address, block.view, instance, 0);
    table.fill(this.#driver.getInstanceProcAddr);
    const missing = [...memberIndices().keys()].filter((name) => table.get(name) === 0n);
    this.#emulation.fill(table, ANY_APPLICATION);
    return missing.map((name): [string, bigint] => [name, table.get(name)]).filter(([, address]) => address !== 0n);
  }

  /** The list of tools, which is empty for a driver that does not know the command. */
  #noTools(instance: bigint): [string, bigint][] {
    const isMissing = procOf(this.#driver.getInstanceProcAddr, instance, TOOLS) === 0n;
    return isMissing ? this.#toolless ??= this.#gaps(instance).filter(([name]) => name.startsWith(TOOLS)) : [];
  }

  /**
   * The command that lists groups, under both names, unless the driver has
   * both: the driver's under the other name, or ours.
   */
  #groups(instance: bigint): [string, bigint][] {
    const names = [GROUPS, `${GROUPS}KHR`],
      own = names.map((name) => procOf(this.#driver.getInstanceProcAddr, instance, name));
    if (!own.includes(0n)) return [];
    const address = own.find((each) => each !== 0n) ?? (this.#listGroups ||= this.#grouping());
    return names.map((name) => [name, address]);
  }

  #grouping(): bigint {
    return this.#thunks.command(GROUPS, (instance, count, out) => {
      const enumerate = procOf(this.#driver.getInstanceProcAddr, instance, "vkEnumeratePhysicalDevices");
      const handles = ownDevices(enumerate, instance);
      if (typeof handles === "number") return handles;
      return writeGroups(groupEach(handles.map((handle) => ({ handle }))), count, out);
    }, { onForeignThread: "skip", next: byLayer()?.groupEach ?? 0n });
  }

  /**
   * Without a layer's name, the driver answers. Layers answer for themselves,
   * and an unknown layer has no extensions.
   */
  #deviceListing(instance: bigint): bigint {
    const own = procOf(this.#driver.getInstanceProcAddr, instance, DEVICE_EXTENSIONS);
    if (own === 0n) return 0n;
    return this.#thunks.command(
      DEVICE_EXTENSIONS,
      (gpu, layer, count, out) =>
        readCString(layer) === ""
          ? invokeAddress(own, "s:qqqq", [gpu, 0n, count, out]) as number
          : writeExtensionList([], count, out),
      { next: own },
    );
  }
}
