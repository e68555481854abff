import { CALLBACK, CONNECTION, POWER_MODE } from "../../hwc/device_types.ts";
import { ManualClock } from "../../hwc/core/time/clock.ts";
import { createTsBackend } from "../../hwc/backends/create.ts";
import { connectComposer } from "../../hwc/remote/client/connect.ts";
import { createReferenceComposer } from "../../hwc/simulated/reference_composer.ts";
import { defineLayer, loadVulkan } from "../../loader/mod.ts";
import { createContext, openContext } from "../../tests/egl/context.ts";
import { angle } from "../../tests/egl/drivers.ts";
import { Presenter, Stage } from "../../tests/wsi/swapchain/presenter.ts";
import { droppingConsumer } from "../../wsi/consumer/dropping.ts";
import { apiProfile, apiRecording } from "../../workbench/layers.ts";
import { recordingInfo } from "../../workbench/recordings/trim/info.ts";
import { frames } from "../figures/remote.ts";
import { homeScene } from "../hwc/scene.ts";
import type { Holdings } from "./holdings.ts";

/** The drivers of the soak. */
export interface SoakDrivers {
  /** The smallest driver. */
  readonly tiny: string;
  /** A real driver. */
  readonly driver: string;
}

/** One thing that a program does and is done with: afterwards the process has as much as before. */
export interface Activity {
  readonly name: string;
  /** The remains of each run, for a known reason. */
  readonly leaves?: Partial<Holdings>;
  run(drivers: SoakDrivers): void | Promise<void>;
}

const QUEUES = [{ queueFamilyIndex: 0, pQueuePriorities: [1] }], SIDE = 64, FEW = 4;
const SMALL_SCENE = 1 / 8;
const WORKER = new URL("worker.ts", import.meta.url);

/**
 * A worker that is ended runs nothing more: native code may still know its callbacks and machine code, which therefore
 * stay, with the texts that they write: four images of two mappings, some of which the system joins, 16 to 36 KiB each.
 * Of the native memory, 12 KiB are Deno's, as are the descriptors, for an open callback of any worker; most of the rest
 * is what the linker notes of images. Native and resident memory differ from run to run, because of what malloc keeps:
 * these are the most that was seen.
 */
export const LEFT_BY_WORKER = { files: 2, mappings: 10.7, native: 22, resident: 200 };

/** Everything that the soak mixes. */
export const ACTIVITIES: readonly Activity[] = [
  { name: "create", run: ({ driver }) => withBuffers(driver) },
  { name: "present", run: ({ driver }) => present(driver) },
  { name: "compose", run: compose },
  { name: "attach and detach", run: ({ tiny }) => attachAndDetach(tiny) },
  { name: "hotplug", run: hotplug },
  { name: "contexts", run: contexts },
  { name: "several loaders", run: ({ tiny, driver }) => severalLoaders(tiny, driver) },
  { name: "worker", leaves: LEFT_BY_WORKER, run: ({ tiny }) => comeAndGo(tiny) },
  { name: "composer killed", run: killComposer },
  { name: "recording", run: ({ driver }) => record(driver) },
];

function withBuffers(driver: string, layers = [apiProfile().layer]): void {
  using vulkan = loadVulkan({ driver, layers });
  using instance = vulkan.vkCreateInstance({});
  const [gpu] = instance.vkEnumeratePhysicalDevices();
  gpu.vkGetPhysicalDeviceMemoryProperties();
  using device = gpu.vkCreateDevice({ pQueueCreateInfos: QUEUES });
  const made = Array.from({ length: 100 }, () => device.vkCreateBuffer({ size: 65536n, usage: 2 }));
  device.vkGetDeviceQueue(0, 0).vkQueueSubmit([{}]);
  device.vkDeviceWaitIdle();
  for (const buffer of made) device.vkDestroyBuffer(buffer);
}

function present(driver: string): void {
  using stage = new Stage({ driver, window: { width: SIDE, height: SIDE, consumer: droppingConsumer() } });
  using presenter = new Presenter(stage);
  for (let frame = 0; frame < FEW; frame++) presenter.frame([0, 0.5, 1, 1]);
}

function compose(): void {
  using scene = homeScene(SMALL_SCENE);
  using backend = createTsBackend();
  for (let frame = 0; frame < FEW; frame++) backend.compose(scene.target, scene.layers);
}

function attachAndDetach(driver: string): void {
  using vulkan = loadVulkan({ driver });
  using instance = vulkan.vkCreateInstance({});
  const [gpu] = instance.vkEnumeratePhysicalDevices();
  using device = gpu.vkCreateDevice({ pQueueCreateInfos: QUEUES });
  for (let turn = 0; turn < FEW; turn++) {
    const layer = defineLayer({ name: `VK_LAYER_SOAK_${turn}`, commands: { vkGetEventStatus: () => 7 } });
    instance.attach(layer);
    device.vkGetEventStatus(5n as never);
    instance.detach(layer);
  }
}

function hotplug(): void {
  const clock = new ManualClock(), panel = { modes: [{ width: 320, height: 180, refreshRate: 60 }] };
  using composer = createReferenceComposer({ clock, panels: [panel] });
  const displays = new Set<bigint>();
  composer.registerCallback(
    CALLBACK.HOTPLUG,
    (display, change) => change === CONNECTION.CONNECTED ? displays.add(display) : displays.delete(display),
  );
  for (let turn = 0; turn < FEW; turn++) {
    const plugged = composer.plug(panel);
    for (const display of displays) {
      composer.setPowerMode(display, POWER_MODE.ON);
      composer.createLayer(display);
      composer.validateDisplay(display);
      composer.presentDisplay(display).close();
    }
    clock.advance(16_666_667n);
    composer.unplug(plugged);
  }
}

function contexts(): void {
  using opened = openContext(angle);
  const { egl, gl, display, config, surface, context } = opened;
  for (let turn = 0; turn < FEW; turn++) {
    const other = createContext(egl, display, config, [2, 0]);
    egl.eglMakeCurrent(display, surface, surface, other);
    gl.glClear(0x4000);
    egl.eglMakeCurrent(display, surface, surface, context);
    egl.eglDestroyContext(display, other);
  }
}

function severalLoaders(...drivers: string[]): void {
  using open = new DisposableStack();
  for (const driver of [...drivers, ...drivers]) {
    const instance = open.use(open.use(loadVulkan({ driver })).vkCreateInstance({}));
    open.use(instance.vkEnumeratePhysicalDevices()[0].vkCreateDevice({ pQueueCreateInfos: QUEUES }));
  }
}

/** A worker makes its own loader, says that it is done, and is ended. */
export async function comeAndGo(driver: string, module: string | URL = WORKER): Promise<void> {
  const worker = new Worker(module, { type: "module" });
  await new Promise((resolve, reject) => {
    worker.onmessage = resolve;
    worker.onerror = ({ message }) => reject(new Error(message));
    worker.postMessage(driver);
  });
  worker.terminate();
}

/** A composer of another process ends in the middle: the client is told, and gives back everything. */
async function killComposer(): Promise<void> {
  const folder = Deno.makeTempDirSync(), path = `${folder}/composer`;
  const server = new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--no-prompt", "--allow-ffi", new URL("../hwc/serve.ts", import.meta.url).href, path],
    stdin: "null",
    stdout: "piped",
  }).spawn();
  const reader = server.stdout.getReader();
  await reader.read();
  using owned = new DisposableStack();
  const composer = owned.use(connectComposer(path)), draw = frames(composer, 2, owned);
  draw(FEW);
  server.kill("SIGKILL");
  await server.status;
  await reader.cancel();
  expectError(() => draw(1));
  Deno.removeSync(folder, { recursive: true });
}

function expectError(call: () => void): void {
  try {
    call();
  } catch {
    return;
  }
  throw new Error("a frame of a composer that is dead had no error");
}

function record(driver: string): void {
  const folder = Deno.makeTempDirSync();
  try {
    using recording = apiRecording({ path: `${folder}/one.jsonl` });
    withBuffers(driver, [recording.layer]);
    recording.close();
    recordingInfo(`${folder}/one.jsonl`);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}
