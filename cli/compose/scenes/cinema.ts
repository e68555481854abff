import { FORMAT, type SurfaceFlinger } from "../../../hwc/mod.ts";
import { CpuWindow } from "../../../wsi/mod.ts";
import { paintCaptions, paintVideo, VIDEO } from "./paint.ts";
import type { Scene } from "./app.ts";

/** Vsyncs between captions. */
const SPOKEN = 120;

/** The scene of an external display: a video in full screen, with captions. */
export function cinema(
  flinger: SurfaceFlinger,
  { width, height, layerStack }: { readonly width: number; readonly height: number; readonly layerStack: number },
): Scene {
  const wide = Math.round(width * 0.6), tall = Math.round(height * 0.12), size = { width, height };
  const video = flinger.createLayer({
    name: `film ${layerStack}`,
    layerStack,
    size,
    window: { ...VIDEO, defaultFormat: FORMAT.YCBCR_420_888 },
  });
  const captions = flinger.createLayer({
    name: `captions ${layerStack}`,
    layerStack,
    z: 1,
    position: { x: (width - wide) >> 1, y: Math.round(height * 0.82) },
    window: { width: wide, height: tall },
  });
  const videoWindow = new CpuWindow(video.window!), words = new CpuWindow(captions.window!);
  return {
    advance(moment) {
      if (moment % 2 === 0) videoWindow.draw((buffer) => paintVideo(buffer, moment));
      if (moment % SPOKEN > 0 && captions.frameNumber !== undefined) return;
      words.drawPixels((words, stride) => {
        paintCaptions({ words, stride, width: wide, height: tall }, Math.floor(moment / SPOKEN));
      });
    },
    [Symbol.dispose]() {
      for (const layer of [video, captions]) layer.close();
    },
  };
}
