import { bottomProcAddr } from "../../chain/bottom/terminators.ts";
import { guardOf, isGuarded } from "./guards.ts";
import { type Hook, HOOKS, isActive, NATIVE_BUFFER } from "./hooks.ts";
import type { AndroidInstance, AndroidLevel } from "./level.ts";
import { type Answer, featuresProc, instanceProc } from "./procs.ts";

/** The release from which AOSP also hooks the older names of the queries. */
const ALIASES_FROM = 17;
const FEATURES_ALIAS = "vkGetPhysicalDeviceFeatures2KHR";

/**
 * Returns the address of an instance's vkGetInstanceProcAddr: the active hooks,
 * and the driver's function for all else.
 */
export function instanceProcAddrOf(level: AndroidLevel, instance: AndroidInstance): bigint {
  const { driver } = level.side, answers: [string, bigint][] = [];
  const add = (name: string, answer: Answer) => answer !== undefined && answers.push([name, answer]);
  for (const hook of HOOKS) add(hook.name, answerFor(level, instance, hook));
  if (hooksAliases(level)) add(FEATURES_ALIAS, featuresProc(level, instance, FEATURES_ALIAS));
  const miss = driver.instanceProcAddr?.(instance.handle) ?? driver.getInstanceProcAddr;
  return level.side.lookup("vkGetInstanceProcAddr", answers, miss);
}

function hooksAliases({ options, release }: AndroidLevel): boolean {
  return options.quirks !== "aosp" || release >= ALIASES_FROM;
}

function answerFor(level: AndroidLevel, instance: AndroidInstance, hook: Hook): Answer {
  if (!isActive(hook, level)) return undefined;
  if (hook.level === "global" || hook.extension === NATIVE_BUFFER) return 0n;
  if (hook.level === "device") return deviceCommand(hook);
  if (!instance.hooks.has(hook.extension)) return 0n;
  return hook.windowSystem ? level.options.windowSystem![hook.name] ?? 0n : instanceProc(level, instance, hook.name);
}

/** Returns commands of 1.0 directly, and others with their guards. */
function deviceCommand({ name }: Hook): Answer {
  if (name === "vkGetDeviceProcAddr") return bottomProcAddr();
  return isGuarded(name) ? guardOf(name) : undefined;
}
