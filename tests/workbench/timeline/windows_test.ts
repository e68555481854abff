import { assert, assertEquals } from "@std/assert";
import { monotonicNow } from "../../../ffi/file/file_descriptor.ts";
import { STATUS } from "../../../wsi/android_values.ts";
import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import { NativeWindow } from "../../../wsi/window/native_window.ts";
import type { DequeuedBuffer } from "../../../wsi/contract/window.ts";
import { perfettoTrace } from "../../../workbench/timeline/mod.ts";
import { withFolder } from "../../support/temporary.ts";
import { decodeTrace } from "./decode.ts";

function dequeue(native: NativeWindow): DequeuedBuffer {
  const dequeued = native.dequeueBuffer();
  if (typeof dequeued === "number") throw new Error(`status ${dequeued}`);
  return dequeued;
}

function drawFrame(native: NativeWindow): void {
  const { buffer, fence } = dequeue(native);
  assertEquals(native.queueBuffer(buffer, fence), STATUS.OK);
}

Deno.test("perfettoTrace() shows who has each buffer of a window, frame by frame", () => {
  withFolder((folder) => {
    const path = `${folder}/window.pftrace`;
    using trace = perfettoTrace({ path });
    using native = new NativeWindow({ width: 64, height: 48 });
    trace.watchWindow(native);
    native.apiConnect(2);
    native.setSwapInterval(0);
    native.setBufferCount(4);
    drawFrame(native);
    drawFrame(native); // replaces frame 1, which nobody acquired
    const frame = native.frames.acquire()!;
    const when = monotonicNow();
    native.frames.presented(frame.number, when);
    frame.release(NativeFence.signaled());
    const { buffer, fence } = dequeue(native);
    native.cancelBuffer(buffer, fence);
    dequeue(native).fence.close();
    trace.close();
    const { slices } = decodeTrace(Deno.readFileSync(path)), own = "deno/window 1 (64×48)";
    const on = (track: string) =>
      slices.filter((each) => each.track === track).map(({ name, args }) => [name, args.frame].join(" "));
    assertEquals(on(own).sort(), ["cancelled 1", "dropped 1", "presented 2"]);
    const buffers = [...new Set(slices.map(({ track }) => track).filter((track) => track.includes("buffer")))];
    assertEquals(buffers.flatMap(on).sort(), [
      "drawn ",
      "drawn ",
      "drawn ",
      "drawn ",
      "queued 1",
      "queued 2",
      "shown 2",
    ]);
    const counts = slices.filter(({ track }) => track === `${own}/queued frames`);
    assertEquals(counts.map(({ value }) => value).sort(), [0, 0, 1, 1, 2]);
    assert(slices.every(({ end }) => end < Infinity), "close() ends what is open");
    assertEquals(slices.find(({ name }) => name === "presented")?.start, Number(when));
    const [flow] = slices.find(({ name, args }) => name === "queueBuffer" && args.frame === 2)!.flows;
    assertEquals(slices.filter(({ flows }) => flows.includes(flow)).map(({ name }) => name), [
      "queueBuffer",
      "queued",
      "shown",
      "presented",
    ]);
  });
});
