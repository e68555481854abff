import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { peek64, poke64 } from "../../../../ffi/machine.ts";
import { countKnown } from "../../../../loader/layers/guard/known_handles.ts";
import { type AnyHook, defineLayer, type Layer } from "../../../../loader/mod.ts";
import type { VkDevice } from "../../../../loader/types.ts";
import { lavapipePath } from "../../../../tools/setup/parts.ts";
import { openDevice } from "../../../support/device.ts";
import { needs } from "../../../support/require.ts";

const LAVAPIPE = needs("Mesa lavapipe", lavapipePath());
const ROUNDS = 10_000;
const pass: AnyHook = (next, ...args) => next(...args);

/** The objects of which a device makes sets. */
class Sets {
  readonly device: VkDevice;
  readonly #layout;

  constructor(device: VkDevice) {
    this.device = device;
    this.#layout = device.vkCreateDescriptorSetLayout({
      pBindings: [{ binding: 0, descriptorType: 6, descriptorCount: 1, stageFlags: 1 }],
    });
  }

  pool() {
    return this.device.vkCreateDescriptorPool({
      flags: 1,
      maxSets: 4,
      pPoolSizes: [{ type: 6, descriptorCount: 4 }],
    });
  }

  from(descriptorPool: ReturnType<Sets["pool"]>, count: number) {
    const pSetLayouts = Array.from({ length: count }, () => this.#layout);
    return this.device.vkAllocateDescriptorSets({ descriptorPool, pSetLayouts });
  }

  close(): void {
    this.device.vkDestroyDescriptorSetLayout(this.#layout);
  }
}

/** Uses a device of lavapipe under a layer. */
function under(layer: Layer, use: (sets: Sets, known: (type: string) => { handles: number; pools: number }) => void) {
  using open = openDevice({ driver: lavapipePath()!, layers: [layer] });
  const sets = new Sets(open.device);
  use(sets, (type) => countKnown(layer, peek64(open.device.handle), type));
  sets.close();
}

Deno.test("a layer's known handles go with a reset, a freed set, and the pool they came from", LAVAPIPE, () => {
  const layer = defineLayer({
    name: "VK_LAYER_TEST_pools",
    commands: { vkAllocateDescriptorSets: pass, vkAllocateCommandBuffers: pass },
  });
  under(layer, (sets, known) => {
    const { device } = sets, descriptorPool = sets.pool(), kept = sets.pool();
    sets.from(kept, 1);
    for (let round = 0; round < ROUNDS; round++) {
      const [first] = sets.from(descriptorPool, 3);
      if (round % 2 === 0) device.vkFreeDescriptorSets(descriptorPool, [first]);
      assertEquals(known("VkDescriptorSet").handles, round % 2 === 0 ? 3 : 4);
      device.vkResetDescriptorPool(descriptorPool, 0);
    }
    assertEquals(known("VkDescriptorSet"), { handles: 1, pools: 1 });
    for (let round = 0; round < ROUNDS / 10; round++) {
      const pool = sets.pool();
      sets.from(pool, 4);
      device.vkDestroyDescriptorPool(pool);
    }
    assertEquals(known("VkDescriptorSet"), { handles: 1, pools: 1 });
    for (const pool of [descriptorPool, kept]) device.vkDestroyDescriptorPool(pool);
    assertEquals(known("VkDescriptorSet"), { handles: 0, pools: 0 });
    for (let round = 0; round < ROUNDS / 10; round++) {
      const commandPool = device.vkCreateCommandPool({});
      const [first] = device.vkAllocateCommandBuffers({ commandPool, level: 0, commandBufferCount: 3 });
      device.vkFreeCommandBuffers(commandPool, [first]);
      device.vkResetCommandPool(commandPool); // frees none
      assertEquals(known("VkCommandBuffer"), { handles: 2, pools: 1 });
      device.vkDestroyCommandPool(commandPool);
    }
    assertEquals(known("VkCommandBuffer"), { handles: 0, pools: 0 });
  });
});

Deno.test(
  "a hook may use another pool's set after a pool was reset or destroyed, and none of that pool",
  LAVAPIPE,
  () => {
    let instead = 0n;
    const sharing: AnyHook = (next, ...args) => {
      if (instead === 0n) return next(...args);
      poke64(args[2], instead);
      return 0;
    };
    const layer = defineLayer({ name: "VK_LAYER_TEST_other", commands: { vkAllocateDescriptorSets: sharing } });
    under(layer, (sets) => {
      const { device } = sets, pools = [sets.pool(), sets.pool(), sets.pool()];
      const [reset, destroyed, kept] = pools.map((pool) => sets.from(pool, 1)[0] as unknown as bigint);
      device.vkResetDescriptorPool(pools[0], 0);
      device.vkDestroyDescriptorPool(pools[1]);
      instead = kept;
      assertEquals(sets.from(pools[0], 1)[0] as unknown as bigint, kept);
      for (const gone of [reset, destroyed]) {
        instead = gone;
        const { message } = assertThrows(() => sets.from(pools[0], 1), TypeError);
        assertStringIncludes(message, "which is no VkDescriptorSet that was made below");
      }
      for (const pool of [pools[0], pools[2]]) device.vkDestroyDescriptorPool(pool);
    });
  },
);
