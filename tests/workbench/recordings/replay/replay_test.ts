import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import type { VkInstance } from "../../../../loader/gen/types_core_gen.ts";
import { developComp } from "../../../../examples/scene/shaders_gen.ts";
import { sha256 } from "../../../../loader/layers/shipped/native/sha256.ts";
import {
  deviceLimits,
  objectLeaks,
  readRecording,
  type RecordedCall,
  type RecordedLine,
  RecordingError,
  replayRecording,
  writeRecording,
} from "../../../../workbench/layers.ts";
import { defineLayer, loadVulkan } from "../../../../loader/mod.ts";
import {
  lavapipePath,
  nvidiaManifest,
  shaderTools,
  swiftshaderPath,
  validationManifest,
} from "../../../../tools/setup/parts.ts";
import { type Difference, difference, readPng } from "../../../support/image.ts";
import { createMessenger, listen } from "../../../support/messenger.ts";
import { openFiles } from "../../../support/open_files.ts";
import { count } from "../../../support/counts.ts";
import { needs } from "../../../support/require.ts";
import { withFolder } from "../../../support/temporary.ts";
import { record } from "../../../loader/record.ts";
import { DemoRecordings } from "./demo_recordings.ts";
import { clearAndRead, drawDemo, recordDemo, recorded, recordWholeDemo, replayed, SIZE } from "./recorded.ts";

const DEMOS = new DemoRecordings();
const LAVAPIPE = needs("Mesa lavapipe", lavapipePath()), SWIFTSHADER = needs("SwiftShader", swiftshaderPath());
const BOTH = { ignore: LAVAPIPE.ignore || SWIFTSHADER.ignore };
/** The most that two drivers' pictures may be apart: see the test of the demo. */
const TOLERANCE: Difference = { mean: 0.5, off: 0.005 };
/** A shader for the place of the demo's last one: every pixel is 1, 2, 3, 4. */
const FLAT = `#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 7, std430) writeonly buffer Picture { uint pixels[]; } picture;
void main() { picture.pixels[gl_GlobalInvocationID.y * ${SIZE.width} + gl_GlobalInvocationID.x] = 0x04030201; }
`;

function isCall(line: RecordedLine, command: string): line is RecordedCall {
  return "command" in line && line.command === command;
}

/** Leaves out the n-th call of a command. */
function without(command: string, n: number): (line: RecordedLine) => RecordedLine | undefined {
  let count = 0;
  return (line) => isCall(line, command) && count++ === n ? undefined : line;
}

/** Drivers, and what their devices call themselves. */
const PATHS: Readonly<Record<string, string | undefined>> = {
  llvmpipe: lavapipePath(),
  SwiftShader: swiftshaderPath(),
  NVIDIA: nvidiaManifest(), // few machines have one, so it is no part that is missing elsewhere
};
const NAMES = Object.keys(PATHS).filter((name) => name !== "NVIDIA" || PATHS.NVIDIA);

for (const [from, to] of NAMES.flatMap((from) => NAMES.filter((to) => to !== from).map((to) => [from, to]))) {
  const available = { ignore: needs(from, PATHS[from]).ignore || needs(to, PATHS[to]).ignore };
  Deno.test(
    `replayRecording() of what was recorded on ${from} draws on ${to} what the program draws there itself`,
    available,
    () => {
      const paths = PATHS as Record<string, string>;
      withFolder((folder) => {
        const path = `${folder}/demo.jsonl`, pixels = recordDemo(path, paths[from]);
        const same = replayed({ driver: paths[from] }, path), other = replayed({ driver: paths[to] }, path);
        assertEquals(same.pixels, pixels);
        assertEquals(same.report.moved, []);
        assertEquals(other.pixels, drawDemo(paths[to]));
        assertMatch(other.report.deviceName, new RegExp(to));
        assert(other.report.calls > 100 && other.report.calls === same.report.calls);
      });
    },
  );
}

Deno.test("replayRecording() draws the golden picture on another driver", BOTH, () => {
  withFolder((folder) => {
    const golden = readPng(new URL("../../../../docs/demo.png", import.meta.url).pathname),
      path = `${folder}/demo.jsonl`;
    // SwiftShader draws the whole for long. Smaller, the picture is compared with that of lavapipe, which demo_test.ts
    // compares with the golden one; edges have as many times their share as the picture is smaller.
    const part = count(4, 2, 1), size = { width: golden.width / part, height: golden.height / part };
    const drawn = recordWholeDemo(path, lavapipePath()!, size),
      data = replayed({ driver: swiftshaderPath()! }, path).pixels;
    const { mean, off } = difference({ ...size, data }, part === 1 ? golden : { ...size, data: drawn });
    assert(mean <= TOLERANCE.mean && off <= part * TOLERANCE.off, `mean ${mean}, ${100 * off} % of the pixels off`);
  });
});

Deno.test("replayRecording() gives validation nothing to say, unless what it replays does", {
  ignore: LAVAPIPE.ignore || needs("Khronos validation layer", validationManifest()).ignore,
}, () => {
  withFolder((folder) => {
    const path = `${folder}/demo.jsonl`, pixels = DEMOS.write(path, lavapipePath()!);
    const validated = (edit?: (line: RecordedLine) => RecordedLine) => {
      using messenger = createMessenger();
      const layers = ["VK_LAYER_KHRONOS_validation"], instanceExtensions = ["VK_EXT_debug_utils"];
      const onInstance = (instance: VkInstance) => listen(instance, messenger);
      const found = replayed({ driver: lavapipePath()!, layers }, path, { instanceExtensions, onInstance, edit });
      return { messages: [...messenger.messages], pixels: found.pixels };
    };
    assertEquals(validated(), { messages: [], pixels });
    const { messages } = validated((line) => {
      if (isCall(line, "vkCreateSampler")) line.args.pCreateInfo.anisotropyEnable = true;
      return line;
    });
    assert(messages.some((message) => message.includes("anisotropyEnable")), messages.join("\n"));
  });
});

Deno.test("replayRecording() leaves out a draw, pushes another constant", LAVAPIPE, () => {
  withFolder((folder) => {
    const path = `${folder}/demo.jsonl`, driver = lavapipePath()!, pixels = DEMOS.write(path, driver);
    const shorter = replayed({ driver }, path, { edit: without("vkCmdDrawIndexed", 2) }).pixels;
    assert(difference({ ...SIZE, data: shorter }, { ...SIZE, data: pixels }).off > 0.01, "the sea mirrors nothing now");
    const upright = replayed({ driver }, path, {
      edit(line) {
        if (isCall(line, "vkCmdPushConstants")) line.args.pValues = new Float32Array([1]);
        return line;
      },
    }).pixels;
    assertEquals(upright, shorter, "what is drawn twice in one place is as if it were drawn once");
  });
});

Deno.test("replayRecording() takes another shader", {
  ignore: LAVAPIPE.ignore || needs("glslang and SPIRV-Tools", shaderTools()).ignore,
}, () => {
  withFolder((folder) => {
    Deno.writeTextFileSync(`${folder}/flat.comp`, FLAT);
    const args = ["-V", "flat.comp", "-o", "flat.spv"];
    new Deno.Command(shaderTools()!.compiler, { args, cwd: folder, stdout: "null" }).outputSync();
    const path = `${folder}/demo.jsonl`,
      driver = lavapipePath()!,
      develop = sha256(new Uint8Array(developComp().buffer));
    DEMOS.write(path, driver);
    const edit = (line: RecordedLine) => {
      const info = isCall(line, "vkCreateShaderModule") ? line.args.pCreateInfo : undefined;
      if (info?.pCode.data === develop) info.pCode = Deno.readFileSync(`${folder}/flat.spv`);
      return line;
    };
    const { pixels } = replayed({ driver }, path, { edit });
    assert(pixels.every((value, index) => value === index % 4 + 1));
    const stream = readRecording(path);
    writeRecording(`${folder}/flat.jsonl`, { ...stream, lines: stream.lines.map(edit) });
    assertEquals(replayed({ driver }, `${folder}/flat.jsonl`).pixels, pixels);
  });
});

Deno.test("replayRecording() clears to another colour", BOTH, () => {
  withFolder((folder) => {
    const path = `${folder}/clear.jsonl`, driver = lavapipePath()!;
    const first = recorded(
      path,
      { driver },
      (instance) => clearAndRead(instance.vkEnumeratePhysicalDevices()[0], [1, 0, 0, 1]),
    );
    assertEquals(first, [255, 0, 0, 255]);
    const clear = readRecording(path).lines.find((line) => isCall(line, "vkCmdClearColorImage")) as RecordedCall;
    assertEquals(clear.args.pColor, { float32: [1, 0, 0, 1] });
    const edit = (line: RecordedLine) => {
      if (isCall(line, "vkCmdClearColorImage")) line.args.pColor.float32 = [0, 1, 0, 1];
      return line;
    };
    for (const path of [driver, swiftshaderPath()!]) {
      const { pixels } = replayed({ driver: path }, `${folder}/clear.jsonl`, { edit });
      assert(pixels.every((value, index) => value === [0, 255, 0, 255][index % 4]));
    }
  });
});

/**
 * Makes lavapipe seem to have two memory types, one that no host sees and one that hosts do, and need more for
 * everything; `buffers` and `images` say in bits which types will do for them.
 */
function pickyMemory(buffers: number, images: number) {
  return defineLayer({
    name: "VK_LAYER_TEST_picky_memory",
    commands: {
      vkGetPhysicalDeviceMemoryProperties(next, gpu, out) {
        next(gpu, out);
        const words = new Uint32Array(Deno.UnsafePointerView.getArrayBuffer(Deno.UnsafePointer.create(out)!, 20));
        words.set([2, 1, 0, 6, 0]); // device-local; host-visible and coherent
      },
      vkGetBufferMemoryRequirements(next, device, buffer, out) {
        next(device, buffer, out);
        picky(out, buffers);
      },
      vkGetImageMemoryRequirements(next, device, image, out) {
        next(device, image, out);
        picky(out, images);
      },
      vkAllocateMemory(next, device, info, allocator, out) {
        const words = new Uint32Array(Deno.UnsafePointerView.getArrayBuffer(Deno.UnsafePointer.create(info)!, 32));
        if (words[6] === 0) unseen++;
        words[6] = 0;
        return next(device, info, allocator, out);
      },
    },
  });
}

/** The number of allocations that no host sees. */
let unseen = 0;

function picky(requirements: bigint, types: number): void {
  const longs = new BigUint64Array(Deno.UnsafePointerView.getArrayBuffer(Deno.UnsafePointer.create(requirements)!, 24));
  longs.set([longs[0] + 4096n, longs[1], BigInt(types)]);
}

Deno.test("replayRecording() gives what does not fit into the recorded memory some of its own", LAVAPIPE, () => {
  withFolder((folder) => {
    const path = `${folder}/demo.jsonl`, driver = lavapipePath()!, pixels = DEMOS.write(path, driver);
    const found = replayed({ driver, layers: [pickyMemory(2, 1)] }, path);
    assertEquals(found.pixels, pixels);
    const names = (type: string) => Array.from({ length: 5 }, (_, index) => `${type}#${index + 1}`);
    assertEquals(found.report.moved, [...names("VkBuffer"), ...names("VkImage")]);
  });
});

Deno.test("replayRecording() reads buffers that no host sees after a submission", LAVAPIPE, () => {
  withFolder((folder) => {
    const path = `${folder}/fill.jsonl`, driver = lavapipePath()!, seen: Uint8Array[] = [];
    recorded(path, { driver }, (instance) => {
      const [gpu] = instance.vkEnumeratePhysicalDevices();
      using device = gpu.vkCreateDevice({ pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] });
      gpu.vkGetPhysicalDeviceMemoryProperties();
      const buffer = device.vkCreateBuffer({ size: 64n, usage: 2 });
      const memory = device.vkAllocateMemory({ allocationSize: 64n, memoryTypeIndex: 0 });
      device.vkBindBufferMemory(buffer, memory, 0n);
      record(device, (commands) => commands.vkCmdFillBuffer(buffer, 0n, 64n, 0x04030201));
      device.vkDestroyBuffer(buffer);
      device.vkFreeMemory(memory);
    });
    unseen = 0;
    replayRecording({ driver, layers: [pickyMemory(3, 1)] }, path, {
      onSubmit: ({ read }) => seen.push(read("VkBuffer#1")),
    });
    assertEquals(unseen, 2); // the recorded allocation, and what the buffer needs here
    assertEquals(seen, [new Uint8Array(64).map((_, index) => index % 4 + 1)]);
  });
});

Deno.test("replayRecording() names what another driver lacks before it makes anything", LAVAPIPE, () => {
  withFolder((folder) => {
    const path = `${folder}/clear.jsonl`, driver = lavapipePath()!, made: string[] = [];
    const edit = (line: RecordedLine) => {
      if (!isCall(line, "vkCreateDevice")) return line;
      const { pCreateInfo } = line.args;
      pCreateInfo.pEnabledFeatures = { geometryShader: true, robustBufferAccess: true };
      pCreateInfo.ppEnabledExtensionNames = ["VK_KHR_maintenance1", "VK_NV_mesh_shader", "VK_KHR_swapchain"];
      return line;
    };
    recorded(path, { driver }, (instance) => clearAndRead(instance.vkEnumeratePhysicalDevices()[0], [1, 0, 0, 1]));
    const hidden = deviceLimits({ hideFeatures: ["geometryShader"], hideExtensions: ["VK_KHR_maintenance1"] });
    const watch = defineLayer({
      name: "VK_LAYER_TEST_watch",
      commands: {
        vkCreateDevice: (next, ...args) => (made.push("device"), next(...args)),
        vkGetPhysicalDeviceImageFormatProperties(next, gpu, format, ...rest) {
          return format === 37 ? -11 : next(gpu, format, ...rest);
        },
      },
    });
    const error = assertThrows(
      () => replayRecording({ driver, layers: [hidden.layer, watch] }, path, { edit }),
      RecordingError,
    );
    assertMatch(error.message, /llvmpipe.* lacks VK_KHR_maintenance1, VK_NV_mesh_shader, geometryShader, images of /);
    assertMatch(error.message, /format 37, usage 3, tiling 0 \(VK_ERROR_FORMAT_NOT_SUPPORTED\)/);
    assertEquals(made, []);
    const instance = (line: RecordedLine) => {
      if (isCall(line, "vkCreateInstance")) line.args.pCreateInfo.ppEnabledExtensionNames = ["VK_FUCHSIA_nothing"];
      return line;
    };
    assertThrows(
      () => replayRecording({ driver }, path, { edit: instance }),
      RecordingError,
      "lacks VK_FUCHSIA_nothing",
    );
  });
});

Deno.test("replayRecording() refuses what only the recording driver or its program knew, by name", LAVAPIPE, () => {
  withFolder((folder) => {
    const path = `${folder}/clear.jsonl`, driver = lavapipePath()!;
    recorded(path, { driver }, (instance) => clearAndRead(instance.vkEnumeratePhysicalDevices()[0], [1, 0, 0, 1]));
    const after = (command: string, ...more: RecordedLine[]) => (line: RecordedLine) =>
      isCall(line, command) ? [line, ...more] : [line];
    const chained = (link: object) => (line: RecordedLine) => {
      if (isCall(line, "vkAllocateMemory")) line.args.pAllocateInfo.pNext = [link];
      return line;
    };
    const device = "VkDevice#1";
    const cases: [(line: RecordedLine) => RecordedLine | RecordedLine[] | undefined, RegExp][] = [
      [
        after("vkCreateDevice", { command: "vkGetMemoryFdKHR", args: { device } }),
        /vkGetMemoryFdKHR.* outside of Vulkan/,
      ],
      [
        after("vkCreateDevice", { command: "vkReleaseSwapchainImagesKHR", args: {} }),
        /vkReleaseSwapchainImagesKHR.* window/,
      ],
      [
        after("vkCreateDevice", { command: "vkGetPipelineIndirectDeviceAddressNV", args: { device } }),
        /Address.* gave out an address/,
      ],
      [
        chained({ sType: "VkImportMemoryFdInfoKHR", handleType: 1, fd: 3 }),
        /vkAllocateMemory: VkImportMemoryFdInfoKHR/,
      ],
      [chained({ sType: 1_999_999_999 }), /a chain has a struct of sType 1999999999/],
      [
        chained({ sType: "VkMemoryPriorityAllocateInfoEXT", priority: 0.5, extra: 1 }),
        /extra is not a member; VkMemoryPriorityAllocateInfoEXT has/,
      ],
      [after("vkCreateDevice", { missing: "Nobody saw a vkBeginCommandBuffer" }), /has gaps\. Nobody saw a vkBegin/],
      [without("vkCreateBuffer", 0), /vkBindBufferMemory: no line before makes VkBuffer#1/],
      [
        after("vkDestroyImage", { command: "vkDestroyImage", args: { device, image: "VkImage#1" } }),
        /was destroyed before/,
      ],
      [after("vkCreateDevice", { command: "vkDraw", args: {} }), /vkDraw: there is no such command/],
      [after("vkCreateDevice", { command: "vkDeviceWaitIdle", args: { device, x: 1 } }), /there is no parameter x/],
      [
        after("vkCreateDevice", { command: "vkDestroyFence", args: { device, fence: "VkEvent#1" } }),
        /no name of a VkFence/,
      ],
      [
        after("vkCreateDevice", { command: "vkDestroyFence", args: { device, fence: { foreign: "0x1" } } }),
        /no name of a VkFence/,
      ],
    ];
    for (const [edit, message] of cases) {
      const error = assertThrows(() => replayRecording({ driver }, path, { edit }), RecordingError);
      assertMatch(error.message, message);
      assertMatch(error.message, /^Cannot replay line \d+, vk\w+|^Cannot replay line \d+, gap/);
    }
  });
});

Deno.test(
  "replayRecording() refuses what was written into an image that another driver lays out otherwise",
  LAVAPIPE,
  () => {
    withFolder((folder) => {
      const path = `${folder}/linear.jsonl`, driver = lavapipePath()!;
      recorded(path, { driver }, (instance) => {
        const [gpu] = instance.vkEnumeratePhysicalDevices(), extent = { width: 5, height: 5, depth: 1 };
        using device = gpu.vkCreateDevice({ pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] });
        const size = { mipLevels: 1, arrayLayers: 1, samples: 1 }, linear = { tiling: 1, usage: 1 };
        const image = device.vkCreateImage({ imageType: 1, format: 37, extent, ...size, ...linear });
        device.vkGetImageSubresourceLayout(image, { aspectMask: 1 });
        device.vkDestroyImage(image);
      });
      const wider = defineLayer({
        name: "VK_LAYER_TEST_wider_rows",
        commands: {
          vkGetImageSubresourceLayout(next, device, image, subresource, out) {
            next(device, image, subresource, out);
            new BigUint64Array(Deno.UnsafePointerView.getArrayBuffer(Deno.UnsafePointer.create(out)!, 24))[2] = 256n;
          },
        },
      });
      assertEquals(replayRecording({ driver }, path).calls > 0, true);
      const error = assertThrows(() => replayRecording({ driver, layers: [wider] }, path), RecordingError);
      assertMatch(error.message, /VkImage#1 has rowPitch \d+ in the recording and 256 here/);
    });
  },
);

Deno.test("replayRecording() does not wait for ever", LAVAPIPE, () => {
  withFolder((folder) => {
    const path = `${folder}/demo.jsonl`, driver = lavapipePath()!;
    DEMOS.write(path, driver);
    const leaks = objectLeaks(), edit = without("vkQueueSubmit", 1);
    const error = assertThrows(
      () => replayRecording({ driver, layers: [leaks.layer] }, path, { edit, timeout: 1500 }),
      RecordingError,
    );
    assertMatch(error.message, /vkWaitForFences: nothing came in 1500 ms/);
    assertEquals(leaks.report().text, "no object was leaked, none is live");
  });
});

Deno.test("replayRecording() waits where nobody saw the program wait", LAVAPIPE, () => {
  withFolder((folder) => {
    const path = `${folder}/demo.jsonl`, driver = lavapipePath()!, pixels = DEMOS.write(path, driver);
    const edit = (line: RecordedLine) => isCall(line, "vkWaitForFences") ? undefined : line;
    assertEquals(replayed({ driver }, path, { edit }).pixels, pixels);
  });
});

Deno.test(
  "replayRecording() waits as long as it is told for a slow device, before it records a command buffer again",
  LAVAPIPE,
  () => {
    withFolder((folder) => {
      const path = `${folder}/demo.jsonl`, driver = lavapipePath()!, timeouts = new Set<bigint>();
      const pixels = DEMOS.write(path, driver);
      const edit = (line: RecordedLine) => isCall(line, "vkWaitForFences") ? undefined : line;
      const listening = defineLayer({
        name: "VK_LAYER_TEST_timeouts",
        commands: {
          vkWaitForFences(next, ...args) {
            timeouts.add(args[4]);
            return next(...args);
          },
        },
      });
      assertEquals(replayed({ driver, layers: [listening] }, path, { edit, timeout: 45_000 }).pixels, pixels);
      assertEquals([...timeouts], [45_000_000_000n]);
    });
  },
);

Deno.test("replayRecording() leaves nothing behind, even of a recording that was cut", LAVAPIPE, () => {
  withFolder((folder) => {
    const path = `${folder}/demo.jsonl`, driver = lavapipePath()!, pixels = DEMOS.write(path, driver);
    const lines = Deno.readTextFileSync(path).split("\n");
    const end = lines.findIndex((line) => line.includes('"read"'));
    Deno.writeTextFileSync(path, `${lines.slice(0, end + 1).join("\n")}\n{"command":"vkDest`);
    assertThrows(() => replayRecording({ driver }, path), RecordingError, "was cut");
    const leaks = objectLeaks(), files = openFiles();
    assertEquals(replayed({ driver, layers: [leaks.layer] }, path, { unsealed: true }).pixels, pixels);
    assertEquals(leaks.report().text, "no object was leaked, none is live");
    assertEquals(openFiles(), files);
  });
});

Deno.test("replayRecording() tells of submissions, and replays on a loader that is given", LAVAPIPE, () => {
  withFolder((folder) => {
    const path = `${folder}/demo.jsonl`, pixels = DEMOS.write(path, lavapipePath()!);
    using vulkan = loadVulkan({ driver: lavapipePath()! });
    const seen: unknown[] = [];
    replayRecording(vulkan, path, {
      onSubmit({ submission, read }) {
        seen.push([submission, read("VkBuffer#5")!.length]);
        if (submission === 1) assertEquals(read("VkBuffer#5"), pixels);
        assertThrows(() => read("VkBuffer#9"), TypeError, "no memory is bound to it");
      },
    });
    assertEquals(seen, [[0, pixels.length], [1, pixels.length]]);
    assert(vulkan.vkEnumerateInstanceExtensionProperties(null).length > 0, "still open");
  });
});
