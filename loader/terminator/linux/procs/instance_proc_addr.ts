import { readCString } from "../../../../ffi/cstring.ts";
import { createLookup, type Lookup } from "../../../../ffi/functions/lookup.ts";
import { procOf } from "../../../../ffi/library/library.ts";
import { bottomProcAddr } from "../../../chain/bottom/terminators.ts";
import { deviceTrampoline } from "../../../chain/table/device_trampolines.ts";
import { commandSignature } from "../../../command/plan.ts";
import { EXPORTED_WITH_SURFACES, isEnabled } from "../../../command/registry/extension.ts";
import { findCommand } from "../../../command/registry/table.ts";
import { driverProc } from "../../../driver/interface/probe.ts";
import { INSTANCE_NAMES } from "../../../gen/command_table_gen.js";
import {
  absenceElsewhere,
  absenceWords,
  ASKS_FOR_WINDOWS,
  DEBUG_UTILS,
  type DeviceCommands,
  KnownDeviceCommands,
} from "./device_procs.ts";
import { joinedCode, physicalDeviceCode, type Thunks } from "../code.ts";
import { physicalDeviceCommands } from "../instances/joined_commands.ts";
import type { JoinedInstance } from "../instances/joined_instance.ts";
import { type LiveMember, memberIndices, MOST_UNKNOWN, unknownIndex } from "../members/member.ts";
import type { Say } from "../../../driver/report/log.ts";
import { VK_ERROR_EXTENSION_NOT_PRESENT } from "../../../gen/native_gen.ts";

/**
 * The registry's commands other than device commands. Those that an instance
 * lacks are NULL, and no driver is asked.
 */
const NOT_THERE = [...INSTANCE_NAMES.split(" "), "vkEnumerateInstanceLayerProperties"]
  .map((name): [string, bigint] => [name, 0n]);

/** The parts of the driver that the lookups need. */
export interface InstanceContext {
  /** The live instances, by handle. */
  readonly instances: ReadonlyMap<bigint, JoinedInstance>;
  /** Owns the callbacks. */
  readonly thunks: Thunks;
  /** Takes messages. */
  readonly say: Say;
}

/** The commands that instances of one version with the same extensions may have. */
interface Candidates {
  /** The commands of the joined driver itself. */
  readonly own: readonly string[];
  /** Commands on physical devices, with their places in a member's table. */
  readonly onGpus: readonly { readonly name: string; readonly index: number; readonly isAnswered: boolean }[];
  /** The commands of those instances, by the places of those that no member has. */
  readonly available: Map<string, Available>;
}

/** The commands of an instance. */
interface Available {
  readonly names: readonly string[];
  /** The names as one text. */
  readonly key: string;
}

/** The lookup of instances whose members have the same device commands. */
interface SharedLookup {
  readonly lookup: Lookup;
  readonly devices: DeviceCommands;
}

/**
 * The vkGetInstanceProcAddr of instances. Machine code answers for known
 * commands, if the instance enabled them and a member has them. For other
 * commands the members are asked.
 */
export class InstanceProcAddrs {
  /** The same for physical-device commands only: a vk_icdGetPhysicalDeviceProcAddr. */
  readonly physicalDevice: bigint;
  readonly #own: Readonly<Record<string, bigint>>;
  readonly #context: InstanceContext;
  readonly #miss: bigint;
  /** Lookups by the commands of their instances. */
  readonly #lookups = new Map<string, SharedLookup[]>();
  readonly #devices = new KnownDeviceCommands();
  /** Candidates by what instances are made with. */
  readonly #candidates = new Map<string, Candidates>();
  readonly #addresses = new WeakMap<JoinedInstance, bigint>();
  readonly #absent = new Map<string, bigint>();
  /** Commands outside the registry, in the order in which they were met. */
  readonly #unknown = new Map<string, number>();

  /** `own` are the commands that the joined driver implements itself, by name. */
  constructor(own: Readonly<Record<string, bigint>>, context: InstanceContext) {
    this.#own = own;
    this.#context = context;
    const { thunks } = context, options = { onForeignThread: "skip" } as const;
    this.#miss = thunks.function("q:qq", (handle, name) => this.#find(handle, readCString(name)), {
      ...options,
      next: joinedCode()!.unknownOfOne,
    });
    this.physicalDevice = thunks.function(
      "q:qq",
      (handle, name) => this.#physicalDevice(handle, readCString(name)),
      options,
    );
  }

  /** Returns the function of an instance. Instances with the same commands share one. */
  of(instance: JoinedInstance): bigint {
    let address = this.#addresses.get(instance);
    if (address === undefined) this.#addresses.set(instance, address = this.#lookup(instance).address);
    return address;
  }

  /** Frees the functions. All instances must be gone. */
  close(): void {
    for (const { lookup } of [...this.#lookups.values()].flat()) lookup.free();
    this.#lookups.clear();
  }

  #lookup(instance: JoinedInstance): Lookup {
    const { names, key } = this.#available(instance);
    const devices = this.#devices.of(instance.members, instance.madeWith), alike = this.#lookups.get(key) ?? [];
    const known = alike.find((each) => each.devices.equals(devices));
    if (known) return known.lookup;
    const lookup = this.#make(names, devices);
    this.#lookups.set(key, [...alike, { lookup, devices }]);
    return lookup;
  }

  #make(names: readonly string[], devices: DeviceCommands): Lookup {
    const entries = names.map((name): [string, bigint] => [name, this.#own[name] ?? physicalDeviceCode(name)]);
    const utils = names.includes("vkCreateDebugUtilsMessengerEXT") ? DEBUG_UTILS : [], { nothing } = joinedCode()!;
    const onDevices = devices.entries().map(([name, found]): [string, bigint] => {
      return [name, found === 0n && utils.includes(name) ? nothing : found];
    });
    const lookup = createLookup(
      [...NOT_THERE, ...onDevices, ...entries, ["vkGetDeviceProcAddr", bottomProcAddr()!]],
      this.#miss,
    );
    lookup.set("vkGetInstanceProcAddr", lookup.address);
    return lookup;
  }

  #available(instance: JoinedInstance): Available {
    const { own, onGpus, available } = this.#candidatesOf(instance), { members } = instance, absent: number[] = [];
    for (const { name, index, isAnswered } of onGpus) {
      if (members.every(({ table }) => table.has(index))) continue;
      if (isAnswered || members.some(({ table }) => table.has(index))) this.#fillGaps(members, name, index);
      else absent.push(index);
    }
    const found = available.get(absent.join());
    if (found) return found;
    const there = onGpus.filter(({ index }) => !absent.includes(index)).map(({ name }) => name);
    const names = [...new Set([...own, ...there])], made = { names, key: names.join() };
    available.set(absent.join(), made);
    return made;
  }

  #candidatesOf({ extensions, madeWith }: JoinedInstance): Candidates {
    const known = this.#candidates.get(madeWith);
    if (known) return known;
    const isExported = (name: string) => extensions.has("VK_KHR_surface") && EXPORTED_WITH_SURFACES.includes(name);
    const enabled = physicalDeviceCommands().filter((name) => isEnabled(name, extensions) || isExported(name));
    const candidates = {
      own: Object.keys(this.#own).filter((name) => isEnabled(name, extensions)),
      onGpus: enabled.map((name) => ({
        name,
        index: memberIndices().get(name)!,
        isAnswered: ASKS_FOR_WINDOWS.test(name),
      })),
      available: new Map(),
    };
    this.#candidates.set(madeWith, candidates);
    return candidates;
  }

  /** A member that lacks a command of another member gets a function that reports so. */
  #fillGaps(members: readonly LiveMember[], name: string, index: number): void {
    for (const { table } of members) if (!table.has(index)) table.set(index, this.#absence(name));
  }

  #absence(name: string): bigint {
    const known = this.#absent.get(name);
    if (known !== undefined) return known;
    const command = findCommand(name), signature = command ? commandSignature(command, "raw") : "q:q";
    const failure = signature[0] === "s" ? VK_ERROR_EXTENSION_NOT_PRESENT : signature[0] === "q" ? 0n : 0;
    const run = (gpu: bigint) => {
      (this.#ownerOf(gpu) ?? this.#context).say("fatal", absenceWords(name));
      return failure;
    };
    const address = this.#context.thunks.function(signature, run, { failure, next: absenceElsewhere(name) });
    this.#absent.set(name, address);
    return address;
  }

  /** Returns the instance with a physical device, whose handle is the driver's own. */
  #ownerOf(gpu: bigint): JoinedInstance | undefined {
    return [...this.#context.instances.values()].find(({ isGone, members, devices }) =>
      !isGone && members.some(({ member }) => devices.has(member, gpu))
    );
  }

  #find(handle: bigint, name: string): bigint {
    const instance = this.#context.instances.get(handle);
    if (!instance) return 0n;
    const command = findCommand(name);
    if (command) return command.level === "device" ? deviceCommand(instance, name, true) : 0n;
    return this.#unknownOfGpu(instance, name) || deviceCommand(instance, name, false);
  }

  #physicalDevice(handle: bigint, name: string): bigint {
    const instance = this.#context.instances.get(handle);
    if (!instance) return 0n;
    if (findCommand(name)) {
      return physicalDeviceCommands().includes(name) ? procOf(this.of(instance), handle, name) : 0n;
    }
    return this.#unknownOfGpu(instance, name);
  }

  /** Returns a physical-device command that only a driver knows. */
  #unknownOfGpu({ members }: JoinedInstance, name: string): bigint {
    const found = members.map(({ member, table }) => {
      const lookup = member.driver.getPhysicalDeviceProcAddr;
      return lookup === 0n ? 0n : procOf(lookup, table.instance, name);
    });
    if (found.every((address) => address === 0n)) return 0n;
    const index = this.#unknownPlace(name);
    if (index === undefined) return 0n;
    members.forEach(({ table }, each) => table.set(index, found[each] || this.#absence(name)));
    return joinedCode()!.at(index);
  }

  #unknownPlace(name: string): number | undefined {
    const known = this.#unknown.get(name);
    if (known !== undefined) return unknownIndex(known);
    if (this.#unknown.size === MOST_UNKNOWN) {
      this.#context.say("error", `${name}: ${MOST_UNKNOWN} commands that the registry does not know were met before`);
      return undefined;
    }
    this.#unknown.set(name, this.#unknown.size);
    return unknownIndex(this.#unknown.size - 1);
  }
}

/**
 * Returns a device-level command, if a member has it: the member's own, or a
 * function that finds the member by the device.
 */
function deviceCommand({ members }: JoinedInstance, name: string, isKnown: boolean): bigint {
  const found = members.map(({ member, table }) => driverProc(member.driver, table.instance, name));
  if (found.every((address) => address === 0n)) return 0n;
  return members.length === 1 ? found[0] : deviceTrampoline(name, isKnown) ?? 0n;
}
