import { assert, assertEquals } from "@std/assert";
import { monotonicNow } from "../../../ffi/file/file_descriptor.ts";
import { invokeAddress } from "../../../ffi/machine.ts";
import { GL_DITHER } from "../../../egl/gl.ts";
import { loadVulkan } from "../../../loader/mod.ts";
import { perfettoTrace, type PerfettoTraceOptions } from "../../../workbench/timeline/mod.ts";
import { openContext } from "../../egl/context.ts";
import { drivers } from "../../egl/drivers.ts";
import { fixture, NEEDS_FIXTURE } from "../../ffi/fixture.ts";
import { NativeVulkan } from "../../loader/install/native.ts";
import { NEEDS_TINY, TINY } from "../../loader/tiny.ts";
import { needs } from "../../support/require.ts";
import { withFolder } from "../../support/temporary.ts";
import { decodeTrace, type Slice } from "./decode.ts";

const NEEDS = { ignore: NEEDS_FIXTURE.ignore || NEEDS_TINY.ignore };
const ROOM = 4;

/** Traces what a native program does with a device. Returns the marks on tracks of other threads. */
function traceNative(
  use: (status: bigint, device: bigint, trace: { enabled: boolean }) => void,
  options: Partial<PerfettoTraceOptions> = {},
): Slice[] {
  return withFolder((folder) => {
    const path = `${folder}/threads.pftrace`;
    using trace = perfettoTrace({ path, ...options });
    {
      using vulkan = loadVulkan({ driver: TINY!, layers: [trace.layer], foreignCalls: ROOM });
      using _installed = vulkan.install();
      using native = new NativeVulkan();
      const device = native.createDevice(native.firstGpu(native.createInstance()));
      use(native.ofDevice(device, "vkGetEventStatus"), device, trace);
      vulkan.drain();
    }
    trace.close();
    return decodeTrace(Deno.readFileSync(path)).slices.filter(({ track }) => track.startsWith("deno/thread"));
  });
}

const callElsewhere = (status: bigint, device: bigint) =>
  invokeAddress(fixture("call3_on_thread"), "q:qqqq", [status, device, 5n, 0n]);

Deno.test("perfettoTrace() shows calls of other threads on tracks of these threads, when they were made", NEEDS, () => {
  const times: number[] = [Number(monotonicNow())];
  const marks = traceNative((status, device) => {
    for (let call = 0; call < 2; call++) {
      callElsewhere(status, device);
      times.push(Number(monotonicNow()));
    }
  });
  assertEquals(marks.map(({ name, kind }) => [name, kind]), Array(2).fill(["vkGetEventStatus", "instant"]));
  marks.forEach(({ start }, index) => assert(start >= times[index] && start <= times[index + 1]));
  for (const { track } of marks) assert(/^deno\/thread \d+$/.test(track) && !track.endsWith(` ${Deno.pid}`), track);
});

Deno.test("perfettoTrace() says how many calls of other threads were too many", NEEDS, () => {
  const marks = traceNative((status, device) => {
    const [function_, repeat] = [status, fixture("repeat_on_thread")];
    invokeAddress(repeat, "v:qqqw", [function_, device, 5n, ROOM + 3]);
  });
  const names = marks.map(({ name, args }) => `${name} ${args.calls ?? ""}`.trim());
  assertEquals(names, ["lost calls 3", ...Array(ROOM).fill("vkGetEventStatus")]);
});

Deno.test("perfettoTrace() shows no calls of other threads that are not wanted", NEEDS, () => {
  const predicate = (command: string) => command !== "vkGetEventStatus";
  assertEquals(traceNative(callElsewhere, { predicate }), []);
  const whileOff = traceNative((status, device, trace) => {
    trace.enabled = false;
    callElsewhere(status, device);
  });
  assertEquals(whileOff, []);
});

for (const driver of drivers) {
  const part = needs(`${driver.part}, and a C compiler`, driver.found && !NEEDS_FIXTURE.ignore);
  Deno.test(`perfettoTrace() shows calls of OpenGL ES on other threads on ${driver.name}`, part, () => {
    withFolder((folder) => {
      const path = `${folder}/gles.pftrace`;
      using trace = perfettoTrace({ path });
      {
        using opened = openContext(driver, [2, 0], { layers: [trace.glesLayer] });
        const address = opened.egl.eglGetProcAddress("glIsEnabled");
        invokeAddress(fixture("call_result_on_thread"), "s:qq", [address, BigInt(GL_DITHER)]);
      }
      trace.close();
      const { slices } = decodeTrace(Deno.readFileSync(path));
      const marks = slices.filter(({ name, kind }) => name === "glIsEnabled" && kind === "instant");
      assertEquals(marks.map(({ track }) => track.replace(/\d+$/, "N")), ["deno/thread N"]);
    });
  });
}
