import { loadVulkan } from "../../loader/mod.ts";
import type { VkDevice, VkInstance } from "../../loader/gen/types_core_gen.ts";
import type { Egl, EGLContext } from "../../egl/mod.ts";
import { createContext, openContext } from "../../tests/egl/context.ts";
import { mesa } from "../../tests/egl/drivers.ts";
import { objectLeaks } from "../../workbench/layers.ts";
import { leastOf } from "../measure.ts";
import { type Parts, withDevice } from "../parts.ts";
import { FLAT, LINEAR, type Subject } from "./subject.ts";

const PAIRS = 10_000, FEW = 20, DRIVERS_TIMES = 10;
const API_1_3 = 0x403000, QUEUES = [{ queueFamilyIndex: 0, pQueuePriorities: [1] }];

/** Objects that are alive while one more is made and destroyed, and drivers that answer together. */
export const OBJECT_SUBJECTS: readonly Subject[] = [
  {
    name: "instances",
    meaning: "live instances; one more made and destroyed",
    sizes: [1, 4, 16, 64, 256],
    most: FLAT,
    cost: (size, { tiny, c }) => {
      using vulkan = loadVulkan({ driver: tiny });
      const one = () => vulkan.vkCreateInstance({ pApplicationInfo: { apiVersion: API_1_3 } });
      return besideLive(size, one, FEW, c.thread_milliseconds);
    },
  },
  {
    name: "devices",
    meaning: "live devices; one more made and destroyed",
    sizes: [1, 4, 16, 64, 256],
    most: FLAT,
    cost: (size, { tiny, c }) => {
      using vulkan = loadVulkan({ driver: tiny });
      using instance = vulkan.vkCreateInstance({ pApplicationInfo: { apiVersion: API_1_3 } });
      const [gpu] = instance.vkEnumeratePhysicalDevices();
      return besideLive(size, () => gpu.vkCreateDevice({ pQueueCreateInfos: QUEUES }), FEW, c.thread_milliseconds);
    },
  },
  {
    name: "live objects",
    meaning: "live fences under objectLeaks(); one more made and destroyed",
    sizes: [1, 100, 10_000, 100_000, 1_000_000],
    most: FLAT,
    cost: (size, { lavapipe, c }) => {
      let cost = 0;
      withDevice(lavapipe, [objectLeaks().layer], (device) => cost = fencePairs(device, size, c.thread_milliseconds));
      return cost;
    },
  },
  {
    name: "contexts",
    meaning: "live contexts of OpenGL ES; one made current, and the one before again",
    sizes: [1, 10, 100, 1_000],
    most: FLAT,
    cost: (size, { c }) => currentContexts(size, c.thread_milliseconds),
  },
  {
    name: "drivers",
    meaning: "drivers joined; an instance made, its devices listed, destroyed",
    sizes: [1, 2, 4, 8],
    most: LINEAR,
    cost: joinedDrivers,
  },
];

/** The cost of making and destroying one more while so many are alive. */
function besideLive(size: number, make: () => Disposable, times: number, clock: () => number): number {
  using live = new DisposableStack();
  for (let i = 1; i < size; i++) live.use(make());
  return leastOf(
    (count) => {
      for (let i = 0; i < count; i++) make()[Symbol.dispose]();
    },
    times,
    clock,
  );
}

function fencePairs(device: VkDevice, size: number, clock: () => number): number {
  const fences = Array.from({ length: size }, () => device.vkCreateFence({}));
  const cost = leastOf(
    (times) => {
      for (let i = 0; i < times; i++) device.vkDestroyFence(device.vkCreateFence({}));
    },
    PAIRS,
    clock,
  );
  for (const fence of fences) device.vkDestroyFence(fence);
  return cost;
}

function currentContexts(size: number, clock: () => number): number {
  using opened = openContext(mesa);
  const { egl, display, config, surface, context } = opened;
  const more: EGLContext[] = Array.from({ length: size }, () => createContext(egl as Egl, display, config, [2, 0]));
  const cost = leastOf(
    (times) => {
      for (let i = 0; i < times; i++) {
        egl.eglMakeCurrent(display, surface, surface, more[i % size]);
        egl.eglMakeCurrent(display, surface, surface, context);
      }
    },
    FEW,
    clock,
  );
  for (const each of more) egl.eglDestroyContext(display, each);
  return cost;
}

function joinedDrivers(size: number, { tiny, c }: Parts): number {
  const folder = Deno.makeTempDirSync();
  try {
    const drivers = Array.from({ length: size }, (_, index) => `${folder}/driver${index}.so`);
    for (const path of drivers) Deno.copyFileSync(tiny, path);
    using vulkan = loadVulkan({ driver: drivers });
    return leastOf(
      (times) => {
        for (let i = 0; i < times; i++) {
          using instance: VkInstance = vulkan.vkCreateInstance({ pApplicationInfo: { apiVersion: API_1_3 } });
          if (instance.vkEnumeratePhysicalDevices().length !== size) throw new Error("a driver is missing");
        }
      },
      DRIVERS_TIMES,
      c.thread_milliseconds,
    );
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}
