import { checkOptions, list, number, object, type OptionRules } from "../../../../ffi/check_options.ts";
import { peek64 } from "../../../../ffi/machine.ts";
import { findCommand, resultCodes } from "../../../command/registry/table.ts";
import type { AnyHook, Layer } from "../../../layer.ts";
import { resultName } from "../../../error.ts";
import { defineLayer } from "../../define/define_layer.ts";
import { VK_ERROR_DEVICE_LOST, VK_INCOMPLETE, VK_SUBOPTIMAL_KHR } from "../../../gen/native_gen.ts";
import { type CheckedRule, checkRule, type FaultRule } from "./rule.ts";

/** The most calls of a kind that are listed by number. */
const MOST_NUMBERS = 10;

/** Formats injected faults: a line for each command, result and rule, in order, and a line for each rule without a fault. */
function faultsText(injected: readonly InjectedFault[], rules: readonly FaultRule[]): string {
  const kinds = Map.groupBy(injected, ({ command, name, rule, call }) => `${command} ${name} ${rule} ${call === 0}`);
  const lines = [...kinds.values()].map(lineOf);
  const idle = rules.map((_, index) => index).filter((index) => injected.every(({ rule }) => rule !== index));
  const unused = idle.map((index) => `rule ${index} (${rules[index].command}): no call failed`);
  const head = injected.length === 0
    ? "no fault was injected"
    : `${injected.length} ${plural(injected.length, "fault")} injected`;
  return [head, ...lines, ...unused].join("\n");
}

function lineOf(faults: readonly InjectedFault[]): string {
  const [{ command, name, rule, call }] = faults;
  const which = call === 0
    ? `${faults.length} ${plural(faults.length, "call")} after the device was lost`
    : numbersOf(faults);
  return `${command} returned ${name} by rule ${rule}: ${which}`;
}

function numbersOf(faults: readonly InjectedFault[]): string {
  const shown = faults.slice(0, MOST_NUMBERS).map(({ call }) => call).join(", "), more = faults.length - MOST_NUMBERS;
  return `${plural(faults.length, "call")} ${shown}${more > 0 ? ` and ${more} more` : ""}`;
}

function plural(count: number, word: string): string {
  return count === 1 ? word : `${word}s`;
}

/** Makes numbers from 0 up to, but not including, 1. A seed gives the same numbers on every machine. */
function randomNumbers(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = state + 0x9e37_79b9 | 0;
    let mixed = state ^ state >>> 16;
    mixed = Math.imul(mixed, 0x21f0_aaad);
    mixed = Math.imul(mixed ^ mixed >>> 15, 0x735a_2d97);
    return ((mixed ^ mixed >>> 15) >>> 0) / 0x1_0000_0000;
  };
}

/** Options of {@linkcode faultInjection}. */
export interface FaultInjectionOptions {
  /** The rules: which command fails, when and how. For each call, the first rule that applies decides. */
  readonly rules: readonly FaultRule[];
  /**
   * The seed of the random numbers for rules with a `probability`. The same
   * seed and the same calls give the same faults. Default: 1.
   */
  readonly seed?: number;
}

const RULES: OptionRules<FaultInjectionOptions> = {
  rules: list("a list of rules", object("an object that says which call fails")),
  seed: number,
};

/** A call that returned an injected result. */
export interface InjectedFault {
  /** The command's name. */
  readonly command: string;
  /** The injected result. */
  readonly result: number;
  /** The C name of the result. */
  readonly name: string;
  /** Index of the rule, from 0. */
  readonly rule: number;
  /**
   * Number of the call among those that the rule matches, from 1; 0 for a call
   * that failed because the device was lost before.
   */
  readonly call: number;
}

/** A layer that makes commands fail, and a list of the faults. */
export interface FaultInjection {
  /** The layer, for `layers` of `loadVulkan` or `instance.attach`. */
  readonly layer: Layer;
  /** The injected faults, in order. */
  readonly injected: readonly InjectedFault[];
  /** Returns the injected faults as lines for a terminal: how many of which kind, and which calls failed. */
  text(): string;
  /** Starts again: resets counts, random numbers, lost devices and `injected`. */
  reset(): void;
}

/** Success codes with outputs: the driver does its work, and only its VK_SUCCESS is replaced. */
const DONE: ReadonlySet<number> = new Set([VK_INCOMPLETE, VK_SUBOPTIMAL_KHR]);

/**
 * Makes a layer that fails commands by rules: out of memory, a lost device, an
 * out-of-date swapchain, a timeout. A failing call never reaches the driver,
 * and its outputs stay unchanged. A lost device stays lost: all its later
 * commands that may return VK_ERROR_DEVICE_LOST return it.
 *
 * @throws {TypeError} if a rule names no command, or a result that the registry
 *   does not allow for the command; the message lists the allowed results.
 *
 * @example A result that a command may not return
 * ```ts
 * import { faultInjection } from "@pumice/gfx/layers";
 * import { assertThrows } from "@std/assert";
 *
 * faultInjection({ rules: [{ command: /^vkQueueSubmit/, result: "VK_ERROR_DEVICE_LOST", probability: 0.01 }], seed: 7 });
 * assertThrows(
 *   () => faultInjection({ rules: [{ command: "vkCreateEvent", result: "VK_TIMEOUT" }] }),
 *   TypeError,
 *   "it may return VK_ERROR_OUT_OF_HOST_MEMORY (-1), VK_ERROR_OUT_OF_DEVICE_MEMORY (-2)",
 * );
 * ```
 *
 * @example The third allocation fails
 * ```ts ignore
 * import { faultInjection } from "@pumice/gfx/layers";
 * import { defineDriver } from "@pumice/gfx/drivers";
 * import { loadVulkan, VulkanError } from "@pumice/gfx/loader";
 * import { assertEquals, assertThrows } from "@std/assert";
 *
 * const { layer, injected } = faultInjection({
 *   rules: [{ command: "vkAllocateMemory", result: "VK_ERROR_OUT_OF_DEVICE_MEMORY", after: 2, times: 1 }],
 * });
 * using driver = defineDriver({ name: "one card" });
 * using vulkan = loadVulkan({ driver, layers: [layer] });
 * using instance = vulkan.vkCreateInstance({});
 * const [gpu] = instance.vkEnumeratePhysicalDevices();
 * using device = gpu.vkCreateDevice({ pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] });
 * const allocate = () => device.vkAllocateMemory({ allocationSize: 64n, memoryTypeIndex: 0 });
 * const memories = [allocate(), allocate()];
 * assertThrows(allocate, VulkanError, "VK_ERROR_OUT_OF_DEVICE_MEMORY");
 * memories.push(allocate());
 * assertEquals(injected.map(({ command, call }) => `${command} ${call}`), ["vkAllocateMemory 3"]);
 * for (const memory of memories) device.vkFreeMemory(memory);
 * ```
 */
export function faultInjection(options: FaultInjectionOptions): FaultInjection {
  checkOptions("faultInjection()", options, RULES);
  const { rules, seed = 1 } = options;
  const checked = rules.map(checkRule), injector = new Injector(checked, seed);
  return {
    layer: defineLayer({ name: "VK_LAYER_PUMICE_fault_injection", anyCommand: (command) => injector.hook(command) }),
    injected: injector.injected,
    text: () => faultsText(injector.injected, rules),
    reset: () => injector.reset(),
  };
}

/** A rule and its progress. */
interface Progress {
  readonly rule: CheckedRule;
  readonly index: number;
  random: () => number;
  calls: number;
  faults: number;
}

class Injector {
  readonly injected: InjectedFault[] = [];
  readonly #rules: Progress[];
  readonly #seed: number;
  /** Lost devices and the rules that lost them, by the first word of the handles of the device and of its objects. */
  readonly #lost = new Map<bigint, number>();
  readonly #losing: boolean;

  constructor(rules: readonly CheckedRule[], seed: number) {
    this.#seed = seed;
    this.#rules = rules.map((rule, index) => ({ rule, index, random: Math.random, calls: 0, faults: 0 }));
    this.#losing = rules.some(losesDevice);
    this.reset();
  }

  reset(): void {
    this.injected.length = 0;
    this.#lost.clear();
    for (const each of this.#rules) {
      Object.assign(each, { random: randomNumbers(this.#seed + each.index), calls: 0, faults: 0 });
    }
  }

  /** Returns a hook for commands that a rule matches or that may find their device lost. */
  hook(command: string): AnyHook | undefined {
    const rules = this.#rules.filter(({ rule }) => rule.matches(command));
    const losable = this.#losing && findCommand(command)?.level === "device" &&
      resultCodes(command).includes(VK_ERROR_DEVICE_LOST);
    const creates = this.#losing && command === "vkCreateDevice";
    if (rules.length === 0 && !losable && !creates) return undefined;
    return (next, ...args) => {
      const fault = (losable ? this.#lostBefore(command, args[0]) : undefined) ?? this.#decide(command, rules, args[0]);
      const result = fault && !DONE.has(fault.result) ? fault.result : next(...args);
      // The memory at word 0 of a new device may have belonged to a lost device.
      if (creates && result === 0) this.#lost.delete(peek64(peek64(args[3])));
      return fault && result === 0 ? fault.result : result;
    };
  }

  #lostBefore(command: string, object: bigint): InjectedFault | undefined {
    const rule = this.#lost.get(peek64(object));
    return rule === undefined ? undefined : this.#inject(command, VK_ERROR_DEVICE_LOST, rule, 0);
  }

  #decide(command: string, rules: readonly Progress[], object: bigint): InjectedFault | undefined {
    const progress = rules.find(applies);
    if (!progress) return undefined;
    const { rule: { result }, index } = progress;
    progress.faults++;
    const ofDevice = findCommand(command)!.level === "device";
    if (losesDevice(progress.rule) && ofDevice) this.#lost.set(peek64(object), index);
    return this.#inject(command, result, index, progress.calls);
  }

  #inject(command: string, result: number, rule: number, call: number): InjectedFault {
    const fault = { command, result, name: resultName(result), rule, call };
    this.injected.push(fault);
    return fault;
  }
}

/** Counts a call and returns whether it fails. A rule does not count calls that an earlier rule failed. */
function applies(progress: Progress): boolean {
  const { rule } = progress;
  if (++progress.calls <= rule.after) return false;
  if (rule.sticky && !losesDevice(rule) && progress.faults > 0) return true;
  if (progress.faults >= rule.times) return false;
  return rule.probability === 1 || progress.random() < rule.probability;
}

function losesDevice({ sticky, result }: CheckedRule): boolean {
  return sticky && result === VK_ERROR_DEVICE_LOST;
}
