import { loadVulkan } from "../../loader/mod.ts";

/** The worker's side of its channel: types of a window stand in for those of a worker. */
const channel = self as unknown as Pick<Worker, "onmessage" | "postMessage">;

/** Makes a loader and a device of a worker's own, gives both back, and says so. */
channel.onmessage = ({ data: driver }: MessageEvent<string>) => {
  {
    using vulkan = loadVulkan({ driver });
    using instance = vulkan.vkCreateInstance({});
    const [gpu] = instance.vkEnumeratePhysicalDevices();
    using _device = gpu.vkCreateDevice({ pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] });
  }
  channel.postMessage("done");
};
