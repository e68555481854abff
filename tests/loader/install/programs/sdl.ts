/**
 * SDL opens Vulkan, makes an instance's surface for a window, and the script
 * draws on it: `sdl.ts DRIVER LIBRARY`, with an X server in `DISPLAY`.
 *
 * @module
 */
import { arena } from "../../../../ffi/arena.ts";
import { cstring, readCString } from "../../../../ffi/cstring.ts";
import { invokeAddress } from "../../../../ffi/machine.ts";
import { NativeProgram, outcome, words } from "./call_native.ts";
import { installCounted, report } from "./counted.ts";
import { present } from "./present.ts";

const SDL_INIT_VIDEO = 0x20, SDL_WINDOW_VULKAN = 0x10000000, SDL_TRUE = 1;

const [driver, path] = Deno.args;
using counted = installCounted(driver);
const sdl = new NativeProgram(path), why = () => readCString(sdl.call("SDL_GetError", "q:") as bigint);
sdl.must(0, why, "SDL_Init", "s:w", SDL_INIT_VIDEO);
sdl.must(0, why, "SDL_Vulkan_LoadLibrary", "s:q", 0n); // NULL: whatever the system has
const window = sdl.call("SDL_CreateWindow", "q:qssssw", "test", 0, 0, 320, 200, SDL_WINDOW_VULKAN) as bigint;
const instance = createInstance(), surface = outcome();
sdl.must(SDL_TRUE, why, "SDL_Vulkan_CreateSurface", "s:qqq", window, instance, surface.address);
const drawn = present(counted.installed.instances()[0], surface.value());
vulkan(instance, "vkDestroySurfaceKHR", "v:qqq", [instance, surface.value(), 0n]);
vulkan(instance, "vkDestroyInstance", "v:qq", [instance, 0n]);
sdl.call("SDL_DestroyWindow", "v:q", window);
sdl.call("SDL_Quit", "v:");
report(counted, drawn);

/** The first steps of an SDL program: the extensions SDL wants, and an instance with them. */
function createInstance(): bigint {
  const count = outcome(), names = arena().place(new Uint8Array(8 * 16)), made = outcome();
  sdl.must(SDL_TRUE, why, "SDL_Vulkan_GetInstanceExtensions", "s:qqq", window, count.address, 0n);
  sdl.must(SDL_TRUE, why, "SDL_Vulkan_GetInstanceExtensions", "s:qqq", window, count.address, names);
  const info = words(1n, 0n, 0n, 0n, 0n, 0n, count.value() & 0xffffffffn, names); // VkInstanceCreateInfo
  const result = vulkan(0n, "vkCreateInstance", "s:qqq", [info, 0n, made.address]);
  if (result !== 0) throw new Error(`vkCreateInstance returned ${result}`);
  return made.value();
}

/** Calls a command by the pointer that SDL's vkGetInstanceProcAddr gives. */
function vulkan(handle: bigint, name: string, signature: string, args: bigint[]): unknown {
  const find = sdl.call("SDL_Vulkan_GetVkGetInstanceProcAddr", "q:") as bigint;
  return invokeAddress(invokeAddress(find, "q:qq", [handle, arena().place(cstring(name))]) as bigint, signature, args);
}
