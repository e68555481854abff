import { NameBlob } from "../../../../ffi/cstring.ts";
import { peek64, poke64 } from "../../../../ffi/machine.ts";
import { SpareMemory } from "../../../../ffi/spare_memory.ts";
import { createLookup, type Lookup } from "../../../../ffi/functions/lookup.ts";
import { prepareDeviceTrampolines } from "../../../chain/table/device_trampolines.ts";
import { enabledExtensions, requestedVersion } from "../../../driver/structs/create_info.ts";
import { type Driver, driverOf } from "../../../driver/interface/driver.ts";
import type { EntryPoints } from "../../../driver/interface/entry_points.ts";
import { mergeExtensions } from "../../../driver/interface/extension_list.ts";
import type { Finding } from "../../../driver/report/finding.ts";
import type { DriverSource } from "../../../driver/found_driver.ts";
import type { LayerExtension } from "../../../layer.ts";
import { DeviceProcAddrs, prepareAbsences } from "../procs/device_procs.ts";
import { joinedCode, Thunks } from "../code.ts";
import { createMemberDevice } from "../physical_devices/create_device.ts";
import { createInstances } from "./create_instance.ts";
import { DIRECT_DRIVER_LOADING, type DirectDrivers, directDrivers } from "../members/direct_drivers.ts";
import { Emulation, type TellOfCall } from "../emulation/emulation.ts";
import { InstanceProcAddrs } from "../procs/instance_proc_addr.ts";
import { changedLists, globalCommands, instanceCommands, knownInstanceExtensions } from "./joined_commands.ts";
import { type InstanceRules, JoinedInstance } from "./joined_instance.ts";
import { Messengers } from "../messages/messengers.ts";
import { type Member, Members } from "../members/member.ts";
import { OWN_EXTENSIONS } from "../messages/named_listeners.ts";
import { DEVICE_VARIABLES } from "../physical_devices/device_choice.ts";
import type { DeviceChoice, PhysicalDevice } from "../physical_devices/physical_devices.ts";
import type { Say } from "../../../driver/report/log.ts";
import {
  VK_ERROR_INCOMPATIBLE_DRIVER,
  VK_ERROR_INITIALIZATION_FAILED,
  VK_ERROR_OUT_OF_HOST_MEMORY,
} from "../../../gen/native_gen.ts";

/** The rules of the environment and the settings file for future instances. */
export interface JoinRules {
  /**
   * Returns which physical devices are visible now, and in which order. The
   * variables are read at each call, unless native code found all of them unset.
   */
  readonly choice: (mayBeSet: boolean) => DeviceChoice;
  /** Whether instance extensions outside the registry are listed, too: VK_LOADER_DISABLE_INST_EXT_FILTER. */
  readonly keepsUnknownExtensions?: boolean;
  /**
   * Whether drivers are told that an application of Vulkan 1.0 is one of 1.1,
   * so that they report more about their devices.
   */
  readonly raisesVersion?: boolean;
}

/** Options for several drivers that appear as one. */
export interface JoinOptions {
  /** Returns the current rules. */
  rules(): JoinRules;
  /** Returns the findings from reading the rules. */
  findings(): readonly Finding[];
  /** Takes the loader's messages. */
  readonly say: Say;
}

/** The extensions that the loader adds to the drivers' instance extensions, because it takes part in them. */
const JOINED_EXTENSIONS: readonly LayerExtension[] = [
  ...OWN_EXTENSIONS,
  { extensionName: DIRECT_DRIVER_LOADING, specVersion: 1 },
];

/**
 * Joins all drivers of a source into one, as the Khronos loader does: an
 * instance has the physical devices of all. Takes ownership of the source.
 * Returns `undefined` where emitted code cannot be used; the source then still
 * belongs to the caller.
 */
export function joinDrivers(source: DriverSource, options: JoinOptions): Driver | undefined {
  if (!joinedCode()) return undefined;
  if (source.look().drivers.length > 1) {
    if (!prepareDeviceTrampolines()) return undefined;
    prepareAbsences();
  }
  const joined = new JoinedDriver(source, options), driver = driverOf("", joined.entryPoints());
  return {
    ...driver,
    ...searchOf(source, options),
    prepare() {
      prepareAbsences(); // an application may bring more drivers
      joined.prepare();
    },
    get mayWait() {
      return source.look().drivers.some(({ driver: { mayWait } }) => mayWait);
    },
    get path() {
      return source.look().drivers.filter(({ isIdle }) => !isIdle).map(({ driver: { path } }) => path).join(", ");
    },
  };
}

/** The search for drivers, if the source searches. */
function searchOf(source: DriverSource, { findings }: JoinOptions): Pick<Driver, "search"> {
  const { search } = source, all = () => [...search?.findings() ?? [], ...findings()];
  return { search: { findings: all, refresh: () => search?.refresh() } };
}

class JoinedDriver {
  readonly #given: ReadonlyMap<string, bigint>;
  readonly #members: Members;
  readonly #options: JoinOptions;
  readonly #instances = new Map<bigint, JoinedInstance>();
  /** For each instance of ours, the members that created an instance. */
  readonly #inUse = new Map<JoinedInstance, readonly Member[]>();
  readonly #emulations = new WeakMap<Member, Emulation>();
  readonly #rules: Omit<InstanceRules, "choice">;
  readonly #thunks = new Thunks();
  /** The names of the variables that decide about devices. */
  readonly #variables = new NameBlob(DEVICE_VARIABLES);
  /** The memory of instances that are gone. */
  readonly #spare = new SpareMemory();
  readonly #globals: Lookup;
  readonly #ofInstances: InstanceProcAddrs;
  readonly #ofDevices = new DeviceProcAddrs();
  /** The latest device. The chain queries it before another device is created. */
  #last = { device: 0n, getDeviceProcAddr: 0n, table: 0n, path: "" };

  constructor(source: DriverSource, options: JoinOptions) {
    this.#members = new Members(source, () => [...this.#inUse.values()].flat());
    this.#options = options;
    this.#given = globalCommands(
      this.#thunks,
      () => listExtensions(this.#asked(), options.rules().keepsUnknownExtensions ?? false),
      (...args) => this.#createInstance(...args),
    );
    this.#globals = createLookup(this.#given);
    this.#globals.set("vkGetInstanceProcAddr", this.#globals.address);
    const of = (instance: bigint) => this.#instances.get(instance)!;
    this.#rules = {
      emulate: (member, table, application) => this.#emulationOf(member).fill(table, application),
      changed: changedLists(this.#thunks, of),
      variables: this.#variables,
      reserve: this.#spare,
    };
    const own = instanceCommands(this.#thunks, {
      of,
      destroyInstance: (...args) => this.#destroyInstance(...args),
      createDevice: (...args) => this.#createDevice(...args),
    });
    this.#ofInstances = new InstanceProcAddrs({ ...Object.fromEntries(this.#given), ...own }, {
      instances: this.#instances,
      thunks: this.#thunks,
      say: options.say,
    });
  }

  /** Makes what the current members need, which a callback may not be able to make. */
  prepare(): void {
    for (const member of this.#now()) this.#emulationOf(member).prepare();
  }

  entryPoints(): EntryPoints {
    const last = (device: bigint) => device === this.#last.device ? this.#last : undefined;
    return {
      kind: "icd",
      interfaceVersion: 7,
      sortsExtensions: true,
      getInstanceProcAddr: this.#globals.address,
      getPhysicalDeviceProcAddr: this.#ofInstances.physicalDevice,
      given: this.#given,
      instanceProcAddr: (instance) => this.#ofInstances.of(this.#instances.get(instance)!),
      deviceProcAddr: (device) => last(device)?.getDeviceProcAddr ?? 0n,
      deviceDriver: (device) => last(device)?.path ?? "",
      deviceSlots: (device) => [last(device)?.table ?? 0n],
      tell: (instance, { level, text }) => this.#instances.get(instance)?.messengers.tell(level, text),
      extensionsFor: (info) => this.#extensionsFor(info),
      instanceGone: (instance) => this.#destroyInstance(instance, 0n),
      close: () => this.#close(),
    };
  }

  #close(): void {
    for (const instance of this.#instances.values()) instance.destroy(0n);
    this.#globals.free();
    this.#ofInstances.close();
    this.#ofDevices.close();
    this.#thunks.close();
    this.#variables.close();
    this.#spare.close();
    this.#members.close();
  }

  /** The current members. */
  #now(): readonly Member[] {
    return this.#members.now();
  }

  /** The current members, with the extensions that they list now. */
  #asked(): readonly Member[] {
    const members = this.#now();
    for (const member of members) member.askAgain();
    return members;
  }

  #emulationOf(member: Member): Emulation {
    let emulation = this.#emulations.get(member);
    if (!emulation) {
      const offered = new Set(this.#now().flatMap(({ extensions }) => extensions.map((each) => each.extensionName)));
      emulation = new Emulation(member, this.#thunks, (...call) => this.#tellOfCall(...call), offered);
      this.#emulations.set(member, emulation);
    }
    return emulation;
  }

  /** Tells the listeners of the instance of a member's physical device of an emulated call. */
  #tellOfCall(...[member, gpu, words]: Parameters<TellOfCall>): void {
    for (const { isGone, devices, extensions, say } of this.#instances.values()) {
      if (isGone || !devices.has(member, gpu)) continue;
      for (const { level, text } of words(extensions)) say(level, text);
      return;
    }
  }

  /** The extensions of the drivers that an application passes and of those beside them; `undefined` if it passes none. */
  #extensionsFor(info: bigint): LayerExtension[] | undefined {
    const direct = directDrivers(info, new Set(enabledExtensions(info)), () => {}); // creation reports
    const keepsUnknown = () => this.#options.rules().keepsUnknownExtensions ?? false;
    return direct && listExtensions(this.#with(direct), keepsUnknown());
  }

  /** The members of an instance to which an application passes drivers. */
  #with(direct: DirectDrivers | undefined): Member[] {
    return [...direct?.members ?? [], ...direct?.isExclusive ? [] : this.#asked()];
  }

  #createInstance(info: bigint, allocator: bigint, out: bigint): number {
    const messengers = new Messengers(info), extensions = new Set(enabledExtensions(info));
    const say: Say = (level, text, category) => {
      this.#options.say(level, text, category);
      messengers.tell(level, text);
    };
    const direct = directDrivers(info, extensions, say);
    const members = this.#with(direct);
    const { choice, raisesVersion } = this.#options.rules();
    const made = createInstances(members, info, allocator, { say, raisesVersion });
    if (typeof made === "number") return made;
    const instance = new JoinedInstance({ made, allocator, version: requestedVersion(info) }, extensions, messengers, {
      ...this.#rules,
      choice,
    }, say);
    if (instance.members.length === 0 || !instance.hasMemory) {
      instance.destroy(allocator);
      return instance.hasMemory ? VK_ERROR_INCOMPATIBLE_DRIVER : VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    this.#instances.set(instance.handle, instance);
    this.#inUse.set(instance, made.map(({ member }) => member));
    poke64(out, instance.handle);
    return 0;
  }

  #destroyInstance(handle: bigint, allocator: bigint): void {
    const instance = this.#instances.get(handle);
    if (!instance) return;
    this.#instances.delete(handle);
    instance.destroy(allocator);
    this.#inUse.delete(instance);
    this.#members.sweep();
  }

  #createDevice(gpu: bigint, info: bigint, allocator: bigint, out: bigint): number {
    const found = this.#find(gpu);
    if (!found) {
      this.#options.say(
        "error",
        `vkCreateDevice got 0x${gpu.toString(16)}, which is no physical device of this loader`,
      );
      return VK_ERROR_INITIALIZATION_FAILED;
    }
    const { instance, device: { owner } } = found, { say } = instance;
    instance.tellTrimmed();
    say("plain", `       Using "${found.device.name}" with driver: "${owner.member.driver.path}"`);
    const result = createMemberDevice(found.device, instance.devices, { info, allocator, out, say });
    if (result < 0) return result;
    const device = peek64(out), hasDebugUtils = instance.extensions.has("VK_EXT_debug_utils");
    const getDeviceProcAddr = this.#ofDevices.of(owner, device, hasDebugUtils);
    this.#last = { device, getDeviceProcAddr, table: owner.table.address, path: owner.member.driver.path };
    return result;
  }

  #find(gpu: bigint): { instance: JoinedInstance; device: PhysicalDevice } | undefined {
    for (const instance of this.#instances.values()) {
      const device = instance.isGone ? undefined : instance.devices.find(gpu);
      if (device) return { instance, device };
    }
  }
}

function listExtensions(members: readonly Member[], keepsUnknown: boolean): LayerExtension[] {
  const known = knownInstanceExtensions();
  const offered = mergeExtensions(...members.map(({ extensions }) => extensions), JOINED_EXTENSIONS);
  return offered.filter(({ extensionName }) => keepsUnknown || known.has(extensionName));
}
