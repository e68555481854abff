import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { closeDescriptor } from "../../../ffi/file/file_descriptor.ts";
import { peek64 } from "../../../ffi/machine.ts";
import { defineLayer, type Layer } from "../../../loader/mod.ts";
import { nativeBufferAdaptor } from "../../../wsi/adaptor/native_buffer_adaptor.ts";
import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import { openFiles } from "../../support/open_files.ts";
import { needs } from "../../support/require.ts";
import { assertNoMoreFiles } from "../files_left.ts";
import { claimsSyncFd } from "./claims_sync_fd.ts";
import { ADAPTED, openBench, openCanvas } from "./drawing.ts";
import { steadyWorker } from "./steady_worker.ts";

const ALL = 0x10000, SECOND = 1_000_000_000n, NOT_READY = 1, IMPORTABLE = 2, TEMPORARY = 1;
const SEMAPHORE_SYNC_FD = 16, FENCE_SYNC_FD = 8, INVALID_EXTERNAL_HANDLE = -1000072003;

/** An import that a driver was asked for. */
interface Import {
  readonly object: bigint;
  readonly flags: number;
  readonly handleType: number;
  readonly fd: number;
}

/** A driver's answers, and what it was asked. */
interface Claims {
  /** VkResults of the imports; 0 takes the file. */
  readonly semaphore?: number;
  readonly fence?: number;
  /** Whether VkFences can be imported at all. */
  readonly hasFences?: boolean;
}

/** Makes the driver below one that says it imports sync_files, and signals what it imports at once. */
function importsSyncFd({ semaphore = 0, fence = 0, hasFences = true }: Claims) {
  const semaphores: Import[] = [], fences: Import[] = [];
  let queue = 0n;
  const layer: Layer = defineLayer({
    name: "VK_LAYER_TEST_sync_fd",
    commands: {
      ...claimsSyncFd(IMPORTABLE, hasFences ? IMPORTABLE : 0),
      vkGetDeviceQueue(next, device, family, index, out) {
        next(device, family, index, out);
        queue = peek64(out);
      },
      vkImportSemaphoreFdKHR(_next, device, info) {
        const { semaphore: object, flags, handleType, fd } = this.read("VkImportSemaphoreFdInfoKHR", info) as never;
        semaphores.push({ object, flags, handleType, fd });
        if (semaphore < 0) return semaphore;
        closeDescriptor(fd);
        const signaled = this.write("VkSubmitInfo", { pSignalSemaphores: [object] });
        return this.below(device).vkQueueSubmit(queue, 1, signaled, 0n);
      },
      vkImportFenceFdKHR(_next, device, info) {
        const { fence: object, flags, handleType, fd } = this.read("VkImportFenceFdInfoKHR", info) as never;
        fences.push({ object, flags, handleType, fd });
        if (fence < 0) return fence;
        closeDescriptor(fd);
        return this.below(device).vkQueueSubmit(queue, 0, 0n, object);
      },
    },
  });
  return { layer, semaphores, fences };
}

/** A pending fence that counts as a sync_file, which no test can make without a card. */
function pending(): { fence: NativeFence; signal(): void } {
  const made = NativeFence.create();
  Object.defineProperty(made.fence, "kind", { value: "sync_file" });
  return made;
}

const [[, LAVAPIPE]] = ADAPTED, HAS_LAVAPIPE = needs("lavapipe", LAVAPIPE);

/** Begins a frame with a pending fence on such a driver, and waits for the semaphore twice with a signal in between. */
function begin(claims: Claims, semaphores: "virtual" | "native", isTaken: { semaphore: boolean; fence: boolean }) {
  const adaptor = nativeBufferAdaptor({ semaphores }), driver = importsSyncFd(claims);
  using bench = openBench(adaptor, { driver: LAVAPIPE!, layers: [adaptor, driver.layer] });
  using canvas = openCanvas(bench.device, 37, 61, 37);
  const { device, queue } = bench, semaphore = device.vkCreateSemaphore({});
  const [given, waited] = [device.vkCreateFence({}), device.vkCreateFence({})], { fence, signal } = pending();
  const before = openFiles();
  if (!isTaken.semaphore && semaphores === "native") signal(); // which waits for it
  const acquired = adaptor.acquire(device.handle, canvas.image, fence, semaphore, given);
  const isWaiting = !isTaken.semaphore || !isTaken.fence;
  if (!isWaiting) assertEquals(openFiles(), before - 1); // nothing of it is here but what signals it
  if (!isTaken.fence && semaphores === "virtual") assertEquals(device.vkGetFenceStatus(given), NOT_READY);
  if (isWaiting) signal();
  const wait = () => {
    queue.vkQueueSubmit([{ pWaitSemaphores: [semaphore], pWaitDstStageMask: [ALL] }], waited);
    assertEquals(device.vkWaitForFences([waited], true, 5n * SECOND), 0);
    device.vkResetFences([waited]);
  };
  wait();
  queue.vkQueueSubmit([{ pSignalSemaphores: [semaphore] }], null); // on its own payload again
  wait();
  assertEquals([acquired, device.vkWaitForFences([given], true, 5n * SECOND)], [0, 0]);
  signal();
  const handles = { semaphore, fence: given };
  device.vkDestroySemaphore(semaphore);
  for (const each of [given, waited]) device.vkDestroyFence(each);
  return { ...driver, handles, described: adaptor.describe(device.handle)!.syncFd };
}

for (const kind of ["virtual", "native"] as const) {
  Deno.test(`a driver gets sync_files for ${kind} semaphores, for one wait, and for fences`, HAS_LAVAPIPE, () => {
    const { semaphores, fences, handles, described } = begin({}, kind, { semaphore: true, fence: true });
    assertEquals([semaphores.length, fences.length, described], [1, 1, true]);
    assertEquals([semaphores[0].flags, semaphores[0].handleType], [TEMPORARY, SEMAPHORE_SYNC_FD]);
    assertEquals([fences[0].flags, fences[0].handleType, fences[0].object], [TEMPORARY, FENCE_SYNC_FD, handles.fence]);
    assert(semaphores[0].fd >= 0 && fences[0].fd >= 0);
    if (kind === "native") assertEquals(semaphores[0].object, handles.semaphore);
    else assertNotEquals(semaphores[0].object, handles.semaphore); // a timeline takes no such payload
  });
}

Deno.test("what a driver refuses to import is waited for as before, and its file is closed", HAS_LAVAPIPE, async () => {
  const refused = { semaphore: INVALID_EXTERNAL_HANDLE, fence: INVALID_EXTERNAL_HANDLE };
  using _worker = steadyWorker(); // which has files of its own
  begin(refused, "virtual", { semaphore: false, fence: false }); // what is opened once for good
  const before = openFiles();
  const { semaphores, fences } = begin(refused, "virtual", { semaphore: false, fence: false });
  assertEquals([semaphores.length, fences.length], [1, 1]);
  await assertNoMoreFiles(before);
});

Deno.test("a driver that imports sync_files into semaphores alone has its fences followed", HAS_LAVAPIPE, () => {
  const { semaphores, fences } = begin({ hasFences: false }, "virtual", { semaphore: true, fence: false });
  assertEquals([semaphores.length, fences.length], [1, 0]);
});

Deno.test("only sync_files that are pending are given to the driver", HAS_LAVAPIPE, () => {
  const adaptor = nativeBufferAdaptor(), { layer, semaphores } = importsSyncFd({});
  using bench = openBench(adaptor, { driver: LAVAPIPE!, layers: [adaptor, layer] });
  using canvas = openCanvas(bench.device, 37, 61, 37);
  const { device } = bench, over = pending(), other = NativeFence.create();
  over.signal();
  for (const { fence, signal } of [over, other]) {
    const semaphore = device.vkCreateSemaphore({});
    assertEquals(adaptor.acquire(device.handle, canvas.image, fence, semaphore, 0n), 0);
    signal();
    device.vkDestroySemaphore(semaphore);
  }
  assertEquals(semaphores, []);
});
