/**
 * GLFW opens Vulkan and makes an instance's surface for a window, and the
 * script draws on it: `glfw.ts DRIVER LIBRARY`, with an X server in `DISPLAY`.
 *
 * @module
 */
import { invokeAddress, peek32, peek64 } from "../../../../ffi/machine.ts";
import { readCString } from "../../../../ffi/cstring.ts";
import { NativeProgram, outcome, words } from "./call_native.ts";
import { installCounted, report } from "./counted.ts";
import { present } from "./present.ts";

const GLFW_TRUE = 1, GLFW_CLIENT_API = 0x22001, GLFW_NO_API = 0;

const [driver, path] = Deno.args;
using counted = installCounted(driver);
const glfw = new NativeProgram(path), said = outcome();
const why = () => (glfw.call("glfwGetError", "s:q", said.address), readCString(said.value()));
glfw.must(GLFW_TRUE, why, "glfwInit", "s:");
glfw.must(GLFW_TRUE, why, "glfwVulkanSupported", "s:");
glfw.call("glfwWindowHint", "v:ss", GLFW_CLIENT_API, GLFW_NO_API);
const window = glfw.call("glfwCreateWindow", "q:ssqqq", 320, 200, "test", 0n, 0n) as bigint;
const instance = createInstance(), surface = outcome();
const presenting = gpusOf(instance).find((gpu) =>
  glfw.call("glfwGetPhysicalDevicePresentationSupport", "s:qqw", instance, gpu, 0) === GLFW_TRUE
);
if (presenting === undefined) throw new Error(`no physical device can present: ${why()}`);
glfw.must(0, why, "glfwCreateWindowSurface", "s:qqqq", instance, window, 0n, surface.address);
const drawn = present(counted.installed.instances()[0], surface.value());
vulkan(instance, "vkDestroySurfaceKHR", "v:qqq", [instance, surface.value(), 0n]);
vulkan(instance, "vkDestroyInstance", "v:qq", [instance, 0n]);
glfw.call("glfwDestroyWindow", "v:q", window);
glfw.call("glfwTerminate", "v:");
report(counted, drawn);

/** The first steps of a GLFW program: the extensions GLFW wants, and an instance with them. */
function createInstance(): bigint {
  const count = outcome(), made = outcome();
  const names = glfw.call("glfwGetRequiredInstanceExtensions", "q:q", count.address) as bigint;
  const info = words(1n, 0n, 0n, 0n, 0n, 0n, count.value() & 0xffffffffn, names); // VkInstanceCreateInfo
  const result = vulkan(0n, "vkCreateInstance", "s:qqq", [info, 0n, made.address]);
  if (result !== 0) throw new Error(`vkCreateInstance returned ${result}`);
  return made.value();
}

function gpusOf(instance: bigint): bigint[] {
  const ROOM = 4, count = words(BigInt(ROOM)), gpus = words(...Array<bigint>(ROOM).fill(0n));
  vulkan(instance, "vkEnumeratePhysicalDevices", "s:qqq", [instance, count, gpus]);
  return Array.from({ length: peek32(count) }, (_, index) => peek64(gpus + BigInt(8 * index)));
}

/** Calls a command by the pointer that GLFW gives. */
function vulkan(handle: bigint, name: string, signature: string, args: bigint[]): unknown {
  return invokeAddress(glfw.call("glfwGetInstanceProcAddress", "q:qq", handle, name) as bigint, signature, args);
}
