import { assert, assertEquals } from "@std/assert";
import { EGL_CONTEXT_MAJOR_VERSION, EGL_NO_CONTEXT, EGL_PLATFORM_ANDROID_KHR, loadEgl } from "../../../../egl/mod.ts";
import { GL_COLOR_BUFFER_BIT } from "../../../../egl/gl.ts";
import { SurfaceFlinger, type SurfaceLayer } from "../../../../hwc/mod.ts";
import { CpuWindow } from "../../../../wsi/mod.ts";
import { lavapipePath } from "../../../../tools/setup/parts.ts";
import { mesa } from "../../../egl/drivers.ts";
import { choose } from "../../../egl/window/opened.ts";
import { count } from "../../../support/counts.ts";
import { openFiles } from "../../../support/open_files.ts";
import { assertNoMoreFiles } from "../../../wsi/files_left.ts";
import { Presenter, Stage } from "../../../wsi/swapchain/presenter.ts";
import { framebuffers, LONG, ON_CARDS, Vkms } from "./on_vkms.ts";

const FRAMES = LONG ? 3000 : count(150, 150, 300), WARM = LONG ? 200 : 60, WINDOW = { width: 128, height: 96 };
/** Frames of a producer that may be under way. */
const MOST_UNDER_WAY = 1;
/** Milliseconds without a flip after which the test says where each frame is. */
const LONG_WAIT = 60_000;

/** A program that draws into a layer's window. */
type Producer = Disposable & { draw(frame: number): void };

Deno.test(
  "frames of three producers appear in order at the times of their fences, and nothing is kept",
  ON_CARDS,
  async () => {
    await using vkms = new Vkms();
    const { composer } = vkms, said: string[] = [], flips: bigint[] = [], presents: Promise<bigint>[] = [];
    const watched = {
      ...composer,
      presentDisplay(display: bigint) {
        const fence = composer.presentDisplay(display), copy = fence.dup();
        presents.push(copy.ready().then(() => (copy.poll(), copy.signalTime!)).finally(() => copy.close()));
        return fence;
      },
    };
    {
      await using flinger = new SurfaceFlinger({ composer: watched, log: (sentence) => said.push(sentence) });
      using producers = new DisposableStack();
      const places = [cpuProducer, eglProducer, vulkanProducer].map((open, index) => {
        const position = { x: 40 + 180 * index, y: 60 + 30 * index };
        const layer = flinger.createLayer({ name: open.name, z: index, position, window: WINDOW });
        return { layer, producer: producers.use(open(layer)) };
      });
      composer.onFlip((_display, time) => void flips.push(time));
      using _watch = onStandstill(flips, () => console.error(whereFramesAre(flinger, places)));
      const end = flipsUntil(vkms, FRAMES), warm = flipsUntil(vkms, WARM);
      let isOver = false;
      const draw = (number: number) => {
        if (isOver) return;
        for (const { layer, producer } of places) if (isReady(layer)) producer.draw(number);
      };
      composer.onFlip((_display, time) => void setTimeout(draw, 0, Number(time % 255n))); // after the buffers' releases
      draw(1);
      await warm;
      const before = { files: openFiles(), framebuffers: framebuffers() };
      await end;
      isOver = true;
      assert(
        framebuffers() <= before.framebuffers + 2,
        `${framebuffers()} framebuffers, ${before.framebuffers} before`,
      );
      await assertNoMoreFiles(before.files + 8); // fences of the frames that are under way
      for (const { layer } of places) {
        assert(Number(layer.frameNumber!) > FRAMES / 10, `${layer.name}: ${layer.frameNumber} frames`);
      }
      const { shown } = composer.plan(vkms.display)!.stack.length >= 3
        ? composer.statistics(vkms.display)
        : { shown: 0 };
      assert(shown >= FRAMES, `${shown} frames of three planes`);
    }
    await new Promise((resolve) => setTimeout(resolve, 0)); // the last draw
    assertEquals([said, vkms.errors], [[], []]);
    const times = await Promise.all(presents), seen = new Set(flips);
    assertEquals(times.filter((time) => !seen.has(time)).length <= 2, true, "present fences have the times of flips");
    assert(times.every((time, at) => at === 0 || time >= times[at - 1]), "present fences signal in order");
  },
);

/** Resolves when so many frames have appeared. */
function flipsUntil({ composer }: Vkms, count: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  composer.onFlip(() => --count === 0 && resolve());
  return promise;
}

/** Calls back whenever no flip has come for long. */
function onStandstill(flips: readonly bigint[], tell: () => void): Disposable {
  let seen = 0;
  const timer = setInterval(() => {
    if (seen === flips.length) tell();
    seen = flips.length;
  }, LONG_WAIT);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

function whereFramesAre(flinger: SurfaceFlinger, places: readonly { readonly layer: SurfaceLayer }[]): string {
  const windows = places.map(({ layer }) =>
    `${layer.name}: ${layer.frameNumber} taken, ${json(layer.window!.statistics)}`
  );
  return ["no flip for long", flinger.dump(), json(flinger.statistics), ...windows].join("\n");
}

function json(value: unknown): string {
  return JSON.stringify(value, (_name, each) => typeof each === "bigint" ? String(each) : each);
}

function isReady({ window, frameNumber = 0n }: SurfaceLayer): boolean {
  return window!.statistics.queued - Number(frameNumber) < MOST_UNDER_WAY;
}

function cpuProducer({ window }: SurfaceLayer): Producer {
  const cpu = new CpuWindow(window!);
  return { draw: (frame) => void cpu.drawPixels((words) => words.fill(0xff000000 | frame)), [Symbol.dispose]() {} };
}

function eglProducer({ window }: SurfaceLayer): Producer {
  const egl = loadEgl({ driver: mesa.open() }), display = egl.eglGetPlatformDisplay(EGL_PLATFORM_ANDROID_KHR, 0n);
  egl.eglInitialize(display);
  const config = choose(egl, display, [8, 8, 8, 8]);
  const context = egl.eglCreateContext(display, config, EGL_NO_CONTEXT, { [EGL_CONTEXT_MAJOR_VERSION]: 2 });
  const surface = egl.eglCreateWindowSurface(display, config, window!.address);
  egl.eglMakeCurrent(display, surface, surface, context);
  return {
    draw(frame) {
      egl.gl.glClearColor(0, frame / 255, 0, 1);
      egl.gl.glClear(GL_COLOR_BUFFER_BIT);
      egl.eglSwapBuffers(display, surface);
    },
    [Symbol.dispose]: () => egl.close(),
  };
}

function vulkanProducer({ window }: SurfaceLayer): Producer {
  const stage = new Stage({ driver: lavapipePath()!, window: window! });
  const presenter = new Presenter(stage, { minImageCount: 4 });
  return {
    draw: (frame) => void presenter.frame([0, 0, frame / 255, 1]),
    [Symbol.dispose]() {
      presenter[Symbol.dispose]();
      stage[Symbol.dispose]();
    },
  };
}
