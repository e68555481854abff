import { type Layer, loadVulkan } from "../../../loader/mod.ts";
import { nativeBufferAdaptor } from "../../../wsi/adaptor/native_buffer_adaptor.ts";

/** VkPhysicalDevicePresentationPropertiesANDROID. */
const PRESENTATION = 1000010002;

/** Whether a driver, with what stands before it, lets images be shared: only then there are the modes for that. */
export function sharesImages(driver: string, below?: () => Layer): boolean {
  using vulkan = loadVulkan({ driver, layers: [nativeBufferAdaptor(), ...below ? [below()] : []] });
  using instance = vulkan.vkCreateInstance({ pApplicationInfo: { apiVersion: 0x401000 } });
  const [gpu] = instance.vkEnumeratePhysicalDevices();
  const { pNext } = gpu.vkGetPhysicalDeviceProperties2([PRESENTATION]);
  return (pNext as unknown as { sharedImage: boolean }[])[0].sharedImage;
}
