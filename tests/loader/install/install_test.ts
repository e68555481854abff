import {
  assert,
  assertEquals,
  assertNotEquals,
  assertStrictEquals,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { arena } from "../../../ffi/arena.ts";
import { openBlocks } from "../../../ffi/block.ts";
import { NativeError, rethrowFault, takeFault } from "../../../ffi/error.ts";
import { exportLibrary } from "../../../ffi/functions/exported.ts";
import { Library, RTLD_NOLOAD, RTLD_NOW } from "../../../ffi/library/library.ts";
import { invokeAddress, peek64 } from "../../../ffi/machine.ts";
import { defineLayer, type InstalledVulkan, type Layer, loadVulkan, type Vulkan } from "../../../loader/mod.ts";
import type { VkEvent } from "../../../loader/gen/types_core_gen.ts";
import { fixture } from "../../ffi/fixture.ts";
import { compileFixture } from "../../support/compile.ts";
import { openFiles } from "../../support/open_files.ts";
import { runProgram } from "../../support/subprocess.ts";
import { swiftshaderPath } from "../../../tools/setup/parts.ts";
import { needs } from "../../support/require.ts";
import { NEEDS_TINY, TINY, tinyCount } from "../tiny.ts";
import { NativeVulkan } from "./native.ts";

const EVENT = 5n as VkEvent;

/** A layer that counts the calls of these commands. */
function counting(...commands: string[]): { layer: Layer; calls: Record<string, number> } {
  const calls: Record<string, number> = {};
  const hook = (command: string) => (next: (...args: unknown[]) => unknown, ...args: unknown[]) => {
    calls[command] = (calls[command] ?? 0) + 1;
    return next(...args);
  };
  const hooks = Object.fromEntries(commands.map((command) => [command, hook(command)]));
  return { layer: defineLayer({ name: "VK_LAYER_TEST_counting", commands: hooks }), calls };
}

/** Installs a loader for the tiny driver, opens it as native code does, and closes all of it afterwards. */
function withInstalled(
  layers: (Layer | string)[],
  use: (native: NativeVulkan, installed: InstalledVulkan, vulkan: Vulkan) => void,
): void {
  using vulkan = loadVulkan({ driver: TINY!, layers });
  using installed = vulkan.install();
  using native = new NativeVulkan();
  const memory = arena(), mark = memory.mark();
  use(native, installed, vulkan);
  memory.release(mark);
}

/** A library that is loaded under a name; throws when there is none. */
const loaded = (soname: string) => Library.open(soname, RTLD_NOW | RTLD_NOLOAD);

Deno.test("install() gives native code this driver and these layers, by both names", NEEDS_TINY, () => {
  const { layer, calls } = counting("vkCreateInstance", "vkCreateDevice", "vkCreateBuffer", "vkQueueSubmit");
  withInstalled([layer], () => {
    for (const soname of ["libvulkan.so.1", "libvulkan.so"]) {
      using native = new NativeVulkan(soname);
      const instance = native.createInstance(), device = native.createDevice(native.firstGpu(instance));
      assertEquals([tinyCount("live_instances"), tinyCount("live_devices")], [1, 1]);
      const out = arena().address(arena().alloc(8));
      assertEquals(native.call("vkCreateBuffer", [device, out, 0n, out]), 0);
      native.call("vkGetDeviceQueue", [device, 0, 0, out]);
      const queue = peek64(out);
      assertEquals(native.call("vkQueueSubmit", [queue, 0, 0n, 0n]), 0);
      native.call("vkDestroyDevice", [device, 0n]);
      native.call("vkDestroyInstance", [instance, 0n]);
      assertEquals([tinyCount("live_instances"), tinyCount("live_devices")], [0, 0]);
    }
  });
  assertEquals(calls, { vkCreateInstance: 2, vkCreateDevice: 2, vkCreateBuffer: 2, vkQueueSubmit: 2 });
});

Deno.test("a command that no layer hooks is the driver's own for native code", NEEDS_TINY, () => {
  const { layer } = counting("vkCreateBuffer");
  withInstalled([layer], (native) => {
    using driver = Library.open(TINY!);
    const device = native.createDevice(native.firstGpu(native.createInstance()));
    assertEquals(native.ofDevice(device, "vkGetEventStatus"), driver.require("tiny_event_status"));
  });
});

Deno.test("vkGetInstanceProcAddr answers native code as the specification has it", NEEDS_TINY, () => {
  withInstalled([], (native) => {
    const instance = native.createInstance();
    const cases: [handle: bigint, name: string, answer: "export" | "none"][] = [
      [0n, "vkCreateInstance", "export"],
      [0n, "vkEnumerateInstanceVersion", "export"],
      [0n, "vkEnumerateInstanceExtensionProperties", "export"],
      [0n, "vkEnumerateInstanceLayerProperties", "export"],
      [0n, "vkGetInstanceProcAddr", "export"],
      [0n, "vkEnumeratePhysicalDevices", "none"],
      [0n, "vkCreateDevice", "none"],
      [0n, "vkQueueSubmit", "none"],
      [0n, "vkNoSuchCommand", "none"],
      [instance, "vkGetInstanceProcAddr", "export"],
      [instance, "vkDestroyInstance", "export"],
      [instance, "vkCreateDevice", "export"],
      [instance, "vkGetDeviceProcAddr", "export"],
      [instance, "vkQueueSubmit", "export"],
      [instance, "vkEnumerateDeviceLayerProperties", "export"],
      [instance, "vkDeviceWaitIdle", "export"], // a core command, whether or not the driver has it
      [instance, "vkDestroySurfaceKHR", "none"], // the driver has none of the following
      [instance, "vkCreateDebugUtilsMessengerEXT", "none"],
      [instance, "vkNoSuchCommand", "none"],
      [instance, "", "none"],
      [instance, "vkQueueSubmi", "none"],
      [instance, "vkQueueSubmit2X", "none"],
    ];
    for (const [handle, name, answer] of cases) {
      assertEquals(native.ofInstance(handle, name), answer === "export" ? native.find(name) : 0n, name);
    }
  });
});

Deno.test("vkGetDeviceProcAddr answers native code from the device's table", NEEDS_TINY, () => {
  withInstalled([], (native) => {
    const device = native.createDevice(native.firstGpu(native.createInstance()));
    for (const name of ["vkDestroyDevice", "vkGetDeviceQueue", "vkCmdDraw", "vkGetDeviceProcAddr"]) {
      assertNotEquals(native.ofDevice(device, name), 0n, name);
    }
    for (const name of ["vkCreateInstance", "vkEnumeratePhysicalDevices", "vkGetInstanceProcAddr", "vkCreateDevice"]) {
      assertEquals(native.ofDevice(device, name), 0n, name);
    }
    for (const name of ["vkDeviceWaitIdle", "vkCreateSwapchainKHR", "vkNoSuchCommand", ""]) {
      assertEquals(native.ofDevice(device, name), 0n, name);
    }
    assertEquals(native.ofDevice(0n, "vkCmdDraw"), 0n);
    const itself = native.ofDevice(device, "vkGetDeviceProcAddr");
    assertEquals(
      native.ofDevice(device, "vkCmdDraw"),
      native.call("vkGetDeviceProcAddr", [device, name("vkCmdDraw")], itself),
    );
  });
  function name(text: string): bigint {
    return arena().place(new TextEncoder().encode(text + "\0"));
  }
});

const VK_INCOMPLETE = 5;

Deno.test("native code gets the global commands of the loader", NEEDS_TINY, () => {
  withInstalled([counting().layer], (native) => {
    const memory = arena(), count = memory.alloc(4), out = memory.alloc(520);
    assertEquals(native.call("vkEnumerateInstanceVersion", [memory.address(count)]), 0);
    assertEquals(memory.view.getUint32(count, true), 0x403000);
    memory.view.setUint32(count, 1, true);
    const instance = native.createInstance(), gpu = native.firstGpu(instance);
    const at = [memory.address(count), memory.address(out)];
    for (const list of [["vkEnumerateInstanceLayerProperties"], ["vkEnumerateDeviceLayerProperties", gpu]] as const) {
      const result = native.call(list[0], [...list.slice(1) as bigint[], ...at]);
      assert(result === 0 || result === VK_INCOMPLETE); // there may be more on this machine, below those given
      assertEquals(memory.view.getUint32(count, true), 1);
      assertEquals(new TextDecoder().decode(memory.bytes.slice(out, out + 22)), "VK_LAYER_TEST_counting");
    }
    assertEquals(native.call("vkEnumerateInstanceExtensionProperties", [0n, at[0], 0n]), 0);
    assertEquals(memory.view.getUint32(count, true), 3); // portability and the two ways to listen are the loader's own
  });
});

Deno.test("an exported command that makes something of an extension that is not enabled makes nothing, and says so", {
  ignore: NEEDS_TINY.ignore || needs("SwiftShader", swiftshaderPath()).ignore,
}, () => {
  using vulkan = loadVulkan({ driver: swiftshaderPath()!, platform: "linux" });
  using _installed = vulkan.install();
  using native = new NativeVulkan();
  const memory = arena(), info = memory.alloc(64), out = memory.alloc(8), instance = native.createInstance();
  memory.bytes.fill(0, info, info + 64);
  for (const name of ["vkCreateWaylandSurfaceKHR", "vkCreateXcbSurfaceKHR", "vkCreateHeadlessSurfaceEXT"]) {
    const results = native.call(name, [instance, memory.address(info), 0n, memory.address(out)]);
    assertEquals([name, results], [name, -7]);
  }
  native.call("vkDestroyInstance", [instance, 0n]);
});

Deno.test("attach() and detach() reach native callers of live instances and devices", NEEDS_TINY, () => {
  const { layer, calls } = counting("vkGetEventStatus", "vkEnumeratePhysicalDevices");
  withInstalled([], (native, installed) => {
    const handle = native.createInstance(), device = native.createDevice(native.firstGpu(handle));
    const [instance] = installed.instances();
    assertEquals(instance.handle, handle);
    const direct = native.ofDevice(device, "vkGetEventStatus");
    const status = () => native.call("vkGetEventStatus", [device, EVENT]);
    assertEquals(status(), 3);
    instance.attach(layer);
    assertNotEquals(native.ofDevice(device, "vkGetEventStatus"), direct);
    assertEquals([status(), status(), native.firstGpu(handle) !== 0n], [3, 3, true]);
    assertEquals(calls, { vkGetEventStatus: 2, vkEnumeratePhysicalDevices: 1 });
    instance.detach(layer);
    assertEquals([status(), native.ofDevice(device, "vkGetEventStatus")], [3, direct]);
    assertEquals(calls.vkGetEventStatus, 2);
  });
});

Deno.test(
  "native code gets the commands of extensions that a layer brings, as long as the layer is there",
  NEEDS_TINY,
  () => {
    const marked: bigint[] = [];
    const marking = defineLayer({
      name: "VK_LAYER_TEST_marking",
      deviceExtensions: [{ extensionName: "VK_EXT_debug_marker", specVersion: 4 }],
      commands: { vkCmdDebugMarkerEndEXT: (_next, commands) => void marked.push(commands) },
    });
    using vulkan = loadVulkan({ driver: TINY!, layers: [marking] });
    using installed = vulkan.install();
    using native = new NativeVulkan();
    const handle = native.createInstance(), device = native.createDevice(native.firstGpu(handle));
    const command = native.ofDevice(device, "vkCmdDebugMarkerEndEXT");
    assertEquals([command !== 0n, native.ofDevice(device, "vkCmdDebugMarkerBeginEXT")], [true, 0n]);
    native.call("vkCmdDebugMarkerEndEXT", [device], command); // any dispatchable handle will do
    assertEquals(marked, [device]);
    const [instance] = installed.instances();
    instance.detach(marking);
    assertEquals(native.ofDevice(device, "vkCmdDebugMarkerEndEXT"), 0n);
    instance.attach(marking);
    assertEquals(native.ofDevice(device, "vkCmdDebugMarkerEndEXT"), command);
    native.call("vkDestroyDevice", [device, 0n]);
    native.call("vkDestroyInstance", [handle, 0n]);
  },
);

Deno.test("hooks run once, whether a script or native code calls", NEEDS_TINY, () => {
  const { layer, calls } = counting("vkGetEventStatus", "vkDestroyDevice");
  using vulkan = loadVulkan({ driver: TINY!, layers: [layer] });
  const instance = vulkan.vkCreateInstance({}); // before the loader is installed
  const [gpu] = instance.vkEnumeratePhysicalDevices();
  const device = gpu.vkCreateDevice({ pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] });
  using _installed = vulkan.install();
  using native = new NativeVulkan();
  assertEquals(device.vkGetEventStatus(EVENT), 3);
  assertEquals(calls.vkGetEventStatus, 1);
  assertEquals(native.call("vkGetEventStatus", [device.handle, EVENT]), 3);
  assertEquals(calls.vkGetEventStatus, 2);
  native.call("vkDestroyDevice", [device.handle, 0n]);
  assertEquals([calls.vkDestroyDevice, tinyCount("live_devices")], [1, 0]);
  assertThrows(() => device.vkGetEventStatus(EVENT), TypeError, "closed");
});

Deno.test("several layers and devices keep apart for native callers", NEEDS_TINY, () => {
  const first = counting("vkGetEventStatus"), second = counting("vkGetEventStatus");
  withInstalled([first.layer], (native, installed) => {
    const instances = [native.createInstance(), native.createInstance()];
    const devices = instances.map((instance) => native.createDevice(native.firstGpu(instance)));
    installed.instances()[1].attach(second.layer);
    for (const device of [devices[0], devices[1], devices[1], devices[0], devices[1]]) {
      native.call("vkGetEventStatus", [device, EVENT]);
    }
    assertEquals([first.calls.vkGetEventStatus, second.calls.vkGetEventStatus], [5, 3]);
    for (const instance of instances) native.call("vkDestroyInstance", [instance, 0n]);
    assertEquals([tinyCount("live_devices"), installed.instances()], [0, []]);
  });
});

Deno.test("what a hook throws reaches native code as an error and TypeScript as it is", NEEDS_TINY, () => {
  const error = new Error("from the hook");
  const layer = defineLayer({
    name: "VK_LAYER_TEST_throwing",
    commands: {
      vkCreateBuffer() {
        throw error;
      },
      vkCreateDevice() {
        throw error;
      },
    },
  });
  withInstalled([layer], (native, installed) => {
    const instance = native.createInstance(), gpu = native.firstGpu(instance);
    assertThrows(() => native.createDevice(gpu), RangeError, "-3");
    assertStrictEquals(takeFault(), error);
    installed.instances()[0].detach(layer);
    const device = native.createDevice(gpu);
    installed.instances()[0].attach(layer);
    assertEquals(native.call("vkCreateBuffer", [device, 0n, 0n, 0n]), -3);
    assertStrictEquals(assertThrows(() => rethrowFault()), error);
  });
});

Deno.test("another thread destroys without TypeScript, which tidies up when it next can", NEEDS_TINY, () => {
  const { layer, calls } = counting("vkDestroyDevice", "vkDestroyInstance"), before = openBlocks();
  withInstalled([layer], (native, installed) => {
    const destroy = (name: string, handle: bigint) =>
      void invokeAddress(fixture("call_result_on_thread"), "s:qq", [native.find(name), handle]);
    for (let round = 0; round < 3; round++) {
      const instance = native.createInstance(), gpu = native.firstGpu(instance);
      const devices = [native.createDevice(gpu), native.createDevice(gpu)], open = openBlocks();
      destroy("vkDestroyDevice", devices[0]);
      assertEquals([tinyCount("live_devices"), openBlocks()], [1, open]);
      native.createDevice(gpu); // in the place of the one that went
      assertEquals([tinyCount("live_devices"), openBlocks()], [2, open]);
      destroy("vkDestroyDevice", devices[1]);
      if (round === 1) native.call("vkDestroyInstance", [instance, 0n]);
      else destroy("vkDestroyInstance", instance);
      assertEquals([tinyCount("live_instances"), installed.instances()], [0, []]);
    }
  });
  assertEquals([calls.vkDestroyInstance, openBlocks()], [1, before]);
});

Deno.test("a native layer below is reached by native code", NEEDS_TINY, () => {
  const path = compileFixture("plain_layer")!, { layer, calls } = counting("vkCreateBuffer");
  withInstalled([layer, path], (native) => {
    for (let round = 1; round <= 3; round++) {
      const instance = native.createInstance(), device = native.createDevice(native.firstGpu(instance));
      const out = arena().address(arena().alloc(8));
      assertEquals(native.call("vkCreateBuffer", [device, out, 0n, out]), 0);
      native.call("vkDestroyDevice", [device, 0n]);
      native.call("vkDestroyInstance", [instance, 0n]);
      assertEquals([calls.vkCreateBuffer, tinyCount("live_devices")], [round, 0]);
    }
  });
});

Deno.test("install() refuses where a Vulkan loader is loaded already, and says which", NEEDS_TINY, () => {
  using vulkan = loadVulkan({ driver: TINY! });
  const other = exportLibrary({ soname: "libvulkan.so", slots: [["vkCreateInstance", 0n]] })!;
  const before = openBlocks();
  const error = assertThrows(() => vulkan.install(), NativeError, 'Cannot install the Vulkan loader as "libvulkan.so"');
  assertEquals([error.code, error.path], ["already-loaded", other.path]);
  assertStringIncludes(error.message, "another part of this process, such as a Worker, has installed one");
  assertEquals([other.unload(), openBlocks()], [true, before]);
  assertThrows(() => loaded("libvulkan.so.1"), NativeError);
  vulkan.install().uninstall();
});

Deno.test("only one loader is installed at a time", NEEDS_TINY, () => {
  withInstalled([], (_native, installed, vulkan) => {
    using other = loadVulkan({ driver: TINY! });
    for (const each of [other, vulkan]) assertThrows(() => each.install(), NativeError, "uninstall() on the first");
    installed.uninstall();
    using _second = other.install();
    installed.uninstall();
    assertThrows(() => vulkan.install(), NativeError, "second Vulkan loader");
  });
});

Deno.test("uninstall() unloads the library, and what native code holds refuses", NEEDS_TINY, () => {
  using vulkan = loadVulkan({ driver: TINY! });
  const first = vulkan.install(), held = new NativeVulkan();
  const instance = held.createInstance(), device = held.createDevice(held.firstGpu(instance));
  first.uninstall();
  first.uninstall();
  assertThrows(() => loaded("libvulkan.so"), NativeError);
  assertThrows(() => held.createInstance(), RangeError, "-9");
  assertEquals(held.call("vkGetEventStatus", [device, EVENT]), 3);
  {
    using _second = vulkan.install();
    using again = new NativeVulkan();
    assertEquals(again.find("vkCreateInstance"), held.find("vkCreateInstance"));
    held.call("vkDestroyInstance", [held.createInstance(), 0n]);
  }
  held.call("vkDestroyInstance", [instance, 0n]);
  assertEquals([tinyCount("live_instances"), tinyCount("live_devices")], [0, 0]);
  held.close();
  assertThrows(() => loaded("libvulkan.so.1"), NativeError);
  const third = vulkan.install();
  vulkan.close();
  third.uninstall();
  assertThrows(() => loaded("libvulkan.so.1"), NativeError);
  assertThrows(() => vulkan.install(), TypeError);
});

Deno.test("a closed loader takes what native code left behind with it, and leaves nothing", NEEDS_TINY, () => {
  const { layer } = counting("vkGetEventStatus");
  const leave = () =>
    withInstalled([layer, compileFixture("plain_layer")!], (native) => {
      native.createDevice(native.firstGpu(native.createInstance()));
    });
  leave(); // whatever is opened once for the process is open now
  const files = openFiles(), blocks = openBlocks();
  for (let i = 0; i < 20; i++) leave();
  assertEquals([openFiles(), openBlocks()], [files, blocks]);
  assert(tinyCount("live_instances") === 0 && tinyCount("live_devices") === 0);
});

Deno.test("install() works by a temporary file, and says so where emitted code cannot be used", NEEDS_TINY, () => {
  const by = (loadMethod: string) =>
    runProgram("tests/loader/install/programs/load_method.ts", [TINY!, loadMethod]).output.trim();
  assertEquals(by("file"), "installed");
  assertStringIncludes(by("pointer"), "Cannot install the Vulkan loader: emitted code cannot be used here");
});
