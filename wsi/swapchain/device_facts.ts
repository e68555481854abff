import { arena } from "../../ffi/arena.ts";
import { codec, type StructObject } from "../../loader/codec/codec.ts";
import { readExtensionList } from "../../loader/driver/interface/extension_list.ts";
import type { DeviceFacts } from "../../loader/terminator/android/device_extensions.ts";
import type { LayerExtension } from "../../loader/layer.ts";
import type { RawCommands } from "../../loader/gen/raw_commands_gen.ts";
import type { Below, InstanceState, WindowSystem } from "./environment.ts";
import {
  VK_EXTERNAL_FENCE_FEATURE_IMPORTABLE_BIT,
  VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_COMPRESSION_CONTROL_FEATURES_EXT,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENTATION_PROPERTIES_ANDROID,
} from "../../loader/gen/native_gen.ts";

/** The structure types of the chained queries. */
const PRESENTATION_PROPERTIES = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENTATION_PROPERTIES_ANDROID,
  COMPRESSION_FEATURES = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_COMPRESSION_CONTROL_FEATURES_EXT;

/** The device extensions below the window system; a negative VkResult if they cannot be listed. */
export function extensionsBelow(context: Below, gpu: bigint): LayerExtension[] | number {
  return readExtensionList((count, out) =>
    context.below(gpu).vkEnumerateDeviceExtensionProperties(gpu, 0n, count, out)
  );
}

/** The facts of a physical device for the rules of extensions. */
export function factsOf(
  context: Below,
  instance: InstanceState,
  gpu: bigint,
  { isFaithful }: Pick<WindowSystem, "isFaithful">,
): DeviceFacts {
  return {
    apiVersion: () => apiVersionOf(context, gpu),
    sharedImage: () => isTrue(chained(context, instance, gpu, "Properties", PRESENTATION_PROPERTIES).sharedImage),
    compressionControl: () =>
      isTrue(chained(context, instance, gpu, "Features", COMPRESSION_FEATURES).imageCompressionControl),
    // Submissions signal the fences of VK_EXT_swapchain_maintenance1, so the driver need not import them.
    importsSyncFd: () => !isFaithful || importsSyncFd(context, instance, gpu),
  };
}

/** Whether the driver imports fences as SYNC_FD. AOSP's loader signals the fences of presents by an import. */
function importsSyncFd(context: Below, instance: InstanceState, gpu: bigint): boolean {
  const query = queryCommand(instance, "vkGetPhysicalDeviceExternalFenceProperties");
  if (!query) return false;
  const info = context.write("VkPhysicalDeviceExternalFenceInfo", {
    handleType: VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT as never,
  });
  const filled = ask("VkExternalFenceProperties", {}, (out) => context.below(gpu)[query](gpu, info, out));
  return ((filled.externalFenceFeatures as number) & VK_EXTERNAL_FENCE_FEATURE_IMPORTABLE_BIT) !== 0;
}

function apiVersionOf(context: Below, gpu: bigint): number {
  return ask("VkPhysicalDeviceProperties", {}, (out) => context.below(gpu).vkGetPhysicalDeviceProperties(gpu, out))
    .apiVersion as number;
}

/** The struct of a chain that a query fills; empty if the query does not exist, as in Android. */
function chained(
  context: Below,
  instance: InstanceState,
  gpu: bigint,
  what: "Properties" | "Features",
  sType: number,
): StructObject {
  const query = queryCommand(instance, `vkGetPhysicalDevice${what}2`);
  if (!query) return {};
  const fill = context.below(gpu)[query];
  const filled = ask(`VkPhysicalDevice${what}2`, { pNext: [sType] }, (out) => fill(gpu, out));
  return (filled.pNext as StructObject[])[0] ?? {};
}

/** The name of a query of Vulkan 1.1 below: its own name or the extension's; `undefined` if neither exists. */
export function queryCommand<Name extends keyof RawCommands & string>(
  instance: InstanceState,
  name: Name,
): Name | undefined {
  const names = [name, `${name}KHR` as Name];
  return names.find((each) => instance.has(each));
}

function ask(struct: string, template: StructObject, query: (out: bigint) => void): StructObject {
  const { size, encodeOut, decode } = codec(struct), memory = arena(), at = memory.alloc(size);
  encodeOut(template, at);
  query(memory.address(at));
  return decode(at);
}

function isTrue(value: unknown): boolean {
  return value === true || value === 1;
}
