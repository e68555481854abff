import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { NativeBlock } from "../../../../ffi/block.ts";
import { peek64, poke64 } from "../../../../ffi/machine.ts";
import { KnownHandles } from "../../../../loader/layers/guard/known_handles.ts";
import { type AnyHook, defineLayer, type Layer } from "../../../../loader/mod.ts";
import type { VkDevice } from "../../../../loader/types.ts";
import { lavapipePath } from "../../../../tools/setup/parts.ts";
import { openDevice } from "../../../support/device.ts";
import { needs } from "../../../support/require.ts";
import { DEVICE, withMixed } from "../../interposers/chain.ts";
import { NEEDS_TINY, tinyCount, withTinyDevice } from "../../tiny.ts";

const lavapipe = lavapipePath(), LAVAPIPE = needs("Mesa lavapipe", lavapipe);
const GARBAGE = 0xdead_0000_beefn;

/** A layer with one hook. */
function hooking(command: string, hook: AnyHook, more: Partial<Layer> = {}): Layer {
  return defineLayer({ name: "VK_LAYER_TEST_bad", commands: { [command]: hook }, ...more });
}

/** The message of the error when `use` meets a hook. */
function refused(layer: Layer, use: (device: VkDevice) => void): string {
  let message = "";
  withTinyDevice([layer], (device) => {
    message = assertThrows(() => use(device), TypeError).message;
  });
  return message;
}

const makeBuffer = (device: VkDevice) => void device.vkCreateBuffer({ size: 16n, usage: 2 });
const status = (device: VkDevice) => void device.vkGetEventStatus(8n as never);

Deno.test("a hook that returns what no result can be is refused by name", NEEDS_TINY, () => {
  const message = (result: unknown) => refused(hooking("vkGetEventStatus", () => result), status);
  assertEquals(
    message(undefined),
    "VK_LAYER_TEST_bad returns undefined from vkGetEventStatus: return what next() gives, or a number",
  );
  assertStringIncludes(message("0"), "returns string from");
  assertStringIncludes(message(null), "returns null from");
  assertStringIncludes(message(Promise.resolve(0)), "returns a Promise from");
  for (const odd of [NaN, 1.5, 2 ** 40]) {
    assertStringIncludes(message(odd), `returns ${odd}, which is no 32-bit integer from vkGetEventStatus`);
  }
});

Deno.test("a hook that returns a handle nobody made is refused, and one that made nothing", NEEDS_TINY, () => {
  const message = (hook: AnyHook, more?: Partial<Layer>) => refused(hooking("vkCreateBuffer", hook, more), makeBuffer);
  const wrong: AnyHook = (next, ...args) => {
    next(...args);
    poke64(args[3], GARBAGE);
    return 0;
  };
  assertStringIncludes(
    message(wrong),
    "returns 0xdead0000beef from vkCreateBuffer, which is no VkBuffer that was made below",
  );
  assertStringIncludes(message(() => 0), "returns 0x0 from vkCreateBuffer");
  withTinyDevice([hooking("vkCreateBuffer", wrong, { ownHandles: true })], (device) => {
    assertEquals(device.vkCreateBuffer({ size: 16n, usage: 2 }), GARBAGE as never);
  });
});

Deno.test("a hook may return an object that was made before", NEEDS_TINY, () => {
  let first = 0n;
  const sharing: AnyHook = (next, ...args) => {
    if (first === 0n) next(...args);
    else poke64(args[3], first);
    return 0;
  };
  withTinyDevice([hooking("vkCreateBuffer", sharing)], (device) => {
    first = device.vkCreateBuffer({ size: 16n, usage: 2 });
    assertEquals(device.vkCreateBuffer({ size: 16n, usage: 2 }), first as never);
    device.vkDestroyBuffer(first as never);
    assertThrows(() => makeBuffer(device), TypeError, "was made below"); // it is gone
  });
});

/** A layer that stands for a driver: it answers itself. */
function answering(command: string, hook: AnyHook): Layer {
  return hooking(command, hook, { name: "VK_LAYER_TEST_driver", ownHandles: true });
}

const passing = (command: string) => hooking(command, (next, ...args) => next(...args), { name: "VK_LAYER_TEST_pass" });

Deno.test("a hook that passes on gives NULL where the driver gave NULL with success", NEEDS_TINY, () => {
  const no: AnyHook = (_next, ...args) => (poke64(args[3], 0n), 0);
  const info = { allocationSize: 0n, memoryTypeIndex: 0 };
  withTinyDevice([passing("vkAllocateMemory"), answering("vkAllocateMemory", no)], (device) => {
    assertEquals(device.vkAllocateMemory(info), 0n as never);
  });
  withTinyDevice([passing("vkGetDeviceQueue"), answering("vkGetDeviceQueue", no)], (device) => {
    using out = new NativeBlock(8);
    out.view.setBigUint64(0, GARBAGE, true);
    device.raw.vkGetDeviceQueue(device.handle, 0, 9, out.address);
    assertEquals(out.view.getBigUint64(0, true), 0n);
    assertThrows(() => device.vkGetDeviceQueue(0, 9), TypeError, "the driver gave no VkQueue");
  });
  const some: AnyHook = (_next, ...args) => {
    for (const [index, each] of [16n, 0n, 32n].entries()) poke64(args[5] + BigInt(8 * index), each);
    return 0;
  };
  withTinyDevice([passing("vkCreateComputePipelines"), answering("vkCreateComputePipelines", some)], (device) => {
    const stage = { stage: 32, module: 8n as never, pName: "main" } as const, each = { stage, layout: 8n as never };
    const made = device.vkCreateComputePipelines(null, [each, each, each]);
    assertEquals(made.pipelines, [16n, 0n, 32n] as never);
  });
  const nowhere: AnyHook = (_next, ...args) => (poke64(args[5], 0n), 0);
  withTinyDevice([passing("vkMapMemory"), answering("vkMapMemory", nowhere)], (device) => {
    assertEquals(device.vkMapMemory(8n as never, 0n, 0n, 0), 0n);
  });
});

Deno.test(
  "a hook that writes NULL over the driver's handle, or answers NULL itself, is still refused",
  NEEDS_TINY,
  () => {
    const overwriting: AnyHook = (next, ...args) => (next(...args), poke64(args[3], 0n), 0);
    assertStringIncludes(
      refused(hooking("vkCreateBuffer", overwriting), makeBuffer),
      "returns 0x0 from vkCreateBuffer",
    );
    const alternating = (isDriver: boolean): AnyHook => {
      let calls = 0;
      return (next, ...args) => {
        if (isDriver || calls++ === 0) return isDriver ? (poke64(args[3], 0n), 0) : next(...args);
        return poke64(args[3], 0n), 0;
      };
    };
    const layers = [hooking("vkCreateBuffer", alternating(false)), answering("vkCreateBuffer", alternating(true))];
    withTinyDevice(layers, (device) => {
      makeBuffer(device); // the driver's NULL does not count for the next call
      assertThrows(() => makeBuffer(device), TypeError, "VK_LAYER_TEST_bad returns 0x0 from vkCreateBuffer");
    });
  },
);

Deno.test("lavapipe's answer to an allocation of no bytes is the same with and without a hook", LAVAPIPE, () => {
  const answer = (layers: Layer[]) => {
    using open = openDevice({ driver: lavapipe!, layers });
    return [open.device.vkAllocateMemory({ allocationSize: 0n, memoryTypeIndex: 0 })].map((each) => each === 0n);
  };
  assertEquals(answer([passing("vkAllocateMemory")]), answer([]));
});

Deno.test("a handle that the driver gives twice is known until it was destroyed twice", NEEDS_TINY, () => {
  const same: AnyHook = (_next, ...args) => (poke64(args[3], 0x5000n), 0),
    hooks = ["vkCreateSampler", "vkDestroySampler"];
  const layer = defineLayer({
    name: "VK_LAYER_TEST_pass",
    commands: Object.fromEntries(hooks.map((name) => [name, ((next, ...args) => next(...args)) as AnyHook])),
  });
  const driver = defineLayer({
    name: "VK_LAYER_TEST_driver",
    ownHandles: true,
    commands: { vkCreateSampler: same, vkDestroySampler: () => {} },
  });
  withTinyDevice([layer, driver], (device) => {
    const known = new KnownHandles(layer, "VkSampler"), [one, other] = [1, 2].map(() => device.vkCreateSampler({}));
    assertEquals([one, known.of(device.handle).size], [other, 1]);
    const isKnown = () => known.of(device.handle).has(one);
    device.vkDestroySampler(one);
    assertEquals(isKnown(), true);
    device.vkDestroySampler(other);
    assertEquals(isKnown(), false);
  });
});

Deno.test("what a hook returns from a command that returns nothing does not count", NEEDS_TINY, () => {
  const talking: AnyHook = (next, ...args) => {
    next(...args);
    return "done";
  };
  const wrong: AnyHook = (next, ...args) => {
    assertEquals(next(...args), undefined);
    poke64(args[3], 0n);
  };
  const layers = [hooking("vkGetDeviceQueue", wrong), hooking("vkGetDeviceQueue", talking)];
  withTinyDevice(layers, (device) => {
    assertThrows(() => device.vkGetDeviceQueue(0, 0), TypeError, "returns 0x0 from vkGetDeviceQueue");
  });
});

Deno.test("a queue that is none is refused", NEEDS_TINY, () => {
  const wrong: AnyHook = (_next, ...args) => poke64(args[3], GARBAGE);
  const message = refused(hooking("vkGetDeviceQueue", wrong), (device) => void device.vkGetDeviceQueue(0, 0));
  assertStringIncludes(message, "returns 0xdead0000beef from vkGetDeviceQueue, which is no VkQueue");
});

Deno.test("what a hook passes on instead of what it got is looked at before the driver is", NEEDS_TINY, () => {
  const create = (hook: AnyHook) => refused(hooking("vkCreateBuffer", hook), makeBuffer);
  const says = (message: string, ...parts: string[]) => parts.forEach((part) => assertStringIncludes(message, part));
  says(create((next, device) => next(device)), "wrong pCreateInfo of vkCreateBuffer", "is missing; give a bigint");
  says(create((next, _device, ...rest) => next(GARBAGE, ...rest)), "wrong device", "is no VkDevice");
  says(create((next, device, _info, ...rest) => next(device, 0n, ...rest)), "wrong pCreateInfo", "is NULL");
  says(create((next, device, _info, ...rest) => next(device, GARBAGE, ...rest)), "memory that is not there");
  says(create((next, device, info) => next(device, info, 0n, 0x1000n)), "wrong pBuffer");
  says(create((next, device, info, ...rest) => next(device, info + 4n, ...rest)), "points to no VkBufferCreateInfo");
  says(
    refused(hooking("vkDestroyBuffer", (next, device, _buffer, rest) => next(device, GARBAGE, rest)), (device) => {
      device.vkDestroyBuffer(device.vkCreateBuffer({ size: 16n, usage: 2 }));
    }),
    "wrong buffer of vkDestroyBuffer",
    "is no VkBuffer that next() or this.below() made",
  );
  says(
    refused(hooking("vkQueueSubmit", (next, queue, _count, ...rest) => next(queue, 5, ...rest)), (device) => {
      device.vkGetDeviceQueue(0, 0).vkQueueSubmit([{}], null);
    }),
    "wrong pSubmits of vkQueueSubmit",
  );
});

Deno.test("the structs of a call that is over are refused", NEEDS_TINY, () => {
  let kept: bigint | undefined;
  const layer = hooking("vkCreateBuffer", (next, device, info, ...rest) => next(device, kept ??= info, ...rest));
  withTinyDevice([layer], (device) => {
    const image = { imageType: 1, format: 37, extent: { width: 1, height: 1, depth: 1 }, mipLevels: 1, arrayLayers: 1 };
    const buffer = device.vkCreateBuffer({ size: 16n, usage: 2 });
    device.vkDestroyImage(device.vkCreateImage({ ...image, samples: 1, tiling: 0, usage: 1, sharingMode: 0 }));
    kept! += 1n << 16n; // further up than this call reaches
    assertThrows(() => makeBuffer(device), TypeError, "or no longer; give what write()");
    device.vkDestroyBuffer(buffer);
  });
});

Deno.test("next() is refused once the hook has returned", NEEDS_TINY, () => {
  let late: (() => unknown) | undefined;
  const layer = hooking("vkGetEventStatus", (next, ...args) => {
    late = () => next(...args);
    return next(...args);
  });
  withTinyDevice([layer], (device) => {
    assertEquals(device.vkGetEventStatus(8n as never), 3);
    assertThrows(late!, TypeError, "calls next() of vkGetEventStatus after its hook returned; use this.below() then");
  });
  assertEquals(tinyCount("live_devices"), 0);
});

Deno.test("a hook that calls the API with itself in it ends in an error at the caller", NEEDS_TINY, () => {
  const looping: Layer = hooking("vkGetEventStatus", () => own!.vkGetEventStatus(8n as never));
  let own: VkDevice | undefined;
  withTinyDevice([looping], (device) => {
    own = device;
    assertThrows(() => status(device), RangeError, "call stack");
  });
});

Deno.test("what hooks write is gone from the arena when they return", NEEDS_TINY, () => {
  const writing = defineLayer({
    name: "VK_LAYER_TEST_writing",
    commands: {
      vkGetEventStatus(next, device, event) {
        for (let i = 0; i < 100; i++) this.write("VkPhysicalDeviceProperties", { apiVersion: 1 } as never);
        return next(device, event);
      },
    },
  });
  withTinyDevice([writing], (device) => {
    for (let i = 0; i < 12_000; i++) status(device); // a gigabyte, if it stayed: twice as much as there is room
  });
});

Deno.test("what a hook fails to destroy is destroyed all the same, above and below native layers", NEEDS_TINY, () => {
  const failing = (): Layer =>
    hooking("vkDestroyDevice", () => {
      throw new RangeError("not today");
    });
  for (const layers of [[failing()], [failing(), "a"], ["a", failing()], [failing(), "a", failing()]]) {
    withMixed(layers, (instance) => {
      const device = instance.vkEnumeratePhysicalDevices()[0].vkCreateDevice(DEVICE);
      assertThrows(() => device.vkDestroyDevice(), RangeError, "not today");
      assertEquals(tinyCount("live_devices"), 0);
    });
  }
});

Deno.test("what a failing hook has destroyed by another way is not destroyed again", NEEDS_TINY, () => {
  let own: VkDevice | undefined, buffers = 0, isInside = false;
  const looping = hooking("vkDestroyBuffer", (next, device, buffer, allocator) => {
    if (isInside) return next(device, buffer, allocator);
    isInside = true;
    own!.raw.vkDestroyBuffer(device, buffer, allocator);
    throw new RangeError("after all");
  });
  const counting = hooking("vkDestroyBuffer", (next, ...args) => {
    buffers++;
    return next(...args);
  });
  withTinyDevice([looping, counting], (device) => {
    own = device;
    const buffer = device.vkCreateBuffer({ size: 16n, usage: 2 });
    assertThrows(() => device.vkDestroyBuffer(buffer), RangeError, "after all");
    assertEquals(buffers, 1);
  });
});

Deno.test("nothing is kept of objects that were made and destroyed, a hundred thousand times", NEEDS_TINY, () => {
  const pass: AnyHook = (next, ...args) => next(...args);
  const layer = defineLayer({ name: "VK_LAYER_TEST_pass", commands: { vkCreateBuffer: pass, vkDestroyBuffer: pass } });
  withTinyDevice([layer], (device) => {
    const known = new KnownHandles(layer, "VkBuffer");
    const first = device.vkCreateBuffer({ size: 16n, usage: 2 });
    for (let i = 0; i < 100_000; i++) device.vkDestroyBuffer(device.vkCreateBuffer({ size: 16n, usage: 2 }));
    assertEquals([known.of(device.handle).size, known.of(device.handle).has(first)], [1, true]);
    device.vkDestroyBuffer(first);
    assertEquals(known.of(device.handle).size, 0);
  });
});

Deno.test("an object that a hook makes and destroys again is none that it may return", NEEDS_TINY, () => {
  const fickle: Layer = defineLayer({
    name: "VK_LAYER_TEST_fickle",
    commands: {
      vkCreateBuffer(next, device, ...rest) {
        next(device, ...rest);
        this.below(device).vkDestroyBuffer(device, peek64(rest[2]), 0n);
        return 0;
      },
    },
  });
  assertStringIncludes(refused(fickle, makeBuffer), "which is no VkBuffer that was made below");
});

Deno.test(
  "a layer of two devices knows the objects of each apart, and none of a device that is gone",
  NEEDS_TINY,
  () => {
    const swapping = hooking("vkDestroyBuffer", (next, device, _buffer, allocator) => next(device, other, allocator));
    const layer = {
      ...swapping,
      commands: { ...swapping.commands, vkCreateBuffer: ((next, ...args) => next(...args)) as AnyHook },
    };
    let other = 0n;
    withTinyDevice([layer], (device, vulkan) => {
      using instance = vulkan.vkCreateInstance({});
      const [gpu] = instance.vkEnumeratePhysicalDevices();
      const elsewhere = gpu.vkCreateDevice({ pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] });
      other = elsewhere.vkCreateBuffer({ size: 16n, usage: 2 });
      elsewhere.vkDestroyBuffer(elsewhere.vkCreateBuffer({ size: 16n, usage: 2 })); // it is this device's
      const own = device.vkCreateBuffer({ size: 16n, usage: 2 });
      other = elsewhere.vkCreateBuffer({ size: 16n, usage: 2 });
      assertThrows(() => device.vkDestroyBuffer(own), TypeError, "is no VkBuffer that next() or this.below() made");
      elsewhere.vkDestroyDevice();
      assertThrows(() => device.vkDestroyBuffer(own), TypeError, "is no VkBuffer that next() or this.below() made");
    });
  },
);
