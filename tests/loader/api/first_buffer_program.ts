/**
 * Makes an instance, a device and a buffer on the driver that the first
 * argument names, as the first lines of a program do. Prints, as JSON, what was
 * asked of Deno meanwhile: each kind of call with its count.
 *
 * @module
 */

const counts: Record<string, number> = {};
const note = (what: string) => void (counts[what] = (counts[what] ?? 0) + 1);

const { addSignalListener, dlopen, UnsafeCallback, UnsafePointerView: { getArrayBuffer } } = Deno;
let mostBytes = 0;
Deno.addSignalListener = (signal, handler) => {
  note("signal listeners");
  addSignalListener(signal, handler);
};
Deno.UnsafeCallback = new Proxy(UnsafeCallback, {
  construct(target, args, newTarget) {
    note("callbacks");
    return Reflect.construct(target, args, newTarget);
  },
});
Deno.dlopen = (path, symbols) => {
  note(String(path).includes("/proc/self/fd") ? "functions of images" : "libraries");
  return dlopen(path, symbols);
};
Deno.UnsafePointerView.getArrayBuffer = (pointer, size, offset) => {
  mostBytes = Math.max(mostBytes, size);
  return getArrayBuffer(pointer, size, offset);
};

const { loadVulkan } = await import("../../../loader/core.ts");
using vulkan = loadVulkan({ driver: Deno.args[0] });
using instance = vulkan.vkCreateInstance({});
const [gpu] = instance.vkEnumeratePhysicalDevices();
using device = gpu.vkCreateDevice({ pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] });
device.vkCreateBuffer({ size: 65536n, usage: 2 });
const first = { ...counts };
device.raw.vkDestroyBuffer(device.handle, 0n, 0n);
console.log(JSON.stringify({ first, mostBytes, withRaw: counts }));
