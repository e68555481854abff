import { makePresentation, type Presentation } from "../../../examples/spin/presentation.ts";
import { type ModeName, MODES } from "../../../examples/spin/modes.ts";
import { openStage, type Stage } from "../../../examples/spin/stage.ts";
import { VK_FORMAT_R8G8B8A8_UNORM, type VkColorSpaceKHR, type VkFormat } from "../../../loader/vk.ts";
import type { Layer } from "../../../loader/mod.ts";
import { loadVulkan, NativeWindow } from "../../../mod.ts";
import { closeDescriptor, createEvent, pollDescriptor, signalEvent } from "../../../ffi/file/file_descriptor.ts";
import { androidWsi } from "../../../wsi/android_wsi.ts";
import { fenceWorker } from "../../../wsi/fence/fence_worker.ts";
import { collectGarbage } from "../../support/collect_garbage.ts";
import { createMessenger } from "../../support/messenger.ts";
import { type Comparison, makeComparison } from "./comparison.ts";
import { type Holdings, holdings } from "./figures.ts";
import type { Witness } from "./witness.ts";

/** The options of a run. */
export interface SoakOptions {
  /** A driver's library or manifest. */
  readonly driver: string;
  /** The present mode. */
  readonly mode: ModeName;
  /** Frames to draw. */
  readonly frames: number;
  /** The consumer that shows them, and is looked at. */
  readonly witness: Witness;
  /** One frame in so many is compared. */
  readonly every: number;
  /** The window's size. */
  readonly size: { readonly width: number; readonly height: number };
  /** Default RGBA, 8 bits. */
  readonly format?: VkFormat;
  /** Default sRGB. */
  readonly colorSpace?: VkColorSpaceKHR;
  /** Whether VK_LAYER_KHRONOS_validation listens. */
  readonly validation?: boolean;
  /** The layers between the window system and the driver. */
  readonly below?: readonly Layer[];
}

/** The report of a run. */
export interface SoakReport {
  readonly mode: ModeName;
  /** Frames drawn, queued by the swapchain, shown by the consumer, replaced by newer ones. */
  readonly frames: number;
  readonly queued: number;
  readonly shown: number;
  readonly dropped: number;
  /** Frames shown with a lower number than the one before. */
  readonly disorder: number;
  /** The number of times that pixels were copied on their way to the consumer. */
  readonly copies: number;
  /** Whether the window system had to copy each frame, as where a driver draws into no memory but its own. */
  readonly isCopied: boolean;
  /** The same by the consumer itself, if it counts. */
  readonly consumerCopies?: number;
  /** Frames compared with the same ones drawn off-screen, and those of them that differed. */
  readonly compared: number;
  readonly different: number;
  /** The holdings when the swapchain was made, after a tenth of the frames, and after all. */
  readonly start: Holdings;
  readonly warm: Holdings;
  readonly end: Holdings;
  /** From one frame to the next, comparisons left out. */
  readonly microseconds: number;
  /** The messages of the validation layer, but for what it is known to take wrongly. */
  readonly messages: readonly string[];
  /** The number of those. */
  readonly mistaken: number;
}

const VALIDATION = "VK_LAYER_KHRONOS_validation";

/**
 * In version 1.3.239 the layer counts a shared image as given back when it is
 * presented, although it stays acquired: by VK_KHR_shared_presentable_image it
 * is acquired once and presented again and again.
 */
const MISTAKEN = "VUID-VkPresentInfoKHR-pImageIndices-01430";

/** Draws so many frames of the spinning island into a window and watches what is shown of them. */
export async function runSoak(options: SoakOptions): Promise<SoakReport> {
  const { driver, mode, size, witness, validation, format = VK_FORMAT_R8G8B8A8_UNORM, colorSpace } = options;
  using messenger = createMessenger();
  using native = new NativeWindow({ ...size, consumer: witness.consumer, refreshRate: 1000 });
  const { below = [] } = options, wsi = androidWsi(), bottomLayers = [...wsi.bottomLayers, ...below];
  using vulkan = loadVulkan({ driver, layers: validation ? [wsi.headlessProxy, VALIDATION] : [], bottomLayers });
  using listening = new DisposableStack();
  using stage = openStage(vulkan, native, {
    mode,
    extensions: validation ? ["VK_EXT_debug_utils"] : [],
    onInstance: (instance) => validation && listening.use(messenger.listen(instance)),
  });
  using comparison = makeComparison(stage.gpu, { extent: size, format, colorSpace });
  const report = await drawAll(options, stage, { format, colorSpace, comparison });
  listening.dispose();
  const { queued, dropped, copies, nativeBuffers } = native.statistics;
  const isCopied = nativeBuffers!.tier === "staging";
  const isMistaken = (message: string) => MODES[mode].isShared && message.includes(MISTAKEN);
  const messages = messenger.messages.filter((message) => !isMistaken(message));
  return {
    ...report,
    queued,
    dropped,
    copies,
    isCopied,
    messages,
    mistaken: messenger.messages.length - messages.length,
  };
}

interface Drawing {
  readonly format: VkFormat;
  readonly colorSpace?: VkColorSpaceKHR;
  readonly comparison: Comparison;
}

async function drawAll(options: SoakOptions, stage: Stage, { comparison, ...drawing }: Drawing) {
  const { mode, frames, witness, every } = options;
  using presentation = makePresentation(stage, { ...drawing, numbered: true });
  using _fences = keptFenceThread();
  const start = holdings();
  let warm = start, spent = 0;
  for (let number = 0; number < frames; number++) {
    const before = performance.now();
    await showOne(stage, presentation, number);
    spent += performance.now() - before;
    for (const sight of await witness.look(number, number % every === 0)) comparison.check(sight);
    if (number === Math.floor(frames / 10)) warm = settled(presentation, witness);
  }
  const end = settled(presentation, witness);
  const { shown, disorder, copies: consumerCopies } = witness, { compared, different } = comparison;
  const microseconds = Math.round(1000 * spent / frames);
  const counts = { mode, frames, shown, disorder, consumerCopies, compared, different };
  return { ...counts, start, warm, end, microseconds };
}

/** Milliseconds in which the thread that waits for fences starts on a busy machine. */
const STARTING = 30_000;

/** Starts the thread that waits for fences, and keeps the thread: later, the files of its start would count as a leak. */
function keptFenceThread(): Disposable {
  const worker = fenceWorker(), release = worker.keep(), fd = createEvent(), event = createEvent();
  signalEvent(fd);
  worker.writeEventWhenReadable({ fds: [fd], event });
  const hasStarted = pollDescriptor(event, STARTING);
  [fd, event].forEach(closeDescriptor);
  if (!hasStarted) throw new Error(`The thread that waits for fences did not start within ${STARTING / 1000} s`);
  return { [Symbol.dispose]: release };
}

/** The holdings when nothing is on its way and no garbage is left. */
function settled(presentation: Presentation, witness: Witness): Holdings {
  presentation.settle();
  witness.settle?.();
  collectGarbage();
  return holdings();
}

/** A window that refreshes by itself may look only when the frame is drawn: else it rightly sees half of one. */
async function showOne({ mode }: Stage, presentation: Presentation, number: number): Promise<void> {
  if (!presentation.show(number)) throw new Error(`Frame ${number}: the swapchain is out of date`);
  if (!mode.refreshes) return;
  presentation.settle();
  await new Promise((resolve) => setTimeout(resolve, 1));
}

/** All modes, by name. */
export const MODE_NAMES = Object.keys(MODES) as ModeName[];
