import { arena } from "../../ffi/arena.ts";
import { codec, type StructObject } from "../../loader/codec/codec.ts";
import { readExtensionList } from "../../loader/driver/extension_list.ts";
import type { DeviceFacts } from "../../loader/terminator/android/device_extensions.ts";
import type { LayerExtension } from "../../loader/layer.ts";
import type { RawCommands } from "../../loader/gen/raw_commands_gen.ts";
import type { Below, InstanceState } from "./environment.ts";

/** Structure types of what is asked by chains. */
const PRESENTATION_PROPERTIES = 1000010002, COMPRESSION_FEATURES = 1000338000;

/** The device extensions below the window system; a negative VkResult when they cannot be listed. */
export function extensionsBelow(context: Below, gpu: bigint): LayerExtension[] | number {
  return readExtensionList((count, out) =>
    context.below(gpu).vkEnumerateDeviceExtensionProperties(gpu, 0n, count, out)
  );
}

/** What the rules for extensions want to know of a physical device. */
export function factsOf(context: Below, instance: InstanceState, gpu: bigint): DeviceFacts {
  return {
    apiVersion: () => apiVersionOf(context, gpu),
    sharedImage: () => isTrue(chained(context, instance, gpu, "Properties", PRESENTATION_PROPERTIES).sharedImage),
    compressionControl: () =>
      isTrue(chained(context, instance, gpu, "Features", COMPRESSION_FEATURES).imageCompressionControl),
    // The fences of VK_EXT_swapchain_maintenance1 are signalled by submissions and need none of that.
    importsSyncFd: () => true,
  };
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
