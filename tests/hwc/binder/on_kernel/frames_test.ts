import { assert, assertEquals } from "@std/assert";
import { connectAidl } from "../../../../hwc/binder/aidl/connect.ts";
import { openBinder } from "../../../../hwc/binder/driver/open_binder.ts";
import { connectHidl } from "../../../../hwc/binder/hidl/connect.ts";
import { servicesOf } from "../../../../hwc/binder/service_manager/service_manager.ts";
import type { AsyncComposer } from "../../../../hwc/composer.ts";
import { CALLBACK, POWER_MODE } from "../../../../hwc/device_types.ts";
import { connectComposer } from "../../../../hwc/remote/client/connect.ts";
import { FORMAT } from "../../../../hwc/types.ts";
import { allocateBuffer } from "../../../../wsi/buffer/gralloc.ts";
import type { GraphicBuffer } from "../../../../wsi/buffer/graphic_buffer.ts";
import { USAGE } from "../../../../wsi/buffer/usage.ts";
import { openFiles } from "../../../support/open_files.ts";
import { count } from "../../../support/counts.ts";
import { withFolderAsync } from "../../../support/temporary.ts";
import { assertNoMoreFiles } from "../../../wsi/files_left.ts";
import { assertNothingKept, inUse, ON_BINDER, TestDevice } from "../driver/on_binder.ts";
import { Program } from "./processes.ts";
import { Screen } from "./screen.ts";

const LAYERS = 8, FRAMES = count(60, 600), WARM = 20;
/** Files that a process opens once for good: the thread that waits for fences, and the memory of buffers. */
const ONCE = 4;
const NAMES = {
  aidl: "android.hardware.graphics.composer3.IComposer/default",
  hidl: "android.hardware.graphics.composer@2.1::IComposer/default",
} as const;

/** The middle of some numbers. */
function median(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[numbers.length >> 1];
}

Deno.test(
  "frames of eight layers go by binder of the kernel as by the socket, and nothing is left of them",
  ON_BINDER,
  async () => {
    using device = new TestDevice();
    const before = inUse();
    await withFolderAsync(async (folder) => {
      const socket = `${folder}/composer`, manager = await Program.start("manager", device.path, "aidl");
      const server = await Program.start("composer", device.path, "aidl", NAMES.aidl, socket), files = openFiles();
      const bus = openBinder(device.path, { log: console.error });
      const found = await servicesOf(bus).find(NAMES.aidl);
      const composers = [connectComposer(socket), await connectAidl(found!, 16)] as const, times: number[][] = [[], []];
      const screens = composers.map((composer) => new Screen(composer));
      for (const screen of screens) await screen.open();
      for (let number = 0; number < WARM; number++) for (const screen of screens) await screen.frame(number);
      const used = inUse(), open = openFiles();
      for (let number = 0; number < FRAMES; number++) {
        for (const [index, screen] of screens.entries()) times[index].push(await screen.frame(number));
      }
      const [bySocket, byBinder] = times.map(median);
      console.log(
        `a frame: socket ${bySocket.toFixed(1)} ms, binder ${byBinder.toFixed(1)} ms: ${
          (byBinder / bySocket).toFixed(2)
        }`,
      );
      await assertNothingKept(used, "thread");
      assert(openFiles() <= open, `${openFiles()} files are open, ${open} were`);
      for (const screen of screens) screen.close();
      for (const composer of composers) await composer[Symbol.asyncDispose]();
      found!.release();
      await bus.close();
      await assertNoMoreFiles(files + ONCE);
      await server.kill();
      await manager.kill();
    });
    await assertNothingKept(before);
  },
);

Deno.test("a HIDL composer is found, drawn to and left over hwbinder's form of calls", ON_BINDER, async () => {
  using device = new TestDevice();
  const before = inUse(), manager = await Program.start("manager", device.path, "hidl");
  const server = await Program.start("composer", device.path, "hidl", NAMES.hidl), files = openFiles();
  const bus = openBinder(device.path, { log: console.error }), services = servicesOf(bus, { as: "hidl" });
  const listed = (await services.list()).map((name) => name.split("@")[1]);
  assertEquals(listed, ["2.1", "2.2", "2.3", "2.4"].map((version) => `${version}::IComposer/default`));
  const found = await services.find(NAMES.hidl), composer = await connectHidl(found!), screen = new Screen(composer);
  await screen.open();
  for (let number = 0; number < 10; number++) await screen.frame(number);
  screen.close();
  await composer[Symbol.asyncDispose]();
  found!.release();
  await bus.close();
  await assertNoMoreFiles(files + ONCE);
  await server.kill();
  await manager.kill();
  await assertNothingKept(before);
});
