import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { createTsBackend } from "../../../hwc/backends/create.ts";
import { damageOnDisplay } from "../../../hwc/flinger/client/client_picture.ts";
import type { SurfaceLayer } from "../../../hwc/flinger/layers/surface_layer.ts";
import { HwcError } from "../../../hwc/hwc_error.ts";
import { blitterPlane, onePlane } from "../../../hwc/planes/models.ts";
import { clientOnly } from "../../../hwc/planes/strategy.ts";
import type { ReferenceComposer } from "../../../hwc/core/controls.ts";
import { ERROR, FORMAT, type Rect } from "../../../hwc/types.ts";
import type { FrameSource } from "../../../wsi/contract/frame_consumer.ts";
import { USAGE } from "../../../wsi/buffer/usage.ts";
import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { type Surface, surfaceOf } from "../../../hwc/backends/surface.ts";
import { NativeWindow } from "../../../wsi/window/native_window.ts";
import { composed, layerOf, memoryOf } from "../backends/canvas.ts";
import { noiseBuffer } from "../backends/scene.ts";
import { draw, fill, GREEN, HEIGHT, onStage, RED, Stage, type StageOptions, WIDTH, words } from "./stage.ts";

/** Parts of a picture of a size. */
function partOf(width: number, height: number): fc.Arbitrary<Rect> {
  const side = (most: number) =>
    fc.tuple(fc.nat(most - 1), fc.nat(most - 1)).map(([a, b]) => [Math.min(a, b), Math.max(a, b) + 1]);
  return fc.tuple(side(width), side(height)).map(([[left, right], [top, bottom]]) => ({ left, top, right, bottom }));
}

Deno.test("damageOnDisplay() holds every pixel that a changed part of a buffer changes", () => {
  using backend = createTsBackend();
  const geometry = fc.record({
    changed: partOf(16, 12),
    crop: partOf(16, 12),
    inset: fc.constantFrom(0, 0.25, 0.5),
    transform: fc.nat(7),
    displayFrame: fc.tuple(partOf(WIDTH, HEIGHT), fc.integer({ min: -9, max: 9 })).map(([rect, by]) => ({
      ...rect,
      left: rect.left + by,
      right: rect.right + by,
    })),
    format: fc.constantFrom(FORMAT.RGBX_8888, FORMAT.YCBCR_420_888),
  });
  const property = fc.property(geometry, ({ changed, crop, inset, transform, displayFrame, format }) => {
    using before = noiseBuffer(format, 16, 12, 5), after = noiseBuffer(format, 16, 12, 5);
    change(after, changed);
    const sourceCrop = { ...crop, left: crop.left + inset, top: crop.top + inset };
    const layer = (buffer: typeof before) => layerOf(buffer, { sourceCrop, transform, displayFrame });
    const [one, other] = [before, after].map((buffer) => composed(backend, [WIDTH, HEIGHT], [layer(buffer)]));
    const damage = damageOnDisplay(changed, { sourceCrop, transform, displayFrame });
    one.forEach((word, at) => {
      const x = at % WIDTH, y = Math.floor(at / WIDTH);
      if (word !== other[at]) {
        assert(damage && isIn(damage, x, y), `pixel ${x}, ${y} is outside ${Deno.inspect(damage)}`);
      }
    });
  });
  fc.assert(property, { numRuns: 400 });
});

/** Other samples in a part: all of a pixel, or its luma and the chroma of its block. */
function change(buffer: GraphicBuffer, { left, top, right, bottom }: Rect): void {
  const view = memoryOf(buffer), { yuv } = surfaceOf(buffer) as Surface;
  for (let y = top; y < bottom; y++) {
    for (let x = left; x < right; x++) {
      const pixel = y * buffer.rowPitch + 4 * x;
      if (!yuv) view.setUint32(pixel, ~view.getUint32(pixel));
      else {
        const luma = yuv.y + y * yuv.ystride + x * yuv.ystep;
        view.setUint8(luma, ~view.getUint8(luma));
        view.setUint8(yuv.cb + (y >> yuv.shiftY) * yuv.cstride + (x >> yuv.shiftX) * yuv.cstep, 255);
      }
    }
  }
}

function isIn({ left, top, right, bottom }: Rect, x: number, y: number): boolean {
  return x >= left && x < right && y >= top && y < bottom;
}

type Step =
  | {
    readonly kind: "draw";
    readonly layer: number;
    readonly part: Rect;
    readonly color: number;
    readonly says: boolean;
  }
  | { readonly kind: "set"; readonly layer: number; readonly change: Parameters<SurfaceLayer["set"]>[0] }
  | { readonly kind: "close" | "skip" | "fail"; readonly layer: number }
  | { readonly kind: "force"; readonly layer: number; readonly on: boolean };

/** So that the client and the composer draw into the same buffers by turns. */
const ANY_USAGE = USAGE.CPU_READ_OFTEN | USAGE.CPU_WRITE_OFTEN | USAGE.GPU_RENDER_TARGET | USAGE.COMPOSER_OVERLAY;
const SIZES = [[32, 24], [12, 10], [9, 14]] as const;

function steps(): fc.Arbitrary<readonly Step[]> {
  const layer = fc.nat(SIZES.length - 1), at = fc.integer({ min: -6, max: 24 });
  const size = fc.record({ width: fc.integer({ min: 3, max: 30 }), height: fc.integer({ min: 3, max: 30 }) });
  const look = fc.oneof(
    fc.record({ position: fc.record({ x: at, y: at }) }),
    fc.record({ z: fc.nat(3) }),
    fc.record({ alpha: fc.constantFrom(1, 0.5, 0) }),
    fc.record({ transform: fc.nat(7) }),
    fc.record({ size: fc.option(size, { nil: undefined }) }),
    fc.record({ crop: fc.option(partOf(9, 10), { nil: undefined }) }),
    fc.record({ isHidden: fc.boolean() }),
  );
  const drawing = fc.record({
    kind: fc.constant("draw" as const),
    layer,
    part: partOf(9, 10),
    color: fc.nat(0xffffff),
    says: fc.boolean(),
  });
  const step: fc.Arbitrary<Step> = fc.oneof(
    { weight: 6, arbitrary: drawing },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant("set" as const), layer, change: look }) },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constantFrom("close" as const, "skip" as const, "fail" as const), layer }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("force" as const), layer, on: fc.boolean() }) },
  );
  return fc.array(step, { minLength: 1, maxLength: 25 });
}

/** A layer whose producer keeps its picture, and changes parts of it. */
class Canvas {
  readonly #pixels: Uint32Array;
  #layer: SurfaceLayer;

  constructor(readonly stage: Stage, readonly index: number) {
    const [width, height] = SIZES[index];
    this.#pixels = new Uint32Array(width * height).fill(index === 1 ? 0x80402010 : 0xff000000 + 0x400000 * index);
    this.#layer = this.#make();
  }

  get layer(): SurfaceLayer {
    return this.#layer;
  }

  /** A new layer with the same picture. */
  again(): void {
    this.#layer.close();
    this.#layer = this.#make();
  }

  draw({ left, top, right, bottom }: Rect, color: number, says: boolean): void {
    const [width] = SIZES[this.index],
      word = (this.index === 1 ? color & 0x7f7f7f | 0x80000000 : color | 0xff000000) >>> 0;
    for (let y = top; y < bottom; y++) this.#pixels.fill(word, y * width + left, y * width + right);
    this.#queue(says ? [{ left, top, right, bottom }] : []);
  }

  /** The first of two frames makes way for the second, and nobody sees what it changed. */
  drawTwice(): void {
    this.#layer.window!.setSwapInterval(0);
    for (const [left, color] of [[0, 0x112233], [6, 0x7f7f00]]) {
      this.draw({ left, top: left, right: left + 2, bottom: left + 2 }, color ^ this.#pixels[0], true);
    }
    this.#layer.window!.setSwapInterval(1);
  }

  #make(): SurfaceLayer {
    const [width, height] = SIZES[this.index];
    const layer = this.stage.flinger.createLayer({ window: { width, height }, z: this.index });
    layer.window!.apiConnect(2);
    layer.window!.setBufferCount(3);
    this.#layer = layer;
    this.#queue([]);
    return layer;
  }

  #queue(damage: readonly Rect[]): void {
    const window = this.#layer.window!, taken = window.dequeueBuffer();
    if (typeof taken === "number") throw new Error(`no buffer: status ${taken}`);
    taken.fence.close();
    const [width, height] = SIZES[this.index], view = memoryOf(taken.buffer);
    for (let at = 0; at < width * height; at++) {
      view.setUint32(Math.floor(at / width) * taken.buffer.rowPitch + 4 * (at % width), this.#pixels[at], true);
    }
    window.setSurfaceDamage(damage);
    assertEquals(window.queueBuffer(taken.buffer, NativeFence.signaled()), 0);
  }
}

/** Runs the steps, and compares after each what is shown with all of it drawn anew. */
function follow(plan: readonly Step[], options: StageOptions, outputs?: string): { drawn: number; saved: number } {
  let fails = false;
  const between = (composer: ReferenceComposer) =>
    new Proxy(composer, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (name !== "presentDisplay" || !fails) return value;
        return () => {
          fails = false;
          throw new HwcError("presentDisplay", ERROR.NO_RESOURCES, "not this time");
        };
      },
    });
  using stage = new Stage({ ...options, between });
  const sources: FrameSource[] = [];
  using window = new NativeWindow({
    width: WIDTH,
    height: HEIGHT,
    consumer: { usage: ANY_USAGE, attach: (source) => void sources.push(source), onFrame() {} },
  });
  if (outputs) stage.flinger.createVirtualDisplay({ window, usesComposer: outputs === "anybody's" });
  const canvases = SIZES.map((_, index) => new Canvas(stage, index));
  let output: number[] = [];
  for (const step of plan) {
    const canvas = canvases[step.layer];
    if (step.kind === "draw") canvas.draw(step.part, step.color, step.says);
    else if (step.kind === "skip") canvas.drawTwice();
    else if (step.kind === "set") canvas.layer.set(step.change);
    else if (step.kind === "close") canvas.again();
    else if (step.kind === "force") stage.flinger.setForceClient(step.on);
    else if (step.kind === "fail") {
      fails = true;
      canvas.layer.set({ alpha: 0.9 });
    }
    for (let vsync = 0; vsync < 4; vsync++) {
      stage.vsyncs();
      for (let frame = sources[0].acquire(); frame; frame = sources[0].acquire()) {
        output = words(frame.buffer);
        frame.release();
      }
    }
    using wanted = stage.flinger.capture(0);
    const expected = words(wanted);
    assertClose(stage.screen(), expected, options.planes ? 2 : 0);
    // Nothing is black below it.
    if (outputs) assertEquals(output.map((word) => word & 0xffffff), expected.map((word) => word & 0xffffff));
  }
  const { clientPixels: drawn, savedPixels: saved } = stage.flinger.displays.at(-1)!;
  stage.flinger.close();
  return { drawn, saved };
}

/** Two steps of blending may round otherwise than one. */
function assertClose(actual: readonly number[], expected: readonly number[], most: number): void {
  const far = actual.findIndex((word, at) =>
    [0, 8, 16].some((shift) => Math.abs((word >>> shift & 255) - (expected[at] >>> shift & 255)) > most)
  );
  if (far >= 0) {
    assertEquals(
      actual[far].toString(16),
      expected[far].toString(16),
      `pixel ${far % WIDTH}, ${Math.floor(far / WIDTH)}`,
    );
  }
}

for (
  const [name, options, output] of [
    ["all of it the client's", { strategy: clientOnly() }, undefined],
    ["some of it on a plane", { planes: onePlane() }, undefined],
    ["into the output of a virtual display", {}, "the client's"],
    ["into an output that the composer draws, too", { virtualDisplays: { planes: blitterPlane() } }, "anybody's"],
  ] as const
) {
  Deno.test(`a picture of which only changes are drawn is the picture drawn anew, ${name}`, () => {
    let drawn = 0, saved = 0;
    const property = fc.property(steps(), (plan) => {
      const pixels = follow(plan, options, output);
      drawn += pixels.drawn;
      saved += pixels.saved;
    });
    fc.assert(property, { numRuns: 60 });
    assert(saved > drawn / 8, `${saved} pixels saved, ${drawn} drawn`);
  });
}

/** A composer that writes down the damage of client targets. */
function told(damage: (readonly Rect[])[]) {
  return (composer: ReferenceComposer) =>
    new Proxy(composer, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (name !== "setClientTarget" || typeof value !== "function") return value;
        return (...args: unknown[]) => {
          damage.push(args[4] as readonly Rect[]);
          return value.apply(target, args);
        };
      },
    });
}

Deno.test("the composer is told what of the client target changed, and nothing of one that did not", () => {
  const damage: (readonly Rect[])[] = [];
  onStage((stage) => {
    damage.length = 0;
    const layer = stage.layer("app", [32, 24], RED), bar = stage.layer("bar", [32, 2], GREEN, { z: 1 });
    stage.vsyncs(2);
    assertEquals(damage.splice(0), [[]], "the first time everything");
    bar.window!.setSurfaceDamage([{ left: 10, top: 0, right: 12, bottom: 1 }]);
    draw(bar.window!, RED);
    stage.vsyncs(2);
    assertEquals(damage.splice(0), [[{ left: 7, top: 0, right: 15, bottom: 2 }]]);
    stage.flinger.setColorMode(0, 0);
    stage.vsyncs(2);
    assertEquals(damage.splice(0), [[{ left: 0, top: 0, right: 0, bottom: 0 }]]);
    stage.composer.refresh(stage.handle());
    stage.vsyncs(2);
    assertEquals(damage.splice(0), [[]], "who asks for a refresh gets everything");
    layer.set({ position: { x: 1, y: 0 } });
    stage.vsyncs(2);
    assertEquals(damage.splice(0), [[]]);
    const { clientPixels, savedPixels, clientFrames } = stage.flinger.displays[0], all = WIDTH * HEIGHT;
    assertEquals(clientPixels + savedPixels, clientFrames * all);
    // Two whole ones, one of a buffer that held none, and two of nothing.
    assertEquals([clientPixels, clientFrames], [3 * all, 5]);
    assert(stage.flinger.dump().includes(`${savedPixels} kept of earlier frames`));
  }, { strategy: clientOnly(), between: told(damage) })();
});

Deno.test("an output that the composer has drawn into meanwhile is drawn anew", () => {
  using stage = new Stage({ virtualDisplays: { planes: blitterPlane() } });
  const seen: number[] = [], sources: FrameSource[] = [];
  const consumer = { usage: ANY_USAGE, attach: (source: FrameSource) => void sources.push(source), onFrame() {} };
  using window = new NativeWindow({ width: WIDTH, height: HEIGHT, consumer });
  stage.flinger.createVirtualDisplay({ window });
  stage.layer("app", [32, 24], RED);
  const bar = stage.layer("bar", [32, 4], GREEN, { z: 1 });
  for (const [turn, isClients] of [true, false, true].entries()) {
    stage.flinger.setForceClient(isClients);
    bar.set({ isHidden: !isClients });
    for (let frame = 0; frame < 4; frame++) {
      // All buffers have their turn; the client goes on with the very picture that was its last one.
      bar.set({ position: { x: 0, y: 20 * ((frame + turn / 2) % 2) } });
      stage.vsyncs(2);
      for (let each = sources[0].acquire(); each; each = sources[0].acquire()) {
        seen.push(words(each.buffer)[WIDTH * 21]);
        each.release();
      }
    }
  }
  const green = 0xff00ff00, red = 0xff0000ff;
  const turns = [red, green, red, green];
  assertEquals(seen, [...turns, red, red, red, red, ...turns.toReversed()]);
  stage.flinger.close();
});

{
  const own = createTsBackend();
  let fails = false;
  const renderer = {
    name: "failing",
    compose(...args: Parameters<typeof own.compose>) {
      if (!fails) return own.compose(...args);
      fails = false;
      fill(args[0], GREEN);
      throw new Error("half way through");
    },
    forget() {},
  };
  Deno.test(
    "a target in which drawing failed is drawn anew",
    onStage((stage) => {
      const layer = stage.layer("app", [32, 24], RED);
      stage.vsyncs(2);
      const dot = () => {
        layer.window!.setSurfaceDamage([{ left: 0, top: 0, right: 1, bottom: 1 }]);
        draw(layer.window!, RED);
      };
      for (let frame = 0; frame < 4; frame++) {
        dot();
        stage.vsyncs(2);
      }
      fails = true;
      dot();
      stage.vsyncs(3);
      assertEquals([fails, stage.said.length, stage.pixel(20, 20)], [false, 1, [255, 0, 0]]);
    }, { strategy: clientOnly(), renderer }),
  );
}
