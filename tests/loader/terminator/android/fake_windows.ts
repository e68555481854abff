import { HOOKS } from "../../../../loader/terminator/android/hooks.ts";
import type { WindowSystem } from "../../../../loader/driver/android/options.ts";

/** A window system that has every command, all of them this function. */
export function windowsAt(address: bigint): WindowSystem {
  const names = HOOKS.filter(({ windowSystem }) => windowSystem).map(({ name }) => name);
  return Object.fromEntries([...names, "vkBindImageMemory2"].map((name) => [name, address]));
}

/** One that has every command, for tests that call none. */
export const FULL_WINDOWS: WindowSystem = windowsAt(1n);
