/**
 * Prints what a frame of eight layers takes over the socket and over the kernel's binder, in the virtual machine: frame by
 * frame in turn, and many of one kind behind each other, with the processor time of both processes.
 * `deno task test:vm --command -- deno run …`. Argument: how many frames.
 *
 * @module
 */
import { connectComposer } from "../../../../../hwc/mod.ts";
import { TestDevice } from "../../driver/on_binder.ts";
import { BothWays } from "../both_ways.ts";
import { Program } from "../processes.ts";
import { processorSeconds } from "../../../../../tools/proc.ts";

const NAME = "android.hardware.graphics.composer3.IComposer/default", count = Number(Deno.args[0] ?? 200);
using device = new TestDevice();
const socket = `${Deno.makeTempDirSync()}/composer`, manager = await Program.start("manager", device.path, "aidl");
const server = await Program.start("composer", device.path, "aidl", NAME, socket);
{
  await using both = new BothWays(socket, await connectComposer({ service: "default", binder: device.path }));
  await both.open();
  await both.frames(30);
  for (let turn = 0; turn < 3; turn++) {
    tell("in turn", await both.frames(count));
    const alone: number[] = [], processor: number[] = [];
    for (const way of [0, 1]) {
      const before = processorTime(server.pid);
      alone.push(await both.alone(way, count));
      processor.push((processorTime(server.pid) - before) / count);
    }
    tell("behind each other", alone);
    tell("processor", processor);
  }
}
await server.kill();
await manager.kill();

function tell(what: string, [socket, binder]: readonly number[]): void {
  const ratio = (binder / socket).toFixed(2);
  console.log(`a frame, ${what}: socket ${socket.toFixed(1)} ms, binder ${binder.toFixed(1)} ms, ${ratio}`);
}

/** Milliseconds that this process and another one have run so far. */
function processorTime(pid: number): number {
  return 1000 * (processorSeconds(pid) + processorSeconds(Deno.pid));
}
