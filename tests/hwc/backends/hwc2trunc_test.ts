import { assertEquals } from "@std/assert";
import { NativeBlock } from "../../../ffi/block.ts";
import { Library } from "../../../ffi/library/library.ts";
import { bindByAddress } from "../../../ffi/stubs.ts";
import { createReferenceBackend } from "../../../hwc/backends/create.ts";
import { hwc2Blend } from "../../../hwc/backends/reference/rule_hwc2trunc.ts";
import { BLEND } from "../../../hwc/types.ts";
import { compilerPath } from "../../../tools/setup/parts.ts";
import { compileFixture } from "../../support/compile.ts";
import { needs } from "../../support/require.ts";
import { colorLayer, composed, layerOf, picture } from "./canvas.ts";
import { sceneCount } from "./scene.ts";

const MOST = 5;

Deno.test({
  name: "hwc2Blend() computes what the suite's arithmetic in C does for random stacks",
  ...needs("C compiler", compilerPath()),
  fn() {
    using library = Library.open(compileFixture("hwc2_blend")!);
    using block = new NativeBlock(6 * MOST);
    const blend = bindByAddress("w:qw"), address = library.require("hwc2_blend"), state = new Float64Array(4);
    for (let stack = 0; stack < 2000 * sceneCount(100); stack++) {
      const count = 1 + stack % MOST;
      crypto.getRandomValues(block.bytes.subarray(0, 6 * MOST));
      state.fill(0);
      for (let layer = 0; layer < count; layer++) {
        const bytes = block.bytes.subarray(6 * layer, 6 * layer + 6), alpha = (bytes[4] | bytes[5] << 8) % 1001;
        bytes[0] = 1 + bytes[0] % 3, bytes[4] = alpha & 255, bytes[5] = alpha >> 8;
        hwc2Blend(bytes[0], Float64Array.of(bytes[1], bytes[2], bytes[3], 255), Math.fround(alpha / 1000), state);
      }
      const word = (Math.trunc(Math.fround(state[3] * 255)) << 24 | state[2] << 16 | state[1] << 8 | state[0]) >>> 0;
      assertEquals(word, blend(block.address, count, address), `stack ${[...block.bytes.subarray(0, 6 * count)]}`);
    }
  },
});

Deno.test("compose() by hwc2trunc cuts off twice a layer", () => {
  using backend = createReferenceBackend();
  using below = picture(1, [0xff0000ff]), above = picture(1, [0xff00ff33]);
  const veil = layerOf(above, { blend: BLEND.PREMULTIPLIED, planeAlpha: 0.5, z: 1 });
  // 51·½ = 25.5 is 25, 255·½ = 127.5 stays a fraction: 152.5 is 152. Green: 127.5 is 127.
  assertEquals(composed(backend, [1, 1], [layerOf(below), veil], { rule: "hwc2trunc" }), [0xff007f98]);
});

Deno.test("compose() by hwc2trunc takes the pixel at the corner, and replaces by colours", () => {
  using backend = createReferenceBackend();
  using buffer = picture(4, [0xff000001, 0xff000002, 0xff000003, 0xff000004]);
  const scaled = layerOf(buffer, { displayFrame: { left: 0, top: 0, right: 3, bottom: 1 } });
  assertEquals(composed(backend, [3, 1], [scaled], { rule: "hwc2trunc" }), [0xff000001, 0xff000002, 0xff000003]);
  const color = colorLayer([0.2, 0.4, 0.6, 0.5], [0, 0, 1, 1], { blend: BLEND.PREMULTIPLIED, z: 2 });
  const [first] = composed(backend, [3, 1], [scaled, color], { rule: "hwc2trunc" });
  assertEquals(first & 0xffffff, 0x996633);
});
