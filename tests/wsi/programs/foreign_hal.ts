/**
 * The happenings on drivers with native buffers of their own, a line of JSON for
 * each case: `foreign_hal.ts CASE...`. Whatever may end the process ends this
 * one.
 *
 * @module
 */
import type { Frame } from "../../../wsi/contract/frame_consumer.ts";
import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import { createReferenceComposer, SurfaceFlinger } from "../../../hwc/mod.ts";
import { loadVulkan } from "../../../wsi/load_vulkan.ts";
import { ADAPTED } from "../adaptor/drawing.ts";
import { foreignHal, REVISIONS, seenBy, withHabits } from "../foreign_hal.ts";
import { Presenter, Stage } from "../swapchain/presenter.ts";

const GREEN = [0, 1, 0, 1] as const, TIMEOUT = 2, FRAMES = 40;
const WORD = 0xff00ff00;

/** The outcome of a window that was drawn into: the wrong pixels of its frames, and the layout of its buffers. */
interface Drawn {
  frames: number;
  wrong: number;
  rowPitch: number;
}

/** Counts the pixels of a frame that are not green. */
function judge(drawn: Drawn, { buffer, fence }: Frame): void {
  fence.wait();
  drawn.frames++;
  drawn.rowPitch = buffer.rowPitch;
  const { buffer: memory, byteOffset } = buffer.lock();
  const words = new DataView(memory, byteOffset);
  for (let y = 0; y < buffer.height; y++) {
    for (let x = 0; x < buffer.width; x++) {
      if (words.getUint32(y * buffer.rowPitch + 4 * x, true) !== WORD) drawn.wrong++;
    }
  }
  buffer.unlock();
}

/** A stage whose window's frames are judged, and given back with fences of this kind. */
function stageOn(driver: string, size = { width: 61, height: 37 }, release: () => NativeFence = NativeFence.signaled) {
  const drawn: Drawn = { frames: 0, wrong: 0, rowPitch: 0 };
  const consumer = {
    attach() {},
    onFrame(source: { acquire(): Frame | undefined }) {
      for (let frame; (frame = source.acquire());) {
        judge(drawn, frame);
        frame.release(release());
      }
    },
  };
  return { stage: new Stage({ driver, window: { ...size, consumer } }), drawn };
}

/** Every revision on every driver, before and after `install()`. */
function* revisions() {
  for (const [below] of ADAPTED) {
    for (const revision of REVISIONS) {
      const driver = foreignHal(below, revision)!;
      for (const installed of [false, true]) {
        const { stage, drawn } = stageOn(driver);
        using _stage = stage;
        if (installed) stage.vulkan.install();
        using presenter = new Presenter(stage);
        for (let frame = 0; frame < 4; frame++) presenter.frame(GREEN);
        yield { below, revision, installed, ...drawn, seen: [...new Set(seenBy(driver))] };
      }
    }
  }
}

/** Fences that are eventfds: signalled ones, and one that is not within the timeout. */
function* eventfds() {
  const driver = foreignHal()!, signals: (() => void)[] = [];
  let isSignalled = true;
  const { stage, drawn } = stageOn(driver, undefined, () => {
    const { fence, signal } = NativeFence.create();
    if (isSignalled) signal();
    else signals.push(signal);
    return fence;
  });
  using _stage = stage;
  using presenter = new Presenter(stage);
  for (let frame = 0; frame < 6; frame++) presenter.frame(GREEN);
  yield { ...drawn, seen: [...new Set(seenBy(driver))] };
  isSignalled = false;
  const results: number[] = [];
  for (let frame = 0; frame < 6 && results.at(-1) !== TIMEOUT; frame++) {
    const { result, imageIndex } = stage.device.vkAcquireNextImageKHR(presenter.swapchain, 1000n, presenter.acquired);
    results.push(result);
    if (result === TIMEOUT) break;
    presenter.draw(imageIndex, GREEN, [presenter.acquired]);
    presenter.present(imageIndex);
    presenter.settle();
  }
  signals.forEach((signal) => signal());
  isSignalled = true;
  const after = presenter.frame(GREEN);
  yield { last: results.at(-1), after: after.presented, seen: [...new Set(seenBy(driver))] };
}

/** Two drivers at once, each with its own stride. */
function* together() {
  const adapted = stageOn(ADAPTED.find(([name]) => name === "SwiftShader")![1]!), foreign = stageOn(foreignHal()!);
  using _one = adapted.stage;
  using _other = foreign.stage;
  using first = new Presenter(adapted.stage);
  using second = new Presenter(foreign.stage);
  for (let frame = 0; frame < 4; frame++) {
    first.frame(GREEN);
    second.frame(GREEN);
  }
  yield { adapted: adapted.drawn, foreign: foreign.drawn };
}

/** Sizes whose last row ends neither a block nor, mostly, a page. */
const SIZES = [[256, 33], [191, 101], [800, 601], [1280, 721], [1024, 1021]] as const;

/** A driver that works in blocks of sixteen rows, and wants a GPU's usage bits or those of the CPU alone. */
function* blocks() {
  for (const habits of [["touches-rows"], ["touches-rows", "cpu-usage"]] as const) {
    for (const [width, height] of SIZES) {
      const { stage, drawn } = stageOn(foreignHal()!, { width, height });
      using _stage = stage;
      withHabits(habits, () => {
        using presenter = new Presenter(stage);
        presenter.frame(GREEN);
      });
      yield { width, height, habits, ...drawn };
    }
  }
}

/** An application and the composer that shows its window, in one thread and in real time. */
function* flips() {
  for (const driver of [...ADAPTED.map(([, path]) => path!), foreignHal()!]) {
    using composer = createReferenceComposer({ panels: [{ modes: [{ width: 32, height: 24, refreshRate: 240 }] }] });
    using flinger = new SurfaceFlinger({ composer });
    const layer = flinger.createLayer({ name: "app", window: { width: 32, height: 24 } });
    using stage = new Stage({ driver, window: layer.window! });
    using presenter = new Presenter(stage);
    for (let frame = 0; frame < FRAMES; frame++) presenter.frame(GREEN);
    yield { driver, shown: Number(layer.frameNumber ?? 0n) > 0 };
  }
}

/** The instance extensions that the driver gets for those that an application enables, by the version of Vulkan. */
function* extensions() {
  const driver = foreignHal()!, enabled = ["VK_KHR_surface", "VK_KHR_android_surface"];
  for (const platform of ["android", "linux"] as const) {
    for (const apiVersion of [0x400000, 0x403000]) {
      const seen = withHabits(["tells-extensions"], () => {
        using vulkan = loadVulkan({ driver, platform });
        using instance = vulkan.vkCreateInstance({
          pApplicationInfo: { apiVersion },
          ppEnabledExtensionNames: enabled,
        });
        instance.vkEnumeratePhysicalDevices();
        return seenBy(driver);
      });
      yield { platform, apiVersion, seen };
    }
  }
}

const CASES: Record<string, () => Iterable<object>> = { extensions, revisions, eventfds, together, blocks, flips };
for (const name of Deno.args) for (const line of CASES[name]()) console.log(JSON.stringify({ name, ...line }));
