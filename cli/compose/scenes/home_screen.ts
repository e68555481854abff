import { BLEND, FORMAT } from "../../../hwc/types.ts";
import type { SurfaceFlinger } from "../../../hwc/flinger/surface_flinger.ts";
import type { SurfaceLayer } from "../../../hwc/flinger/layers/surface_layer.ts";
import { CpuWindow } from "../../../wsi/window/cpu_window.ts";
import type { App, Scene } from "./app.ts";
import { paintNavigationBar, paintStatusBar, paintVideo, pixel, VIDEO } from "./paint.ts";

/** Ridges from the back: how high they stand, how they wave, and their colour. */
const RIDGES = [
  { height: 0.6, waves: [1.7, 4.1], colour: [0.55, 0.36, 0.46] },
  { height: 0.7, waves: [2.6, 5.3], colour: [0.34, 0.25, 0.39] },
  { height: 0.82, waves: [3.4, 7.7], colour: [0.16, 0.15, 0.27] },
] as const;
const ZENITH = [0.1, 0.17, 0.33], HORIZON = [0.98, 0.67, 0.47];

/** Paints ridges before an evening sky; the parts that do not move are painted once. */
function paintWallpaper(words: Uint32Array, stride: number, width: number, height: number): void {
  for (let y = 0; y < height; y++) {
    const down = Math.min(1, y / height / 0.72) ** 1.5;
    const [red, green, blue] = ZENITH.map((from, at) => from + (HORIZON[at] - from) * down);
    words.fill(pixel(red, green, blue), y * stride, y * stride + width);
  }
  for (const { height: level, waves: [slow, fast], colour: [red, green, blue] } of RIDGES) {
    const word = pixel(red, green, blue);
    for (let x = 0; x < width; x++) {
      const along = x / width * 2 * Math.PI;
      const wave = 0.035 * Math.sin(slow * along + level * 9) + 0.014 * Math.sin(fast * along);
      for (let y = Math.round((level + wave) * height); y < height; y++) words[y * stride + x] = word;
    }
  }
}

/** The sides of a cursor's picture. */
const CURSOR_SIZE = 32;

/** An arrow with a dark edge. */
function paintCursor(words: Uint32Array, stride: number): void {
  const black = pixel(0, 0, 0), white = pixel(1, 1, 1);
  words.fill(0);
  for (let y = 0; y < 26; y++) {
    const wide = Math.floor(y * 0.66);
    for (let x = 0; x <= wide && (y < 19 || x < (26 - y) * 1.8); x++) {
      const isEdge = x < 2 || x > wide - 2 || y > 23;
      words[y * stride + x + 2] = isEdge ? black : white;
    }
  }
}

/** The wallpaper's width as a multiple of the display's. */
const PANORAMA = 1.5;
/** Vsyncs for one way of the wallpaper, and for one turn of circling layers. */
const PAN = 900, ROUND = 480;
/** Frames of the application that may be under way. */
const MOST_UNDER_WAY = 2;

/** The display's properties that the scene depends on. */
export interface HomeScreenOptions {
  readonly width: number;
  readonly height: number;
  /** Vsyncs a second. */
  readonly hz: number;
  /** Opens the producer of the application's layer. */
  openApp(layer: SurfaceLayer): Promise<App>;
}

/**
 * Android's home screen: a wallpaper that is wider than the display, an
 * application, a video that moves, status and navigation bar, and a cursor.
 */
export async function homeScreen(
  flinger: SurfaceFlinger,
  options: HomeScreenOptions,
): Promise<Scene & { readonly app: App }> {
  const { width, height, hz } = options, places = placesOf(options);
  const wallpaper = paintedLayer(flinger, "wallpaper", 0, places.wallpaper, (words, stride, wide, tall) => {
    paintWallpaper(words, stride, wide, tall);
  }, FORMAT.RGBX_8888);
  const application = flinger.createLayer({
    name: "app",
    z: 1,
    position: { x: places.app.left, y: places.app.top },
    blend: BLEND.NONE,
    window: { width: places.app.width, height: places.app.height },
  });
  const video = flinger.createLayer({
    name: "video",
    z: 2,
    size: { width: places.video.width, height: places.video.height },
    window: { ...VIDEO, defaultFormat: FORMAT.YV12 },
  });
  const status = flinger.createLayer({ name: "status bar", z: 3, window: { ...sizeOf(places.status) } });
  const navigation = paintedLayer(flinger, "navigation bar", 4, places.navigation, (words, stride, wide, tall) => {
    paintNavigationBar({ words, stride, width: wide, height: tall });
  });
  const cursor = paintedLayer(
    flinger,
    "cursor",
    5,
    { ...CORNER, width: CURSOR_SIZE, height: CURSOR_SIZE },
    paintCursor,
  );
  cursor.set({ isCursor: true });
  const app = await options.openApp(application),
    videoWindow = new CpuWindow(video.window!),
    bar = new CpuWindow(status.window!);

  return {
    app,
    advance(moment) {
      const turn = 2 * Math.PI * moment / ROUND, wave = 0.5 - 0.5 * Math.cos(Math.PI * moment / PAN);
      const left = Math.round(wave * (places.wallpaper.width - width));
      wallpaper.set({ crop: { left, top: 0, right: left + width, bottom: height } });
      if (isReady(application)) app.draw(application.window!.statistics.queued);
      video.set({ position: onPath(places, width, turn) });
      if (moment % 2 === 0) videoWindow.draw((buffer) => paintVideo(buffer, moment));
      if (moment % hz === 0) {
        bar.drawPixels((words, stride, { width, height }) =>
          paintStatusBar({ words, stride, width, height }, moment / hz)
        );
      }
      const x = width * (0.5 + 0.34 * Math.cos(turn * 2)), y = height * (0.42 + 0.22 * Math.sin(turn * 2));
      cursor.moveCursor(Math.round(x), Math.round(y));
    },
    [Symbol.dispose]() {
      app[Symbol.dispose]();
      for (const layer of [wallpaper, application, video, status, navigation, cursor]) layer.close();
    },
  };
}

/** Whether the application may draw another frame: nothing takes those of a hidden layer. */
function isReady({ window, frameNumber = 0n, state: { isHidden } }: SurfaceLayer): boolean {
  return !isHidden && window!.statistics.queued - Number(frameNumber) < MOST_UNDER_WAY;
}

interface Place {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

function sizeOf({ width, height }: Place) {
  return { width, height };
}

const CORNER: Place = { left: 0, top: 0, width: 0, height: 0 };

function placesOf({ width, height }: HomeScreenOptions) {
  const even = (value: number) => Math.max(2, 2 * Math.round(value / 2)), isTall = height >= width;
  const short = Math.min(width, height), bar = even(short * 0.075), navigation = even(short * 0.12);
  const video = even(width * (isTall ? 0.6 : 0.3)), below = height - navigation - video * 9 / 16;
  const app = { left: even(width * 0.06), top: even(bar + short * 0.05), width: even(width * 0.88) };
  const tall = isTall ? below - app.top - short * 0.16 : height - app.top - navigation - short * 0.05;
  return {
    wallpaper: { ...CORNER, width: even(width * PANORAMA), height },
    app: { ...app, height: even(Math.max(short * 0.2, tall)) },
    video: { ...CORNER, top: Math.round(below - short * 0.08), width: video, height: even(video * 9 / 16) },
    status: { ...CORNER, width, height: bar },
    navigation: { ...CORNER, top: height - navigation, width, height: navigation },
  };
}

/** From side to side, a little up and down. */
function onPath({ video }: ReturnType<typeof placesOf>, width: number, turn: number) {
  const x = (width - video.width) * (0.5 - 0.42 * Math.cos(turn)),
    y = video.top + video.height * 0.08 * Math.sin(3 * turn);
  return { x: Math.round(x), y: Math.round(y) };
}

type PaintWords = (words: Uint32Array, stride: number, width: number, height: number) => void;

/** A layer that is painted once. */
function paintedLayer(
  flinger: SurfaceFlinger,
  name: string,
  z: number,
  { left, top, width, height }: Place,
  paint: PaintWords,
  format: number = FORMAT.RGBA_8888,
): SurfaceLayer {
  const layer = flinger.createLayer({
    name,
    z,
    position: { x: left, y: top },
    window: { width, height, defaultFormat: format },
  });
  new CpuWindow(layer.window!).drawPixels((words, stride) => paint(words, stride, width, height));
  return layer;
}
