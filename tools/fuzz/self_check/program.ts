import { chance, type Choices, pick, seededChoices } from "../../../workbench/programs/choices.ts";
import type { VkDevice, VkInstance, VkPhysicalDevice } from "../../../loader/vk.ts";
import {
  VK_API_VERSION_1_3,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
} from "../../../loader/vk.ts";
import type { Vulkan } from "../../../loader/mod.ts";
import { SCRIPTED, shuffled } from "./machine.ts";
import { framesOf } from "./frames.ts";

/** A place that a program read, and the bytes. */
export interface Seen {
  /** The number in the program; a sampler with the number as its lowest level marks the place in the recording. */
  readonly mark: number;
  /** The size of the buffer, which no other buffer of the program has. */
  readonly size: number;
  /** Offset in bytes from the start of the buffer. */
  readonly offset: number;
  /** The bytes. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The bytes that the program must have read. */
  readonly expected: Uint8Array<ArrayBuffer>;
}

/** The common part of all parts of a program. */
export interface Context {
  /** The source of all decisions. */
  readonly choices: Choices;
  /** Whatever was read so far. */
  readonly seen: Seen[];
  /** The features that the program uses, by name, for counts. */
  readonly features: Map<string, number>;
  /** The number of buffers so far. */
  buffers: number;
}

/** Counts a use of a feature. */
export function used({ features }: Context, name: string): void {
  features.set(name, (features.get(name) ?? 0) + 1);
}

/** Runs the program of a seed: one to three instances, each with up to two devices, all in turn. */
export function runProgram(vulkan: Vulkan, seed: number): Context {
  const choices = seededChoices(seed), context: Context = { choices, seen: [], features: new Map(), buffers: 0 };
  const count = pick(choices, [1, 1, 1, 2, 2, 3]), works = choices.integer(0, count - 1);
  const instances = Array.from({ length: count }, (_, index) => {
    const devices = index === works ? pick(choices, [1, 1, 1, 2]) : pick(choices, [0, 0, 1]);
    return instanceOf(context, vulkan, devices);
  });
  for (const _ of inTurn(choices, instances));
  used(context, `${count} instances`);
  return context;
}

/** Goes on with generators, in an order by chance, until all have ended. */
function* inTurn(choices: Choices, all: Generator<void>[]): Generator<void> {
  const left = [...all];
  while (left.length > 0) {
    const each = pick(choices, left);
    if (each.next().done) left.splice(left.indexOf(each), 1);
    yield;
  }
}

function* instanceOf(context: Context, vulkan: Vulkan, devices: number): Generator<void> {
  const { choices } = context,
    instance = vulkan.vkCreateInstance({
      pApplicationInfo: { apiVersion: VK_API_VERSION_1_3 },
    });
  yield;
  const gpus = shuffled(choices, instance.vkEnumeratePhysicalDevices());
  for (const gpu of gpus) {
    ask(choices, gpu);
    yield;
  }
  const real = gpus.filter((gpu) => gpu.vkGetPhysicalDeviceProperties().deviceName !== SCRIPTED);
  if (real.length < gpus.length) used(context, "scripted device beside");
  if (devices === 0) used(context, "probing instance");
  if (chance(choices, 30)) yield* probe(gpus, choices);
  yield* inTurn(choices, Array.from({ length: devices }, () => deviceOf(context, instance, pick(choices, real))));
  instance.close();
}

/** A program asks all devices, in one of the ways that there are. */
function ask(choices: Choices, gpu: VkPhysicalDevice): void {
  if (chance(choices, 80)) gpu.vkGetPhysicalDeviceMemoryProperties();
  else gpu.vkGetPhysicalDeviceMemoryProperties2();
  if (chance(choices, 80)) gpu.vkGetPhysicalDeviceQueueFamilyProperties();
  else gpu.vkGetPhysicalDeviceQueueFamilyProperties2();
}

/** A device that nobody uses. */
function* probe(gpus: readonly VkPhysicalDevice[], choices: Choices): Generator<void> {
  const device = createDevice(pick(choices, gpus), false);
  yield;
  device.close();
}

function createDevice(gpu: VkPhysicalDevice, isUsed: boolean): VkDevice {
  const pNext = [
    {
      sType: VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
      timelineSemaphore: true,
      hostQueryReset: true,
    },
    { sType: VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, synchronization2: true },
  ] as const;
  return gpu.vkCreateDevice({
    ...isUsed && { pNext },
    pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }],
  });
}

function* deviceOf(context: Context, _instance: VkInstance, gpu: VkPhysicalDevice): Generator<void> {
  if (context.choices.integer(0, 1) === 1) ask(context.choices, gpu);
  const kinds = gpu.vkGetPhysicalDeviceMemoryProperties().memoryTypes.length;
  gpu.vkGetPhysicalDeviceQueueFamilyProperties();
  const device = createDevice(gpu, true);
  yield;
  yield* framesOf(context, device, kinds);
  device.close();
}
