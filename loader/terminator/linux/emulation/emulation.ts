import { invokeAddress, peek32, peek64, poke32 } from "../../../../ffi/machine.ts";
import { commandSignature } from "../../../command/plan.ts";
import { findCommand } from "../../../command/registry/table.ts";
import type { Told } from "../../../driver/report/log.ts";
import { findInChain, nextOf } from "../../../driver/structs/create_info.ts";
import {
  sizeOfVkExtent2D,
  VK_API_VERSION_1_1,
  VK_STRUCTURE_TYPE_SURFACE_PRESENT_MODE_COMPATIBILITY_KHR,
  VK_STRUCTURE_TYPE_SURFACE_PRESENT_MODE_KHR,
  VK_STRUCTURE_TYPE_SURFACE_PRESENT_SCALING_CAPABILITIES_KHR,
  VK_SUCCESS,
  VkSurfaceCapabilities2KHR,
  VkSurfaceCapabilitiesKHR,
  VkSurfacePresentModeCompatibilityKHR,
  VkSurfacePresentModeKHR,
  VkSurfacePresentScalingCapabilitiesKHR,
} from "../../../gen/native_gen.ts";
import {
  BY_DISPLAY,
  BY_SURFACE,
  BY_VULKAN_1_0,
  type Emulated,
  NO_DISPLAYS,
  NO_SURFACES,
  NO_TOOLS,
} from "./emulated.ts";
import { emulationWords } from "./emulation_words.ts";
import { type Member, memberIndices, type MemberTable, offers } from "../members/member.ts";
import { type Thunks, waiting } from "../code.ts";

/** An application, as far as it decides which commands are emulated. */
export interface Application {
  /** The Vulkan version that it requested; 0 counts as Vulkan 1.0. */
  readonly version: number;
  /** The instance extensions that it enabled. */
  readonly enabled: ReadonlySet<string>;
}

/**
 * Takes messages about an emulated call on a driver's physical device. `words`
 * makes them, given the extensions that the device's application enabled.
 */
export type TellOfCall = (
  member: Member,
  gpu: bigint,
  words: (enabled: ReadonlySet<string>) => readonly Told[],
) => void;

/** A function in the place of a command, and the older command that it needs. */
interface Made {
  readonly name: string;
  readonly index: number;
  readonly by: string;
  /** Returns the address of the function, which is made when it is first needed. */
  readonly address: () => bigint;
}

/**
 * Commands that a driver lacks and other drivers have, made from the older
 * commands that the driver has. An application that may call them for one
 * physical device may call them for all.
 */
export class Emulation {
  readonly #made: readonly Made[];
  /** Commands that replace the driver's own if the application enabled an extension that the driver lacks. */
  readonly #completed: readonly Made[];
  /** The older commands. A driver's functions are the same for all its instances. */
  readonly #older = new Map<string, bigint>();

  /**
   * Finds what a member may lack, given its extensions and those of the others.
   * The callbacks are made when a table needs them: most drivers lack little.
   */
  constructor(member: Member, thunks: Thunks, tell: TellOfCall, offered = namesOf(member)) {
    const make = ([name, emulated]: [string, Emulated]): Made => {
      let made: bigint | undefined;
      const address = () => made ??= this.#function(name, emulated, { member, thunks, tell });
      return { name, index: memberIndices().get(name)!, by: emulated.by, address };
    };
    this.#made = Object.entries(mayLack(member, offered)).map(make);
    this.#completed = Object.entries(mayComplete(member, offered)).map(make);
  }

  /** Makes all callbacks, because a table may be filled inside a callback. Not for use inside a callback. */
  prepare(): void {
    for (const { address } of [...this.#made, ...this.#completed]) address();
  }

  /**
   * Fills the gaps in a member's new table, for an application: with the
   * command's other name, or with an emulation. A command that the application
   * may not call by its name without an extension is emulated, too, as in the
   * Khronos loader; the extension's name stays the driver's own.
   */
  fill(table: MemberTable, application: Application): void {
    const { enabled } = application;
    for (const pair of renamed()) useOtherName(table, pair);
    for (const made of this.#made) {
      if (table.has(made.index)) {
        if (!mayCall(made.name, application)) this.#put(table, made);
        continue;
      }
      if (!this.#put(table, made)) continue;
      const pair = renamed().find(({ own }) => own === made.index);
      if (pair) useOtherName(table, pair);
    }
    if (!SURFACE_MAINTENANCE.some((name) => enabled.has(name))) return;
    for (const made of this.#completed) this.#put(table, made);
  }

  /** Puts a function into a table, if the command that it needs is there. */
  #put(table: MemberTable, { index, by, address }: Made): boolean {
    const older = table.get(by);
    if (older === 0n) return false;
    this.#older.set(by, older);
    table.set(index, address());
    return true;
  }

  #function(
    name: string,
    { by, run }: Emulated,
    { member, thunks, tell }: { member: Member; thunks: Thunks; tell: TellOfCall },
  ): bigint {
    const carryOut = (...args: bigint[]) => {
      const result = run(this.#older.get(by)!)(...args);
      tell(member, args[0], (enabled) => emulationWords(name, by, member.driver.path, args, enabled));
      return result;
    };
    return thunks.function(commandSignature(findCommand(name)!, "raw"), carryOut, waiting(name));
  }
}

/** Since Vulkan 1.1 an application needs no extension for these commands. */
const NEEDED = [
  [
    /^vkGetPhysicalDevice(Features|(Memory|Format|ImageFormat|QueueFamily|SparseImageFormat)?Properties)2$/,
    "get_physical_device_properties2",
  ],
  [/^vkGetPhysicalDeviceExternalBufferProperties$/, "external_memory_capabilities"],
  [/^vkGetPhysicalDeviceExternalSemaphoreProperties$/, "external_semaphore_capabilities"],
  [/^vkGetPhysicalDeviceExternalFenceProperties$/, "external_fence_capabilities"],
] as const;

/** Whether an application may call a command by its own name. */
function mayCall(name: string, { version, enabled }: Application): boolean {
  if (version >= VK_API_VERSION_1_1) return true;
  const [, extension] = NEEDED.find(([names]) => names.test(name)) ?? [];
  return extension === undefined || enabled.has(`VK_KHR_${extension}`);
}

function namesOf({ extensions }: Member): ReadonlySet<string> {
  return new Set(extensions.map(({ extensionName }) => extensionName));
}

function mayLack(member: Member, offered: ReadonlySet<string>): Readonly<Record<string, Emulated>> {
  return {
    ...NO_TOOLS,
    ...BY_VULKAN_1_0, // a driver of a later version may also hide these from an application of Vulkan 1.0
    // a driver with the extension may hide its queries from an application that enabled VK_KHR_surface alone
    ...offers(member, "VK_KHR_surface") && { ...NO_SURFACES, ...BY_SURFACE },
    ...offered.has("VK_KHR_display") && { ...NO_DISPLAYS, ...BY_DISPLAY },
  };
}

/** An application may enable the extension if any driver has it. */
function mayComplete(member: Member, offered: ReadonlySet<string>): Readonly<Record<string, Emulated>> {
  const isLacking = SURFACE_MAINTENANCE.some((name) => offered.has(name)) &&
    !SURFACE_MAINTENANCE.some((name) => offers(member, name));
  return isLacking && offers(member, "VK_KHR_surface") ? BY_PRESENT_MODE : {};
}

/** The indices of a command and of the same with the name of an extension. */
interface Renamed {
  readonly own: number;
  readonly other: number;
}

let pairs: readonly Renamed[] | undefined;

/** Commands that also exist under the name of an extension: `vkX` and `vkXKHR` are one. */
function renamed(): readonly Renamed[] {
  return pairs ??= [...memberIndices()].flatMap(([name, own]) => {
    const other = memberIndices().get(`${name}KHR`);
    return other === undefined ? [] : { own, other };
  });
}

/** A driver may have either name. */
function useOtherName(table: MemberTable, { own, other }: Renamed): void {
  if (!table.has(other)) table.set(other, table.get(own));
  if (!table.has(own)) table.set(own, table.get(other));
}

/** The extension under its two names. Structure types and layouts are the same. */
export const SURFACE_MAINTENANCE: readonly string[] = ["VK_EXT_surface_maintenance1", "VK_KHR_surface_maintenance1"];

const CAPABILITIES_2 = "vkGetPhysicalDeviceSurfaceCapabilities2KHR";
/** Offset, in VkSurfaceCapabilities2KHR, of the smallest extent of images, which the largest follows; bytes of both. */
const EXTENTS = VkSurfaceCapabilities2KHR.surfaceCapabilities + VkSurfaceCapabilitiesKHR.minImageExtent;
const EXTENTS_SIZE = 2 * sizeOfVkExtent2D;
const SCALING = VkSurfacePresentScalingCapabilitiesKHR, COMPATIBILITY = VkSurfacePresentModeCompatibilityKHR;
const SCALING_FLAGS = [
  SCALING.supportedPresentScaling,
  SCALING.supportedPresentGravityX,
  SCALING.supportedPresentGravityY,
];

/**
 * Commands that a driver has, but without the structs that the extension allows
 * in their chains. An application queries every physical device, including
 * those whose driver lacks the extension. On those, a present mode is
 * compatible only with itself, and images cannot be scaled.
 */
export const BY_PRESENT_MODE: Readonly<Record<string, Emulated>> = {
  [CAPABILITIES_2]: {
    by: CAPABILITIES_2,
    run: (own) => (gpu, info, out) => {
      const result = invokeAddress(own, "s:qqq", [gpu, info, out]) as number;
      const asked = findInChain(nextOf(info), VK_STRUCTURE_TYPE_SURFACE_PRESENT_MODE_KHR);
      if (result !== VK_SUCCESS || asked === 0n) return result;
      fillScaling(out, findInChain(nextOf(out), VK_STRUCTURE_TYPE_SURFACE_PRESENT_SCALING_CAPABILITIES_KHR));
      fillCompatible(
        peek32(asked + VkSurfacePresentModeKHR.presentMode),
        findInChain(nextOf(out), VK_STRUCTURE_TYPE_SURFACE_PRESENT_MODE_COMPATIBILITY_KHR),
      );
      return result;
    },
  },
};

function fillScaling(capabilities: bigint, scaling: bigint): void {
  if (scaling === 0n) return;
  for (const at of SCALING_FLAGS) poke32(scaling + at, 0);
  for (let at = 0n; at < EXTENTS_SIZE; at += 4n) {
    poke32(scaling + SCALING.minScaledImageExtent + at, peek32(capabilities + EXTENTS + at));
  }
}

function fillCompatible(mode: number, compatible: bigint): void {
  if (compatible === 0n) return;
  const modes = peek64(compatible + COMPATIBILITY.pPresentModes), count = compatible + COMPATIBILITY.presentModeCount;
  const room = modes === 0n ? 1 : Math.min(peek32(count), 1);
  if (modes !== 0n && room > 0) poke32(modes, mode);
  poke32(count, room);
}
