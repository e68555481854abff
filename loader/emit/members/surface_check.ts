import type { Label } from "../../../ffi/asm/code.ts";
import type { Routine, Variable } from "../../../ffi/emit/routine.ts";
import { emitterForThisMachine, loadEmitted } from "../../../ffi/image/image.ts";
import { textAddresses } from "../../../ffi/cstring.ts";
import { callsOfMembers } from "./members.ts";
import { writeRefused } from "./shared_swapchains.ts";
import type { MemberJumpSpec } from "./spec.ts";
import {
  offsetsOfVkSwapchainCreateInfoKHR,
  sizeOfVkSwapchainCreateInfoKHR,
  VK_ERROR_EXTENSION_NOT_PRESENT,
} from "../../gen/native_gen.ts";

/** Two commands that make swapchains, checked for surfaces that are NULL. */
interface SurfaceCheckSpec {
  /** vkCreateSwapchainKHR. */
  readonly one: CheckedCreation;
  /** vkCreateSharedSwapchainsKHR. */
  readonly many: CheckedCreation;
  /** Offset in the image's data of the address of a list of functions of the C library; see `CALLS`. */
  readonly calls: number;
}

/** A command that is refused where a surface is NULL. */
interface CheckedCreation extends Pick<MemberJumpSpec, "name" | "absent"> {
  /** Byte offset of the command in the dispatch table of the device. */
  readonly target: number;
}

/** A command that makes swapchains. */
export interface CheckedSwapchains extends Pick<CheckedCreation, "name" | "target"> {
  /** The text for standard error when a surface is NULL. */
  readonly said: string;
  /** The VkResult of the refusal. */
  readonly result: number;
}

/**
 * Emits functions for vkCreateSwapchainKHR (`one`) and vkCreateSharedSwapchainsKHR (`many`) that refuse a surface of
 * NULL, and otherwise call the command in the device's dispatch table. Native code may call the functions from any
 * thread. Returns their addresses by name, or `undefined` where emitted code cannot be used.
 */
export function createSurfaceCheck(
  one: CheckedSwapchains,
  many: CheckedSwapchains,
): ReadonlyMap<string, bigint> | undefined {
  const emitter = emitterForThisMachine();
  if (!emitter) return;
  const { code } = emitter, calls = code.reserve(), both = [one, many], slots = both.map(() => code.reserve());
  const [checkedOne, checkedMany] = both.map(({ name, target, result }, index) => {
    return { name, target, absent: { result, said: slots[index] } };
  });
  writeSurfaceCheck(emitter.routine(), { one: checkedOne, many: checkedMany, calls });
  const image = loadEmitted(emitter);
  if (!image) return;
  textAddresses(both.map(({ said }) => said)).forEach((text, index) => {
    image.data.setBigUint64(slots[index], text, true);
  });
  image.data.setBigUint64(calls, callsOfMembers(), true);
  return new Map(both.map(({ name }) => [name, image.address(name)]));
}

/**
 * Writes two functions that refuse a swapchain whose surface is NULL, and call the command in the device's table for any
 * other.
 */
function writeSurfaceCheck(routine: Routine, { one, many, calls }: SurfaceCheckSpec): void {
  writeOne(routine, one, writeRefused(routine, one, calls));
  writeMany(routine, many, writeRefused(routine, many, calls));
}

/** `VkResult one(device, info, allocator, out)` */
function writeOne(routine: Routine, { name, target }: SurfaceCheckSpec["one"], refused: Label): void {
  const device: Variable = 0, info: Variable = 1, all = [0, 1, 2, 3] as const, value: Variable = 4;
  const refuse = routine.label();
  routine.begin(name);
  for (const variable of all) routine.argument(variable, variable);
  routine.load(value, info, offsetsOfVkSwapchainCreateInfoKHR.surface);
  routine.ifZero(value, refuse);
  routine.load(value, device);
  for (const variable of all) routine.pass(variable, variable);
  routine.callAt(value, target);
  routine.result(value);
  routine.finish({ variable: value });
  writeRefusal(routine, refuse, refused);
}

/** `VkResult many(device, uint32_t count, infos, allocator, out)` */
function writeMany(routine: Routine, { name, target }: SurfaceCheckSpec["many"], refused: Label): void {
  const at: Variable = 0, left: Variable = 1, value: Variable = 4, arguments_ = [0, 1, 2, 3, 4] as const;
  const COUNT = 1, INFOS = 2, refuse = routine.label(), done = routine.label();
  routine.begin(name, arguments_.length);
  for (const index of arguments_) {
    routine.argument(value, index);
    routine.storeCell(index, value);
  }
  routine.cellAddress(left, COUNT);
  routine.load32(left, left); // the upper half of a 32-bit argument can be anything
  routine.loadCell(at, INFOS);
  const next = routine.here();
  routine.ifZero(left, done);
  routine.load(value, at, offsetsOfVkSwapchainCreateInfoKHR.surface);
  routine.ifZero(value, refuse);
  routine.add(at, sizeOfVkSwapchainCreateInfoKHR);
  routine.decrement(left);
  routine.jump(next);
  routine.place(done);
  for (const index of arguments_) {
    routine.loadCell(value, index);
    routine.pass(index, value);
  }
  routine.loadCell(at, 0);
  routine.load(at, at);
  routine.callAt(at, target);
  routine.result(value);
  routine.finish({ variable: value });
  writeRefusal(routine, refuse, refused);
}

function writeRefusal(routine: Routine, refuse: Label, refused: Label): void {
  const value: Variable = 4;
  routine.place(refuse);
  routine.call(refused);
  routine.result(value);
  routine.finish({ variable: value });
}

/** The commands that make swapchains, in the order of their places in a device's own slots. */
export const SWAPCHAINS = ["vkCreateSwapchainKHR", "vkCreateSharedSwapchainsKHR"] as const;

let checks: ReadonlyMap<string, bigint> | null | undefined;

/** The refusal of a swapchain whose surface is not a surface, or not one of the device's driver. */
export function noSurface(
  command: string,
): { readonly result: number; readonly refusesNull: true; readonly said: string } {
  const said =
    `${"[Vulkan Loader] ERROR:".padEnd(32)}${command}: Invalid surface: it is NULL, of another instance, or of ` +
    "no use to the driver of this device [VUID-VkSwapchainCreateInfoKHR-surface-parameter]\n";
  return { result: VK_ERROR_EXTENSION_NOT_PRESENT, refusesNull: true, said };
}

/**
 * Returns functions for {@linkcode SWAPCHAINS}, by name, that refuse a surface of NULL and otherwise call the commands in
 * the device's own slots. `own` is the first of these slots, the same at each call. Made at the first call, which must
 * not be inside a callback; `undefined` where emitted code cannot be used.
 */
export function surfaceCheck(own: number): ReadonlyMap<string, bigint> | undefined {
  if (checks === undefined) {
    const [one, many] = SWAPCHAINS.map((name, index) => {
      return { name, target: 8 * (own + index), ...noSurface(name) };
    });
    checks = createSurfaceCheck(one, many) ?? null;
  }
  return checks ?? undefined;
}
