import { CALLBACK, POWER_MODE } from "../../hwc/device_types.ts";
import { ManualClock } from "../../hwc/core/time/clock.ts";
import { eightPlane } from "../../hwc/planes/models.ts";
import { createReferenceComposer } from "../../hwc/simulated/reference_composer.ts";
import { loadVulkan } from "../../loader/mod.ts";
import { apiRecording } from "../../workbench/layers.ts";
import { recordingInfo } from "../../workbench/recordings/trim/info.ts";
import { frames } from "../figures/remote.ts";
import { steppedComposer } from "../hwc/stepped.ts";
import { leastOf } from "../measure.ts";
import type { Parts } from "../parts.ts";
import { LINEAR, type Subject } from "./subject.ts";

const FRAMES = 10;

/** Frames of a composer, and files of recordings. */
export const FRAME_SUBJECTS: readonly Subject[] = [
  {
    name: "layers of a display",
    meaning: "layers of a display, of which eight get planes; a frame",
    sizes: [1, 2, 4, 8, 16, 32, 64],
    most: LINEAR,
    cost: (size, { c }) => {
      using composer = steppedComposer();
      return leastOf(frames(composer, size), FRAMES, c.thread_milliseconds);
    },
  },
  {
    name: "displays",
    meaning: "displays of a composer, with no layers; a frame on each",
    sizes: [1, 2, 4, 8],
    most: LINEAR,
    cost: displayFrames,
  },
  {
    name: "recordings",
    meaning: `submissions in a recording, in thousands; the recording read and described`,
    sizes: [1, 4, 16, 64],
    most: LINEAR,
    cost: readRecording,
  },
];

function displayFrames(size: number, { c }: Parts): number {
  const modes = [{ width: 640, height: 360, refreshRate: 60 }], clock = new ManualClock();
  const panels = Array.from({ length: size }, () => ({ modes }));
  using composer = createReferenceComposer({ clock, panels, planes: eightPlane(), flattenAfter: 0 });
  const displays: bigint[] = [];
  composer.registerCallback(CALLBACK.HOTPLUG, (display) => displays.push(display));
  for (const display of displays) composer.setPowerMode(display, POWER_MODE.ON);
  if (displays.length !== size) throw new Error(`${displays.length} displays of ${size}`);
  return leastOf(
    (times) => {
      for (let frame = 0; frame < times; frame++) {
        clock.advance(16_666_667n);
        for (const display of displays) {
          composer.validateDisplay(display);
          composer.presentDisplay(display).close();
        }
      }
    },
    FRAMES,
    c.thread_milliseconds,
  );
}

function readRecording(thousands: number, { lavapipe, c }: Parts): number {
  const folder = Deno.makeTempDirSync(), path = `${folder}/recording.jsonl`;
  try {
    record(lavapipe, path, thousands * 1_000);
    return leastOf(
      (times) => {
        for (let i = 0; i < times; i++) recordingInfo(path);
      },
      1,
      c.thread_milliseconds,
    );
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

function record(driver: string, path: string, submits: number): void {
  using recording = apiRecording({ path });
  using vulkan = loadVulkan({ driver, layers: [recording.layer] });
  using instance = vulkan.vkCreateInstance({});
  const [gpu] = instance.vkEnumeratePhysicalDevices();
  gpu.vkGetPhysicalDeviceMemoryProperties();
  using device = gpu.vkCreateDevice({ pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] });
  const queue = device.vkGetDeviceQueue(0, 0);
  for (let i = 0; i < submits; i++) queue.vkQueueSubmit([{}]);
  queue.vkQueueWaitIdle();
}
