import { assertEquals, assertThrows } from "@std/assert";
import { NativeBlock } from "../../../../ffi/block.ts";
import { poke32, poke64 } from "../../../../ffi/machine.ts";
import { defineLayer, type LayerContext } from "../../../../loader/mod.ts";
import { NEEDS_TINY, withTinyDevice } from "../../tiny.ts";

type Context = LayerContext<Record<never, never>>;

/** Calls `use` with what `this` is in a hook. */
function inHook(use: (context: Context) => void): void {
  const layer = defineLayer({
    name: "VK_LAYER_TEST_reading",
    commands: {
      vkGetEventStatus() {
        use(this);
        return 0;
      },
    },
  });
  withTinyDevice([layer], (device) => void device.vkGetEventStatus(8n as never));
}

const HIGH = 0xdead_0000_0000_1000n;

Deno.test("NULL is null for everything that a hook reads", NEEDS_TINY, () => {
  inHook((context) => {
    const { handles, u32, i32, u64, f32, bytes, text } = context;
    assertEquals(context.read("VkBufferCreateInfo", 0n), null);
    assertEquals(context.readAll("VkBufferCreateInfo", 0n, 3), null);
    assertEquals([handles(0n, 2), u32(0n), i32(0n), u64(0n), f32(0n)], [null, null, null, null, null]);
    assertEquals([u32(0n, 2), i32(0n, 2), u64(0n, 2), f32(0n, 0), bytes(0n, 9), text(0n)], Array(6).fill(null));
  });
});

Deno.test("a struct of another sType is refused by both names", NEEDS_TINY, () => {
  inHook((context) => {
    const buffer = context.write("VkBufferCreateInfo", { size: 4n, usage: 2 });
    const wrong = (read: () => unknown) => assertThrows(read, TypeError).message;
    assertEquals(
      wrong(() => context.read("VkImageCreateInfo", buffer)).replace(/0x\w+$/, "…"),
      "Cannot read a VkImageCreateInfo (sType 14): VkBufferCreateInfo (sType 12) is at …",
    );
    const both = context.writeAll("VkFenceCreateInfo", [{}, {}]);
    poke32(both + 24n, 12);
    assertEquals(wrong(() => context.readAll("VkFenceCreateInfo", both, 2)).includes("VkBufferCreateInfo"), true);
    poke32(both, 0x7fffffff);
    assertEquals(wrong(() => context.read("VkFenceCreateInfo", both)).includes("registry does not know"), true);
    assertEquals(context.read("VkExtent2D", both).width, 0x7fffffff); // has no sType
  });
});

Deno.test("memory that is not there is refused, whatever is read", NEEDS_TINY, () => {
  inHook((context) => {
    const old = context.write("VkBufferCreateInfo", { size: 4n, usage: 2 }) + (1n << 20n); // above what is in use
    for (const address of [8n, HIGH, -1n, old]) {
      const reads: (() => unknown)[] = [
        () => context.read("VkBufferCreateInfo", address),
        () => context.readAll("VkExtent2D", address, 2),
        () => context.handles(address, 1),
        () => context.u32(address),
        () => context.f32(address, 3),
        () => context.bytes(address, 1),
        () => context.text(address),
      ];
      for (const read of reads) assertThrows(read, TypeError, "no memory is there, or no longer");
    }
    const wrong = (read: () => unknown) => assertThrows(read, TypeError, "give ");
    wrong(() => context.u32(4 as never));
    wrong(() => context.read("VkExtent2D", undefined as never));
    for (const count of [-1, 1.5, NaN, 2 ** 32, 4n]) wrong(() => context.handles(old, count as never));
  });
});

Deno.test("a hook reads handles, numbers, bytes and text at an address", NEEDS_TINY, () => {
  using block = new NativeBlock(8192);
  const { address, bytes } = block;
  poke64(address, 0xffff_ffff_ffff_fffen);
  poke64(address + 8n, 7n);
  poke32(address + 16n, 0x3f800000);
  bytes.set(new TextEncoder().encode("ä".repeat(2500)), 100);
  inHook((context) => {
    assertEquals(context.handles(address, 2), [0xffff_ffff_ffff_fffen, 7n]);
    assertEquals([context.u64(address), context.u32(address), context.i32(address)], [2n ** 64n - 2n, 2 ** 32 - 2, -2]);
    assertEquals([context.u32(address + 8n, 2), context.i32(address, 2)], [[7, 0], [-2, -1]]);
    assertEquals([context.f32(address + 16n), context.f32(address + 16n, 2)], [1, [1, 0]]);
    assertEquals([context.u64(address, 0), context.bytes(address + 8n, 2)], [[], new Uint8Array([7, 0])]);
    assertEquals(context.text(address + 100n), "ä".repeat(2500)); // over the end of a page
    assertEquals(context.text(address + 8191n), "");
  });
});

Deno.test("a hook reads the handles and the count of a call that asks for the count alone", NEEDS_TINY, () => {
  const seen: unknown[] = [];
  const layer = defineLayer({
    name: "VK_LAYER_TEST_counting",
    commands: {
      vkEnumeratePhysicalDevices(next, instance, pCount, pDevices) {
        const result = next(instance, pCount, pDevices);
        seen.push(this.handles(pDevices, this.u32(pCount))?.length ?? null);
        return result;
      },
    },
  });
  withTinyDevice([layer], () => {});
  assertEquals(seen, [null, 1]);
});
