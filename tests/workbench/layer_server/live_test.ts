import { assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { serveLayers } from "../../../workbench/layers.ts";
import { defineLayer, type Layer } from "../../../loader/mod.ts";
import { APP, NEEDS_PROGRAMS, runServed } from "./programs.ts";

/** Adds bytes to each buffer. */
function adding(name: string, bytes: bigint): Layer {
  return defineLayer({
    name: `VK_LAYER_TEST_${name}`,
    commands: {
      vkCreateBuffer(next, device, pCreateInfo, ...rest) {
        const info = this.read("VkBufferCreateInfo", pCreateInfo);
        return next(device, this.write("VkBufferCreateInfo", { ...info, size: info.size + bytes }), ...rest);
      },
    },
  });
}

/** A layer that has something done at certain vkDestroyBuffer calls, which stand between the creations. */
function acting(actions: Readonly<Record<number, () => void>>): Layer {
  let buffers = 0;
  return defineLayer({
    name: "VK_LAYER_TEST_acting",
    commands: {
      vkDestroyBuffer(next, ...args) {
        next(...args);
        actions[++buffers]?.();
      },
    },
  });
}

Deno.test(
  "serveLayers() with live: layers come, change places and go while a program runs, also for commands that nobody hooked",
  NEEDS_PROGRAMS,
  async () => {
    const first = adding("first", 1024n), other = adding("other", 4096n), more = adding("more", 16384n);
    const layers = [acting({
      1: () => server.attach(first),
      2: () => server.attach(more, { below: first }),
      3: () => server.replace(first, other),
      4: () => server.detach(more),
      5: () => server.detach(other),
    })];
    await using server = await serveLayers({ layers, live: true });
    const { stdout, stderr } = await runServed(server, [APP!, "results", "6"]);
    assertEquals([stdout, stderr], ["1024 2048 18432 21504 5120 1024 \n", ""]);
  },
);

Deno.test(
  "serveLayers() lets a layer in the place of another keep its state, and the other stays if that throws",
  NEEDS_PROGRAMS,
  async () => {
    const counts: string[] = [];
    const version = (number: number, onReplace?: () => void) =>
      defineLayer({
        name: `VK_LAYER_TEST_version${number}`,
        onCreate: { VkDevice: () => ({ made: 0 }) },
        onReplace(old) {
          onReplace?.();
          old.keep("VkDevice");
        },
        commands: {
          vkCreateBuffer(next, device, ...rest) {
            counts.push(`${number}: ${++this.state.VkDevice(device).made}`);
            return next(device, ...rest);
          },
        },
      });
    const old = version(1), next = version(2);
    const broken = version(3, () => {
      throw new Error("not today");
    });
    const layers = [
      old,
      acting({
        2: () => server.replace(old, next),
        4: () => assertMatch(assertThrows(() => server.replace(next, broken), Error).message, /not today; .* stays/),
      }),
    ];
    await using server = await serveLayers({ layers });
    await runServed(server, [APP!, "results", "5"]);
    assertEquals(counts, ["1: 1", "1: 2", "2: 3", "2: 4", "2: 5"]);
  },
);

Deno.test(
  "serveLayers() without live refuses layers that hook other commands than those at the start",
  NEEDS_PROGRAMS,
  async () => {
    const first = adding("first", 1024n), later = acting({});
    await using server = await serveLayers({ layers: [first] });
    const { message } = assertThrows(() => server.attach(later), TypeError);
    assertStringIncludes(message, "it hooks vkDestroyBuffer, which no layer hooked at the start");
    assertThrows(() => server.replace(first, later), TypeError, "live: true");
    assertThrows(() => server.detach(later), TypeError, "it is not attached");
    assertEquals((await runServed(server, [APP!, "buffers", "1"])).stdout, "2048 bytes\n");
  },
);
