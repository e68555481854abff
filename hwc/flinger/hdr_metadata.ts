import type { Frame } from "../../wsi/contract/frame_consumer.ts";
import type { PerFrameMetadata } from "../composer_records.ts";
import { METADATA_KEY } from "../device_types.ts";

/** What a frame's producer says of its HDR, as the composer takes it; nothing for most frames. */
export function hdrMetadata({ smpte2086, cta8613 }: Pick<Frame, "smpte2086" | "cta8613">): PerFrameMetadata[] {
  const found: [number, number][] = [];
  if (smpte2086) {
    const { red, green, blue, white, maxLuminance, minLuminance } = smpte2086;
    found.push(
      [METADATA_KEY.DISPLAY_RED_PRIMARY_X, red.x],
      [METADATA_KEY.DISPLAY_RED_PRIMARY_Y, red.y],
      [METADATA_KEY.DISPLAY_GREEN_PRIMARY_X, green.x],
      [METADATA_KEY.DISPLAY_GREEN_PRIMARY_Y, green.y],
      [METADATA_KEY.DISPLAY_BLUE_PRIMARY_X, blue.x],
      [METADATA_KEY.DISPLAY_BLUE_PRIMARY_Y, blue.y],
      [METADATA_KEY.WHITE_POINT_X, white.x],
      [METADATA_KEY.WHITE_POINT_Y, white.y],
      [METADATA_KEY.MAX_LUMINANCE, maxLuminance],
      [METADATA_KEY.MIN_LUMINANCE, minLuminance],
    );
  }
  if (cta8613) {
    found.push(
      [METADATA_KEY.MAX_CONTENT_LIGHT_LEVEL, cta8613.maxContentLightLevel],
      [METADATA_KEY.MAX_FRAME_AVERAGE_LIGHT_LEVEL, cta8613.maxFrameAverageLightLevel],
    );
  }
  return found.map(([key, value]) => ({ key, value }));
}
