import { assertEquals } from "@std/assert";
import { layoutOf } from "../../../../loader/codec/layout/layout.ts";
import { arraysCountedBy, evaluateLength, lengthOf } from "../../../../loader/codec/layout/form.ts";

Deno.test("evaluateLength() computes with C's integer division", () => {
  const values: Record<string, number> = { a: 33, b: 2 };
  const evaluate = (text: string) => evaluateLength(text, (name) => values[name]);
  assertEquals(["(a+31)/32", "2*16", "a-1", "a/b*b", "b"].map(evaluate), [2, 32, 32, 32, 2]);
});

Deno.test("lengthOf() tells counts, byte sizes and constants apart", () => {
  const of = (struct: string, name: string) => {
    const layout = layoutOf(struct);
    return lengthOf(layout, layout.fields.find((field) => field.name === name)!);
  };
  assertEquals(of("VkSubmitInfo", "pCommandBuffers")?.count, "commandBufferCount");
  assertEquals(of("VkShaderModuleCreateInfo", "pCode")?.bytes, "codeSize");
  assertEquals(of("VkAccelerationStructureVersionInfoKHR", "pVersionData")?.constant, 32);
  assertEquals(of("StdVideoH265HrdParameters", "pSubLayerHrdParametersNal"), undefined);
  assertEquals(of("VkSubmitInfo", "pNext"), undefined);
});

Deno.test("arraysCountedBy() finds all arrays that share a count", () => {
  const layout = layoutOf("VkSubmitInfo"), count = layout.fields.find(({ name }) => name === "waitSemaphoreCount")!;
  assertEquals(arraysCountedBy(layout, count).map(({ name }) => name), ["pWaitSemaphores", "pWaitDstStageMask"]);
});
