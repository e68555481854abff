import { assertEquals, assertThrows } from "@std/assert";
import { arena } from "../../../../ffi/arena.ts";
import { codec, type StructObject } from "../../../../loader/codec/codec.ts";
import { encoded, roundTrip, withArena } from "../memory_support.ts";

/** A NaN with a payload: no JavaScript number keeps these bits. */
const NAN_BITS = 0x7fa0_1234;

Deno.test("a union without a selector decodes to all its members and encodes to the same bytes", () => {
  withArena(() => {
    const place = encoded("VkClearColorValue", { uint32: [NAN_BITS, 1, 2, 3] });
    const decoded = codec("VkClearColorValue").decode(place);
    assertEquals(decoded.uint32, [NAN_BITS, 1, 2, 3]);
    assertEquals((decoded.float32 as number[])[0], NaN);
    const again = encoded("VkClearColorValue", decoded);
    assertEquals(arena().view.getUint32(again, true), NAN_BITS);
  });
});

Deno.test("a decoded union takes the member that was changed", () => {
  withArena(() => {
    const decoded = codec("VkClearValue").decode(encoded("VkClearValue", { color: { uint32: [NAN_BITS, 1, 2, 3] } }));
    const color = decoded.color as StructObject;
    color.float32 = [1, 0, 0, 1];
    const again = codec("VkClearValue").decode(encoded("VkClearValue", { color }));
    assertEquals((again.color as StructObject).float32, [1, 0, 0, 1]);
  });
});

Deno.test("a decoded union with two changed members is refused", () => {
  withArena(() => {
    const decoded = codec("VkClearColorValue").decode(encoded("VkClearColorValue", { int32: [1] }));
    Object.assign(decoded, { int32: [5, 0, 0, 0], float32: [1, 2, 3, 4] });
    assertThrows(() => encoded("VkClearColorValue", decoded), TypeError, "found float32 and int32");
  });
});

Deno.test("pointers of a union without a selector are not followed", () => {
  const decoded = roundTrip("VkDeviceOrHostAddressConstKHR", { deviceAddress: 0xdead_0000n });
  assertEquals([decoded.deviceAddress, decoded.hostAddress], [0xdead_0000n, 0xdead_0000n]);
});

Deno.test("a union of unknown selection keeps its bytes inside its struct", () => {
  withArena(() => {
    const data = { pPushConstant: { updateRange: { size: 4 } } };
    const place = encoded("VkIndirectCommandsLayoutTokenEXT", { type: 1, data });
    arena().view.setInt32(place + 16, 123_456, true);
    const decoded = codec("VkIndirectCommandsLayoutTokenEXT").decode(place);
    assertEquals(typeof (decoded.data as StructObject).pPushConstant, "bigint");
    const again = encoded("VkIndirectCommandsLayoutTokenEXT", decoded);
    assertEquals(arena().view.getBigUint64(again + 24, true), arena().view.getBigUint64(place + 24, true));
  });
});

Deno.test("a union with a selector decodes to the selected member alone", () => {
  const statistic = roundTrip("VkPipelineExecutableStatisticKHR", { name: "n", format: 2, value: { u64: 9n } });
  assertEquals(statistic.value, { u64: 9n });
});

Deno.test("encode() wants exactly one member of a union", () => {
  const message = "expected exactly one member of union VkClearValue (color, depthStencil)";
  withArena(() => {
    assertThrows(() => encoded("VkClearValue", {}), TypeError, `${message}, found none`);
    assertThrows(
      () => encoded("VkClearValue", { color: { int32: [] }, depthStencil: {} }),
      TypeError,
      "found color and depthStencil",
    );
    assertThrows(
      () => encoded("VkRenderPassBeginInfo", { renderPass: 1n, framebuffer: 2n, pClearValues: [{ colour: 1 }] }),
      TypeError,
      "VkRenderPassBeginInfo.pClearValues[0].colour is not a member; did you mean color?",
    );
  });
});
