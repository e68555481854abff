import { deviceProcAddr } from "../../driver/interface/probe.ts";
import { GUARDED } from "./guards.ts";
import { type Hook, HOOKS, isActive, NATIVE_BUFFER } from "./hooks.ts";
import type { AndroidInstance, AndroidLevel } from "./level.ts";

/** The data of a new device. */
export interface MadeDevice {
  /** Core versions and extensions whose hooks are active. */
  readonly hooks: ReadonlySet<string>;
  /** Queries the driver's vkGetDeviceProcAddr for the device. */
  find(name: string): bigint;
}

/** Adopts a device: makes its vkGetDeviceProcAddr, and the targets of its guards. */
export function enrollDevice(level: AndroidLevel, instance: AndroidInstance, handle: bigint, made: MadeDevice): void {
  const answers = HOOKS.filter((hook) => isActive(hook, level)).flatMap((hook): [string, bigint][] => {
    const answer = answerFor(level, hook, made.hooks);
    return answer === undefined ? [] : [[hook.name, answer]];
  });
  const { driver } = level.side, miss = deviceProcAddr(driver, instance.handle, handle);
  const getProcAddr = level.side.lookup("vkGetDeviceProcAddr", answers, miss);
  const guarded = GUARDED.map((name) => guardedProc(level, name, made));
  level.devices.set(handle, { handle, instance, getProcAddr, guarded });
}

/** Returns a device's answer for a command with a hook; `undefined` if the driver answers. */
function answerFor(
  level: AndroidLevel,
  { name, level: of, extension, windowSystem }: Hook,
  hooks: ReadonlySet<string>,
): bigint | undefined {
  if (extension === NATIVE_BUFFER) return level.options.nativeBuffers ? undefined : 0n;
  if (of !== "device" || !hooks.has(extension)) return 0n;
  return level.options.windowSystem?.[name] ?? (windowSystem ? 0n : undefined);
}

/** Returns the target of a guard: the command, or a function that does nothing on a device without its extension. */
function guardedProc(level: AndroidLevel, name: string, { hooks, find }: MadeDevice): bigint {
  const hook = HOOKS.find((each) => each.name === name)!;
  if (!isActive(hook, level)) return 0n;
  const own = level.options.windowSystem?.[name] ?? (hook.windowSystem ? 0n : find(name));
  return hooks.has(hook.extension) && own !== 0n ? own : level.disabled.address(name);
}
