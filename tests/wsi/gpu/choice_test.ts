import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { openGpu, WsiError } from "../../../mod.ts";
import * as vk from "../../../loader/vk.ts";
import { lavapipePath, swiftshaderPath } from "../../../tools/setup/parts.ts";
import { chooseDevice } from "../../../wsi/gpu/choice.ts";
import type { DeviceFacts } from "../../../wsi/gpu/facts.ts";
import { DEVICE_TYPES, type DeviceCriteria, type GpuRequirements } from "../../../wsi/gpu/requirements.ts";
import { needs } from "../../support/require.ts";

const GIB = 2 ** 30, DRAWS = vk.VK_QUEUE_GRAPHICS_BIT | vk.VK_QUEUE_COMPUTE_BIT;

function device(more: Partial<DeviceFacts> = {}): DeviceFacts {
  return {
    name: "Fast 9000",
    type: "discrete",
    apiVersion: vk.VK_API_VERSION_1_2,
    extensions: ["VK_KHR_swapchain"],
    features: ["geometryShader"],
    queueFlags: [vk.VK_QUEUE_TRANSFER_BIT, DRAWS],
    memory: 8 * GIB,
    ...more,
  };
}

const SLOW = device({ name: "Slow (LLVM)", type: "cpu", extensions: [], memory: 2 * GIB, queueFlags: [DRAWS] });

function choose(wanted: GpuRequirements, devices: readonly DeviceFacts[]): number | string {
  return chooseDevice({ instanceExtensions: ["VK_KHR_surface"], devices }, wanted);
}

Deno.test("the first device that meets all requirements is taken", () => {
  const both = [SLOW, device()];
  const rows: [GpuRequirements, number][] = [
    [{}, 0],
    [{ extensions: ["VK_KHR_swapchain"] }, 1],
    [{ device: 1 }, 1],
    [{ device: { name: "fast" } }, 1],
    [{ device: { memory: 2 * GIB } }, 0],
    [{ device: { memory: 2 * GIB + 1 } }, 1],
    [{ device: { queueFlags: vk.VK_QUEUE_TRANSFER_BIT } }, 1],
    [{ device: { type: "discrete" } }, 1],
    [{ device: { type: ["discrete", "cpu"] } }, 1],
    [{ device: { type: ["integrated", "cpu", "discrete"] } }, 0],
    [{ device: { type: ["discrete", "cpu"], memory: 1 }, apiVersion: vk.VK_API_VERSION_1_2 }, 1],
  ];
  for (const [wanted, index] of rows) assertEquals(choose(wanted, both), index, JSON.stringify(wanted));
});

Deno.test("if no device fits, each is named with the reason", () => {
  const both = [SLOW, device()], none = "has 2 devices, of which none fits: ";
  const rows: [GpuRequirements, readonly DeviceFacts[], string][] = [
    [{}, [], "has no device"],
    [{ instanceExtensions: ["VK_KHR_xcb_surface"] }, both, "lacks VK_KHR_xcb_surface"],
    [{ device: 2 }, both, "has 2 devices only"],
    [{ device: 0, extensions: ["VK_KHR_swapchain"] }, both, "lacks VK_KHR_swapchain, as its device 0, Slow (LLVM)"],
    [{ extensions: ["VK_EXT_x"] }, [SLOW], "lacks VK_EXT_x (Slow (LLVM))"],
    [{ device: { type: "virtual" } }, [SLOW], "is of type cpu, not virtual (Slow (LLVM))"],
    [
      { device: { type: ["virtual", "cpu"] }, extensions: ["VK_KHR_swapchain"] },
      both,
      `${none}0, Slow (LLVM), lacks VK_KHR_swapchain; 1, Fast 9000, is of type discrete, not virtual or cpu`,
    ],
    [
      { device: { name: "fast", memory: 9 * GIB } },
      both,
      `${none}0, Slow (LLVM), is not named "fast"; ` +
      "1, Fast 9000, has 8192 MiB of memory of its own, not 9216 MiB",
    ],
    [
      { device: { queueFlags: vk.VK_QUEUE_SPARSE_BINDING_BIT } },
      [device()],
      "has no queue of the flags 0x8, but 0x4, 0x3 (Fast 9000)",
    ],
    [{}, [device({ queueFlags: [vk.VK_QUEUE_COMPUTE_BIT] })], "has no queue that draws and computes (Fast 9000)"],
    [{ features: { geometryShader: true, logicOp: true } }, [device()], "lacks the feature logicOp (Fast 9000)"],
    [{ apiVersion: vk.VK_API_VERSION_1_3 }, [device()], "is of Vulkan 1.2.0, not 1.3 (Fast 9000)"],
  ];
  for (const [wanted, devices, words] of rows) assertEquals(choose(wanted, devices), words);
});

Deno.test("the chosen device fits, and no device that fits is of a type wanted more, or stands before it", () => {
  const type = fc.constantFrom(...DEVICE_TYPES), name = fc.constantFrom("Ab", "b c", "A");
  const devices = fc.array(fc.record({ type, name, memory: fc.nat(3) }), { maxLength: 5 });
  const criteria = fc.record(
    { type: fc.uniqueArray(type, { minLength: 1 }), name: fc.constantFrom("a", "b", "c"), memory: fc.nat(3) },
    { requiredKeys: [] },
  );
  fc.assert(fc.property(devices, criteria, (some, wanted: DeviceCriteria) => {
    const types = wanted.type as readonly string[] | undefined;
    const fits = some.filter((each) =>
      (types?.includes(each.type) ?? true) && each.memory >= (wanted.memory ?? 0) &&
      new RegExp(wanted.name ?? "", "i").test(each.name)
    );
    const ordered = (types ?? ["all"]).flatMap((kind) => fits.filter((each) => kind === "all" || each.type === kind));
    const chosen = choose({ device: wanted }, some.map((each) => device(each)));
    if (ordered.length === 0) assert(typeof chosen === "string");
    else assertEquals(some[chosen as number], ordered[0]);
  }));
});

const [lavapipe, swiftshader] = [lavapipePath(), swiftshaderPath()];

Deno.test("openGpu() chooses among the devices of several drivers by what they have", {
  ...needs("Mesa lavapipe, SwiftShader and ANGLE", lavapipe && swiftshader),
}, () => {
  const driver = [lavapipe!, swiftshader!];
  for (const [wanted, name] of [["swiftshader", "SwiftShader"], ["LLVMpipe", "llvmpipe"]] as const) {
    using gpu = openGpu({ driver, device: { name: wanted, type: ["discrete", "cpu"], memory: 1 } });
    assert(gpu.properties.deviceName.includes(name), gpu.properties.deviceName);
  }
  {
    using gpu = openGpu({ driver: driver.toReversed(), features: { geometryShader: true } });
    assert(gpu.properties.deviceName.includes("llvmpipe"), gpu.properties.deviceName);
  }
  const { message } = assertThrows(() => openGpu({ driver, device: { type: "virtual" } }), WsiError);
  assert(
    /none fits: 0, .*, is of type cpu, not virtual; 1, .*, is of type cpu, not virtual; name/.test(message),
    message,
  );
  assert(message.includes("llvmpipe") && message.includes("SwiftShader"), message);
  assertThrows(() => openGpu({ driver, device: "cpu" as never }), TypeError, "an index or an object of criteria");
  assertThrows(() => openGpu({ driver, device: { typ: "cpu" } as never }), TypeError, 'did you mean "type"?');
  assertThrows(() => openGpu({ driver, device: { type: "gpu" as never } }), TypeError, '"virtual" or "cpu" as "type"');
});

Deno.test("openGpu() takes a queue of the flags that are required", needs("Mesa lavapipe", lavapipe), () => {
  using gpu = openGpu({ driver: lavapipe!, device: { queueFlags: vk.VK_QUEUE_TRANSFER_BIT } });
  const { queueFlags } = gpu.physicalDevice.vkGetPhysicalDeviceQueueFamilyProperties()[gpu.queueFamilyIndex];
  assert(queueFlags & vk.VK_QUEUE_TRANSFER_BIT);
});
