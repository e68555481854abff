import { assert, assertEquals } from "@std/assert";
import { connectHidl } from "../../../../hwc/binder/hidl/connect.ts";
import { openBinder } from "../../../../hwc/binder/driver/open_binder.ts";
import { servicesOf } from "../../../../hwc/binder/service_manager/service_manager.ts";
import { connectComposer, SurfaceFlinger } from "../../../../hwc/mod.ts";
import { openFiles } from "../../../support/open_files.ts";
import { count } from "../../../support/counts.ts";
import { withFolderAsync } from "../../../support/temporary.ts";
import { assertNoMoreFiles } from "../../../wsi/files_left.ts";
import { BLUE, draw, GREEN, RED } from "../../flinger/stage.ts";
import { LONG } from "../../kms/on_cards/on_vkms.ts";
import { assertNothingKept, inUse, ON_BINDER, TestDevice } from "../driver/on_binder.ts";
import { BothWays } from "./both_ways.ts";
import { filesOf, Program } from "./processes.ts";
import { Screen } from "./screen.ts";
import { until } from "../../../support/until.ts";

const FRAMES = count(60, 60, 200), WARM = 20;
/** Frames of producers: three times as many buffers come through. */
const PRODUCED = LONG ? 3000 : 100;
/** Files that a process opens once for good: the thread that waits for fences, and the memory of buffers. */
const ONCE = 4;
/** Fences and buffers of the frame that is under way. */
const MOVING = 24;
const NAME = "android.hardware.graphics.composer3.IComposer/default";
const HIDL_NAME = "android.hardware.graphics.composer@2.1::IComposer/default";

Deno.test(
  "frames of eight layers go by binder of the kernel as by the socket, and nothing is left of them",
  ON_BINDER,
  async () => {
    using device = new TestDevice();
    const before = inUse();
    await withFolderAsync(async (folder) => {
      const socket = `${folder}/composer`, manager = await Program.start("manager", device.path, "aidl");
      const server = await Program.start("composer", device.path, "aidl", NAME, socket), files = openFiles();
      {
        await using both = new BothWays(socket, await connectComposer({ service: "default", binder: device.path }));
        await both.open();
        await both.frames(WARM);
        const used = inUse(), open = openFiles(), there = filesOf(server.pid);
        const [bySocket, byBinder] = await both.frames(FRAMES);
        // A ratio of one run; docs/internals/android.md has that of a machine with less to do.
        assert(byBinder < 2 * bySocket, `a frame: socket ${bySocket} ms, binder ${byBinder} ms`);
        await assertNothingKept(used, "thread");
        assert(openFiles() <= open + MOVING, `${openFiles()} files are open, ${open} were`);
        assert(
          filesOf(server.pid) <= there + MOVING,
          `the server has ${filesOf(server.pid)} files open, ${there} were`,
        );
      }
      await assertNoMoreFiles(files + ONCE);
      await server.kill();
      await manager.kill();
    });
    await assertNothingKept(before);
  },
);

Deno.test(
  "frames of three producers, shown by SurfaceFlinger over binder, leave no descriptor and no reference",
  ON_BINDER,
  async () => {
    using device = new TestDevice();
    const before = inUse(), said: string[] = [];
    const manager = await Program.start("manager", device.path, "aidl");
    const server = await Program.start("composer", device.path, "aidl", NAME), files = openFiles();
    {
      await using composer = await connectComposer({ service: "default", binder: device.path });
      await using flinger = new SurfaceFlinger({ composer, log: (sentence) => void said.push(sentence) });
      await until("a display is there", () => flinger.displays.length > 0);
      const producers = [RED, GREEN, BLUE].map((color, index) => {
        const layer = flinger.createLayer({ name: `${index}`, z: index, window: { width: 16, height: 16 } });
        layer.window!.apiConnect(2);
        return { layer, draw: () => draw(layer.window!, color) };
      });
      const frame = async () => {
        const numbers = producers.map(({ layer }) => layer.frameNumber ?? 0n);
        for (const { draw } of producers) draw();
        const isShown = () => producers.every(({ layer }, index) => (layer.frameNumber ?? 0n) > numbers[index]);
        for (let turn = 0; turn < 2000 && !isShown(); turn++) await new Promise((done) => setTimeout(done, 5));
      };
      for (let number = 0; number < WARM; number++) await frame();
      const used = inUse(), open = openFiles(), there = filesOf(server.pid);
      for (let number = 0; number < PRODUCED; number++) await frame();
      await assertNothingKept(used, "thread");
      await until(
        "the files of the frames are closed",
        () => openFiles() <= open + MOVING && filesOf(server.pid) <= there + MOVING,
      );
      assert(openFiles() <= open + MOVING, `${openFiles()} files are open, ${open} were`);
      assert(filesOf(server.pid) <= there + MOVING, `the server has ${filesOf(server.pid)} files open, ${there} were`);
      for (const { layer } of producers) assert(Number(layer.frameNumber) >= PRODUCED, `${layer.frameNumber} frames`);
    }
    assertEquals(said, []);
    await assertNoMoreFiles(files + ONCE);
    await server.kill();
    await manager.kill();
    await assertNothingKept(before);
  },
);

Deno.test("a HIDL composer is found, drawn to and left over hwbinder's form of calls", ON_BINDER, async () => {
  using device = new TestDevice();
  const before = inUse(), manager = await Program.start("manager", device.path, "hidl");
  const server = await Program.start("composer", device.path, "hidl", HIDL_NAME), files = openFiles();
  const bus = openBinder(device.path, { log: console.error }), services = servicesOf(bus, { as: "hidl" });
  const listed = (await services.list()).map((name) => name.split("@")[1]);
  assertEquals(listed, ["2.1", "2.2", "2.3", "2.4"].map((version) => `${version}::IComposer/default`));
  const found = await services.find(HIDL_NAME), composer = await connectHidl(found!), screen = new Screen(composer);
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
