/**
 * Prints what a frame of eight layers takes over the socket and over the kernel's binder, in the virtual machine:
 * `deno task test:vm --command deno run …`. Argument: how many frames.
 *
 * @module
 */
import { connectComposer } from "../../../../../hwc/mod.ts";
import { TestDevice } from "../../driver/on_binder.ts";
import { BothWays } from "../both_ways.ts";
import { Program } from "../processes.ts";

const NAME = "android.hardware.graphics.composer3.IComposer/default", count = Number(Deno.args[0] ?? 200);
using device = new TestDevice();
const socket = `${Deno.makeTempDirSync()}/composer`, manager = await Program.start("manager", device.path, "aidl");
const server = await Program.start("composer", device.path, "aidl", NAME, socket);
{
  await using both = new BothWays(socket, await connectComposer({ service: "default", binder: device.path }));
  await both.open();
  await both.frames(30);
  for (let turn = 0; turn < 3; turn++) {
    const [socket, binder] = await both.frames(count);
    console.log(
      `a frame: socket ${socket.toFixed(2)} ms, binder ${binder.toFixed(2)} ms, ${(binder / socket).toFixed(2)}`,
    );
  }
}
await server.kill();
await manager.kill();
