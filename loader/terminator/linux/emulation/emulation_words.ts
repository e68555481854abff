import { peek32 } from "../../../../ffi/machine.ts";
import type { Told } from "../../../driver/report/log.ts";
import { absenceWords } from "../procs/device_procs.ts";
import { chain, nextOf } from "../../../driver/structs/create_info.ts";
import {
  sizeOfVkQueueFamilyProperties2,
  sizeOfVkSparseImageFormatProperties2,
  sizeOfVkSurfaceFormat2KHR,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTIVIEW_FEATURES,
} from "../../../gen/native_gen.ts";

/** A parameter that points to structs with a chain, of which the emulation fills little or nothing. */
interface Chained {
  /** The index of the parameter. */
  readonly parameter: number;
  /** The parameter's name. */
  readonly name: string;
  /** The structure type that is filled. With one, each other struct of the chain is reported, otherwise the chain as a whole. */
  readonly filled?: number;
  /** The structs are a list: the index of the parameter that points to the count, and bytes from one to the next. */
  readonly list?: { readonly count: number; readonly stride: number };
}

const SURFACE_INFO: Chained = { parameter: 1, name: "pSurfaceInfo" };

/** The chains of each command whose emulation the Khronos loader reports. */
const CHAINS: Readonly<Record<string, readonly Chained[]>> = {
  vkGetPhysicalDeviceFeatures2: [
    { parameter: 1, name: "pFeatures", filled: VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTIVIEW_FEATURES },
  ],
  vkGetPhysicalDeviceProperties2: [
    { parameter: 1, name: "pProperties", filled: VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES },
  ],
  vkGetPhysicalDeviceFormatProperties2: [{ parameter: 2, name: "pFormatProperties" }],
  vkGetPhysicalDeviceImageFormatProperties2: [],
  vkGetPhysicalDeviceMemoryProperties2: [{ parameter: 1, name: "pMemoryProperties" }],
  vkGetPhysicalDeviceQueueFamilyProperties2: [{
    parameter: 2,
    name: "pQueueFamilyProperties",
    list: { count: 1, stride: sizeOfVkQueueFamilyProperties2 },
  }],
  vkGetPhysicalDeviceSparseImageFormatProperties2: [
    { parameter: 1, name: "pFormatInfo" },
    { parameter: 3, name: "pProperties", list: { count: 2, stride: sizeOfVkSparseImageFormatProperties2 } },
  ],
  ...Object.fromEntries(
    ["Buffer", "Semaphore", "Fence"].map((kind) => [
      `vkGetPhysicalDeviceExternal${kind}Properties`,
      [{ parameter: 1, name: `pExternal${kind}Info` }, { parameter: 2, name: `pExternal${kind}Properties` }],
    ]),
  ),
  vkGetPhysicalDeviceSurfaceCapabilities2KHR: [SURFACE_INFO, { parameter: 2, name: "pSurfaceCapabilities" }],
  vkGetPhysicalDeviceSurfaceFormats2KHR: [
    SURFACE_INFO,
    { parameter: 3, name: "pSurfaceFormats", list: { count: 2, stride: sizeOfVkSurfaceFormat2KHR } },
  ],
  vkGetPhysicalDeviceSurfaceCapabilities2EXT: [{ parameter: 2, name: "pSurfaceCapabilities" }],
};
/** The Khronos loader names one command by its other name when it reports a chain. */
const OTHER_NAME: Readonly<Record<string, string>> = {
  vkGetPhysicalDeviceProperties2: "vkGetPhysicalDeviceProperties2KHR",
};
/** Commands of windows and displays, which a driver may lack: these are reported alone, and as warnings for queries about displays. */
const OF_WINDOWS = /Surface|Display/, OF_DISPLAYS = /^vkGet\w*Display/;
const EMULATES_NOTHING = /^vkGetPhysicalDeviceExternal/;

/**
 * Returns what the Khronos loader says of an emulated call, after the call:
 * which driver lacks the command, the older command that answered, and which
 * chained structs stay as they are.
 */
export function emulationWords(
  name: string,
  by: string,
  library: string,
  args: readonly (bigint | number)[],
  enabled: ReadonlySet<string>,
): Told[] {
  const chains = CHAINS[name];
  if (!chains) {
    return OF_WINDOWS.test(name)
      ? [{ level: OF_DISPLAYS.test(name) ? "warning" : "error", text: absenceWords(name) }]
      : [];
  }
  const isIdentified = enabled.has("VK_KHR_external_memory_capabilities");
  const using = EMULATES_NOTHING.test(name) ? "" : ` using ${by}`;
  return [
    { level: "info", text: `${name}: Emulating call in ICD "${library}"${using}` },
    ...chains.flatMap((each) => chainWords(name, each, args, isIdentified)),
  ];
}

function chainWords(
  name: string,
  { parameter, name: called, filled, list }: Chained,
  args: readonly (bigint | number)[],
  isIdentified: boolean,
): Told[] {
  const structs = args[parameter] as bigint, ignored = (place: string) => unrecognized(name, place);
  if (structs === 0n) return [];
  if (list) {
    const count = peek32(args[list.count] as bigint);
    return Array.from({ length: count }, (_, index) => index)
      .filter((index) => nextOf(structs + BigInt(list.stride * index)) !== 0n)
      .map((index) => ignored(`${called}[${index}]`));
  }
  if (filled === undefined) return nextOf(structs) === 0n ? [] : [ignored(called)];
  return [...chain(nextOf(structs))].flatMap(({ sType }) =>
    sType !== filled ? [ignored(called)] : isIdentified && filled === ID ? [NO_IDS] : []
  );
}

const ID = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES;
const NO_IDS: Told = {
  level: "warning",
  text: "vkGetPhysicalDeviceProperties2: Emulation cannot generate unique IDs for struct " +
    "VkPhysicalDeviceIDProperties - setting IDs to zero instead",
};

function unrecognized(name: string, place: string): Told {
  const found = `Emulation found unrecognized structure type in ${place}->pNext`.replace("]->", "].");
  return { level: "warning", text: `${OTHER_NAME[name] ?? name}: ${found} - this struct will be ignored` };
}
