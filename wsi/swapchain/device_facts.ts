import { arena } from "../../ffi/arena.ts";
import { codec, type StructObject } from "../../loader/codec/codec.ts";
import { readExtensionList } from "../../loader/driver/interface/extension_list.ts";
import type { DeviceFacts } from "../../loader/terminator/android/device_extensions.ts";
import type { LayerExtension } from "../../loader/layer.ts";
import type { RawCommands } from "../../loader/gen/raw_commands_gen.ts";
import type { Below, InstanceState, WindowSystem } from "./environment.ts";

/** VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT, VK_EXTERNAL_FENCE_FEATURE_IMPORTABLE_BIT. */
const SYNC_FD = 8, IMPORTABLE = 2;
/** Structure types of what is asked by chains. */
const PRESENTATION_PROPERTIES = 1000010002, COMPRESSION_FEATURES = 1000338000;

/** The device extensions below the window system; a negative VkResult when they cannot be listed. */
export function extensionsBelow(context: Below, gpu: bigint): LayerExtension[] | number {
  return readExtensionList((count, out) =>
    context.below(gpu).vkEnumerateDeviceExtensionProperties(gpu, 0n, count, out)
  );
}

/** What the rules for extensions want to know of a physical device. */
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
    // The fences of VK_EXT_swapchain_maintenance1 are signalled by submissions and need none of that.
    importsSyncFd: () => !isFaithful || importsSyncFd(context, instance, gpu),
  };
}

/** Whether the driver imports fences as SYNC_FD: AOSP's loader has the fences of presents that way. */
function importsSyncFd(context: Below, instance: InstanceState, gpu: bigint): boolean {
  const query = queryCommand(instance, "vkGetPhysicalDeviceExternalFenceProperties");
  if (!query) return false;
  const info = context.write("VkPhysicalDeviceExternalFenceInfo", { handleType: SYNC_FD as never });
  const filled = ask("VkExternalFenceProperties", {}, (out) => context.below(gpu)[query](gpu, info, out));
  return ((filled.externalFenceFeatures as number) & IMPORTABLE) !== 0;
}

function apiVersionOf(context: Below, gpu: bigint): number {
  return ask("VkPhysicalDeviceProperties", {}, (out) => context.below(gpu).vkGetPhysicalDeviceProperties(gpu, out))
    .apiVersion as number;
}

/** The struct of a chain that a query fills; empty where there is no such query, which is how Android has it. */
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

/** The name under which a query of Vulkan 1.1 can be asked below, its own or that of before; `undefined` for neither. */
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
