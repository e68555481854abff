import type { Below, WindowSystem } from "./environment.ts";
import { peek64 } from "../../ffi/machine.ts";

/** vkSetHdrMetadataEXT, for those of these swapchains that are ours and drawn into. */
export function setHdrMetadata(
  { swapchains }: WindowSystem,
  context: Below,
  { count, handles, metadata }: { readonly count: number; readonly handles: bigint; readonly metadata: bigint },
): void {
  context.readAll("VkHdrMetadataEXT", metadata, count).forEach((each, index) => {
    const swapchain = swapchains.get(peek64(handles + 8n * BigInt(index)));
    if (!swapchain?.isCurrent) return;
    const { window } = swapchain.surface!;
    window.setBuffersSmpte2086({
      red: each.displayPrimaryRed!,
      green: each.displayPrimaryGreen!,
      blue: each.displayPrimaryBlue!,
      white: each.whitePoint!,
      maxLuminance: each.maxLuminance!,
      minLuminance: each.minLuminance!,
    });
    window.setBuffersCta8613({
      maxContentLightLevel: each.maxContentLightLevel!,
      maxFrameAverageLightLevel: each.maxFrameAverageLightLevel!,
    });
  });
}
