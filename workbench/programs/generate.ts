import { chance, type Choices, pick, seededChoices } from "./choices.ts";
import type { Action, FuzzAction } from "./actions/action.ts";
import { checkFacts, type FuzzFacts } from "./facts.ts";
import { isColor } from "./formats.ts";
import { Model } from "./model.ts";
import { type FuzzResult, numbersInStep, readBack, readLines } from "./read_back.ts";
import { Submissions } from "./submissions.ts";
import type { RecordedStream } from "../recordings/replay/stream.ts";
import { checkOptions, list, oneOf, type OptionRule, type OptionRules } from "../../ffi/check_options.ts";
import { RecordingError } from "../recordings/replay/error.ts";
import {
  VK_MEMORY_HEAP_DEVICE_LOCAL_BIT,
  VK_QUEUE_COMPUTE_BIT,
  VK_QUEUE_GRAPHICS_BIT,
  VK_QUEUE_TRANSFER_BIT,
} from "../../loader/gen/enums_core_gen.js";
import { MEMORY_TYPES } from "./memory.ts";
import { DEVICE, QUEUE, type Writer } from "./writer.ts";
import { copyBuffer, fill, update } from "./actions/buffers.ts";
import { fetch, lookup, mix, store, sum } from "./actions/compute.ts";
import { blit, bufferToImage, clear, copyImage, imageToBuffer, resolve, upload } from "./actions/images.ts";
import { draw, drawIndexed, drawIndexedIndirect, drawIndirect, query } from "./actions/draw.ts";

const INSTANCE = "VkInstance#1", GPU = "VkPhysicalDevice#1";
const QUEUE_FLAGS = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT;
const NEWER: readonly string[] = ["dynamicRendering", "synchronization2"];

/** Writes the creation of an instance, a device and a queue, and what a replay wants to know of the device. */
export function setUp(writer: Writer, { apiVersion, features }: FuzzFacts): void {
  const pCreateInfo = { pApplicationInfo: { pApplicationName: "fuzz", apiVersion } };
  writer.call("vkCreateInstance", { pCreateInfo }, { pInstance: INSTANCE });
  const pMemoryProperties = {
    memoryTypes: MEMORY_TYPES,
    memoryHeaps: [{ size: 2 ** 30, flags: VK_MEMORY_HEAP_DEVICE_LOCAL_BIT }],
  };
  writer.call("vkGetPhysicalDeviceMemoryProperties", { physicalDevice: GPU }, { pMemoryProperties });
  const pQueueFamilyProperties = [{ queueFlags: QUEUE_FLAGS, queueCount: 1 }];
  writer.call("vkGetPhysicalDeviceQueueFamilyProperties", { physicalDevice: GPU }, { pQueueFamilyProperties });
  const newer = features.filter((name) => NEWER.includes(name)).map((name) => [name, true]);
  const core = features.filter((name) => !NEWER.includes(name)).map((name) => [name, true]);
  writer.call("vkCreateDevice", {
    physicalDevice: GPU,
    pCreateInfo: {
      pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }],
      pEnabledFeatures: Object.fromEntries(core),
      ...newer.length > 0 &&
        { pNext: [{ sType: "VkPhysicalDeviceVulkan13Features", ...Object.fromEntries(newer) }] },
    },
  }, { pDevice: DEVICE });
  writer.call("vkGetDeviceQueue", { device: DEVICE, queueFamilyIndex: 0, queueIndex: 0 }, { pQueue: QUEUE });
}

/** Writes the destruction of the device and the instance. */
export function tearDown(writer: Writer): void {
  writer.call("vkDestroyDevice", { device: DEVICE });
  writer.call("vkDestroyInstance", { instance: INSTANCE });
}

/** Options that say what a program is made of. */
export interface FuzzProgramOptions {
  /** The most actions of a program, up to 1000. Default 40. */
  readonly actions?: number;
  /** The actions to choose from, by name; see {@linkcode fuzzActions}. Default: all. */
  readonly only?: readonly string[];
  /** The reads of results: at the end, also after each action that wrote something, or never. Default `"end"`. */
  readonly reads?: "end" | "each" | "none";
}

/** Options of {@linkcode generateProgram}. */
export interface FuzzOptions extends FuzzProgramOptions {
  /** The program's number: a whole number from 0 to 2^32 - 1. */
  readonly seed: number;
}

/** A generated program. */
export interface FuzzProgram {
  /** The program as a recording, to replay, to change or to write to a file. */
  readonly recording: RecordedStream;
  /** The program's actions, in order. */
  readonly actions: readonly FuzzAction[];
  /** The results of its "read" lines, in order. */
  readonly results: readonly FuzzResult[];
  /** Representable numbers that two drivers may be apart, by VkFormat; formats that must be equal are left out. */
  readonly steps: Readonly<Record<number, number>>;
}

/**
 * Returns the names of all actions, for the option `only`.
 *
 * @example
 * ```ts
 * import { fuzzActions } from "@pumice/gfx/fuzz";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(fuzzActions().includes("draw"), true);
 * ```
 */
export function fuzzActions(): string[] {
  return Object.keys(ACTIONS);
}

/**
 * Returns a random valid program for drivers that can do what the facts say.
 * The same seed, options and facts make the same program.
 *
 * @throws {TypeError} if the facts or an option are wrong.
 *
 * @example
 * ```ts ignore
 * import { fuzzFacts, generateProgram } from "@pumice/gfx/fuzz";
 * import { loadVulkan } from "@pumice/gfx/loader";
 *
 * using vulkan = loadVulkan();
 * console.log(generateProgram(fuzzFacts(vulkan), { seed: 1, actions: 4 }).actions);
 * ```
 */
export function generateProgram(facts: FuzzFacts, options: FuzzOptions): FuzzProgram {
  checkOptions("generateProgram()", options, RULES, ["seed"]);
  checkFacts("generateProgram()", facts);
  const { seed, actions = MOST_ACTIONS } = options,
    count = 1 + seededChoices(seed).integer(0, actions - 1);
  return programOf(facts, Array.from({ length: count }, (_, index) => seededChoices(seed, 1 + index)), options);
}

/** The most actions of a program, unless another number is asked for. */
export const MOST_ACTIONS = 40;

function whole(what: string, min: number, max: number): OptionRule {
  return (value) => Number.isInteger(value) && value as number >= min && value as number <= max ? undefined : what;
}

/** All actions by name, the simplest first. */
const ACTIONS: Readonly<Record<string, Action>> = {
  fill,
  update,
  copyBuffer,
  clear,
  upload,
  bufferToImage,
  imageToBuffer,
  copyImage,
  blit,
  resolve,
  mix,
  sum,
  lookup,
  store,
  fetch,
  draw,
  drawIndexed,
  drawIndirect,
  drawIndexedIndirect,
  query,
};

/** The rules of these options. */
export const PROGRAM_RULES: OptionRules<FuzzProgramOptions> = {
  actions: whole("a whole number from 1 to 1000", 1, 1000),
  only: (value) => Array.isArray(value) && value.length === 0 ? "at least one action" : ONLY(value),
  reads: oneOf("end", "each", "none"),
};
const ONLY = list("a list of actions", oneOf(...Object.keys(ACTIONS)));
const RULES: OptionRules<FuzzOptions> = {
  seed: whole("a whole number from 0 to 4294967295", 0, 2 ** 32 - 1),
  ...PROGRAM_RULES,
};

/** Returns the program that sources of choices make, one for each action. */
export function programOf(
  facts: FuzzFacts,
  sources: readonly Choices[],
  { only = fuzzActions(), reads = "end" }: Pick<FuzzOptions, "only" | "reads"> = {},
): FuzzProgram {
  const model = new Model(facts, seededChoices(0)), done: FuzzAction[] = [], results: FuzzResult[] = [];
  setUp(model.writer, facts);
  const submissions = model.submissions = new Submissions(model);
  submissions.begin();
  for (const [index, choices] of sources.entries()) {
    Object.assign(model, { choices, action: index });
    done.push(act(model, submissions, only));
    if (reads === "each") results.push(...readWritten(model));
    if (index + 1 < sources.length && chance(choices, 10)) {
      submissions.submit(false);
      submissions.begin();
    }
  }
  if (reads !== "none") results.push(...readBack(model, model.buffers, model.images));
  submissions.submit(true);
  readLines(model, results);
  model.writer.end();
  tearDown(model.writer);
  return {
    recording: { lines: model.writer.lines, data: noData },
    actions: done,
    results,
    steps: stepsOf(model),
  };
}

/** One action, perhaps in a secondary command buffer. What these drivers cannot do becomes a fill. */
function act(model: Model, submissions: Submissions, only: readonly string[]): FuzzAction {
  const name = pick(model.choices, only), action = ACTIONS[name];
  let done: FuzzAction | undefined;
  if (!chance(model.choices, 12)) done = action(model);
  else submissions.inSecondary({}, 1, () => done = action(model));
  return done ?? ACTIONS.fill(model)!;
}

function readWritten(model: Model): FuzzResult[] {
  const isWritten = ({ writer }: { writer: number }) => writer === model.action;
  return readBack(model, model.buffers.filter(isWritten), model.images.filter(isWritten));
}

/** Depth is drawn anew, so that errors do not add up. Images of one format may have been through more and through less; the most counts. */
function stepsOf({ images }: Model): Record<number, number> {
  const steps: Record<number, number> = {};
  for (const { format, most } of images) {
    if (most > 0 && isColor(format)) {
      steps[format.value] = Math.max(steps[format.value] ?? 0, most * numbersInStep(format));
    }
  }
  return steps;
}

/** All contents are in the lines. */
function noData(hash: string): never {
  throw new RecordingError(
    "missing-bytes",
    0,
    `Cannot find the bytes ${hash}: a generated program has its bytes in its lines`,
  );
}
