import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { monotonicNow } from "../../../ffi/file/file_descriptor.ts";
import { objectLeaks } from "../../../workbench/layers.ts";
import type { VkEvent } from "../../../loader/types.ts";
import { perfettoTrace } from "../../../workbench/timeline/mod.ts";
import { withScripted } from "../../loader/layers/shipped/scripted.ts";
import { runProgram } from "../../support/subprocess.ts";
import { withFolder } from "../../support/temporary.ts";
import { decodeTrace } from "./decode.ts";

const EVENT = 5n as VkEvent;

Deno.test("perfettoTrace() writes calls as slices of their thread, on the clock of fences", () => {
  withFolder((folder) => {
    const path = `${folder}/calls.pftrace`, before = Number(monotonicNow());
    using trace = perfettoTrace({ path });
    withScripted([trace.layer], ({ device }) => {
      device.vkGetEventStatus(EVENT);
    });
    trace.close();
    const { process, clock, slices } = decodeTrace(Deno.readFileSync(path));
    assertEquals([process.pid, clock], [Deno.pid, 3]);
    const calls = slices.filter(({ track }) => track === "deno/JavaScript");
    assertEquals(calls.map(({ name }) => name).filter((name) => /Status|Device$|Instance$/.test(name)), [
      "vkCreateInstance",
      "vkCreateDevice",
      "vkGetEventStatus",
      "vkDestroyDevice",
      "vkDestroyInstance",
    ]);
    for (const { start, end } of calls) assert(start >= before && start <= end && end <= Number(monotonicNow()));
  });
});

Deno.test("perfettoTrace() draws arrows from a submission over its queue's work to those who wait", () => {
  withFolder((folder) => {
    const path = `${folder}/flows.pftrace`;
    using trace = perfettoTrace({ path });
    withScripted([trace.layer], ({ device }) => {
      const queue = device.vkGetDeviceQueue(0, 0), fence = device.vkCreateFence({});
      const semaphore = device.vkCreateSemaphore({});
      queue.vkQueueSubmit([{ pSignalSemaphores: [semaphore] }]);
      queue.vkQueueSubmit([{ pWaitSemaphores: [semaphore], pWaitDstStageMask: [1] }], fence);
      device.vkWaitForFences([fence], true, 1n);
      device.vkWaitForFences([fence], true, 1n); // the arrow has ended already
      device.vkDestroyFence(fence);
      device.vkDestroySemaphore(semaphore);
    });
    trace.close();
    const { slices } = decodeTrace(Deno.readFileSync(path));
    const withFlows = slices.filter(({ flows }) => flows.length > 0);
    const [thread, queue] = ["deno/JavaScript", withFlows.find(({ track }) => track.includes("VkQueue"))!.track];
    const on = (track: string) =>
      withFlows.filter((each) => each.track === track).map(({ name, flows }) => [name, ...flows.toSorted()]);
    assertEquals(on(thread), [["vkQueueSubmit", 1], ["vkQueueSubmit", 1, 2], ["signalled", 2]]);
    assertEquals(on(queue), [["vkQueueSubmit", 1], ["vkQueueSubmit", 1, 2]]);
    const [first, second] = withFlows.filter(({ track }) => track === queue);
    assert(first.end <= second.start, "work of a queue does not overlap");
  });
});

Deno.test("perfettoTrace() writes arguments where it shall, and only the commands that are wanted", () => {
  withFolder((folder) => {
    const path = `${folder}/arguments.pftrace`;
    using trace = perfettoTrace({ path, withArguments: true, predicate: (command) => command === "vkCreateBuffer" });
    withScripted([trace.layer], ({ device }) => {
      device.vkDestroyBuffer(
        device.vkCreateBuffer({ size: 64n, usage: 2, sharingMode: 1, pQueueFamilyIndices: [0, 1] }),
      );
      trace.enabled = false;
      device.vkDestroyBuffer(device.vkCreateBuffer({ size: 65n, usage: 2 }));
    });
    trace.close();
    const [{ name, args }, ...rest] = decodeTrace(Deno.readFileSync(path)).slices;
    assertEquals([name, rest], ["vkCreateBuffer", []]);
    const info = args.pCreateInfo as Record<string, unknown>;
    assertEquals([info.size, info.usage, info.pQueueFamilyIndices], ["64", 2, [0, 1]]);
  });
});

Deno.test("perfettoTrace() leaves no object of its own behind on the device", () => {
  withFolder((folder) => {
    const leaks = objectLeaks();
    using trace = perfettoTrace({ path: `${folder}/leaks.pftrace` });
    withScripted([trace.layer, leaks.layer], ({ device }) => {
      const queue = device.vkGetDeviceQueue(0, 0);
      for (let each = 0; each < 5; each++) queue.vkQueueSubmit([]);
    });
    assertEquals(leaks.report().leaked, []);
  });
});

Deno.test("perfettoTrace() keeps little in memory: the file has all but the last part", () => {
  withFolder((folder) => {
    const path = `${folder}/long.pftrace`;
    using trace = perfettoTrace({ path });
    withScripted([trace.layer], ({ device }) => {
      for (let each = 0; each < 5000; each++) device.vkGetEventStatus(EVENT);
      const written = Deno.statSync(path).size;
      trace.flush();
      const whole = Deno.statSync(path).size;
      assert(whole > 150_000 && whole - written < 40_000, `${written} of ${whole}`);
    });
  });
});

Deno.test("perfettoTrace() leaves a readable file when the process dies", () => {
  withFolder((folder) => {
    const path = `${folder}/dies.pftrace`;
    const { code } = runProgram("tests/workbench/timeline/programs/dies.ts", [path]);
    assert(code !== 0);
    const { slices } = decodeTrace(Deno.readFileSync(path));
    assertEquals(slices.at(-1)?.name, "vkGetEventStatus");
  });
});

Deno.test("perfettoTrace() refuses wrong options and a file that cannot be written", () => {
  assertThrows(() => perfettoTrace({} as never), TypeError, "path");
  assertThrows(() => perfettoTrace({ path: "x", predicate: 1 as never }), TypeError, "predicate");
  withFolder((folder) => {
    const error = assertThrows(() => perfettoTrace({ path: `${folder}/none/x.pftrace` }), Error);
    assertMatch(error.message, /none/);
  });
});
