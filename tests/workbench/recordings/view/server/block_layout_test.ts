import { assertEquals } from "@std/assert";
import { parseLayout, rowCount, rowOf } from "../../../../../workbench/recordings/view/page/layout.js";
import type { ShaderVariable } from "../../../../../workbench/recordings/view/reflection.ts";
import { blockLayout, descriptorLayout } from "../../../../../workbench/recordings/view/server/block_layout.ts";
import type { EventShader } from "../../../../../workbench/recordings/view/types.ts";

const member = (name: string, type: string, offset?: number): ShaderVariable =>
  ({ name, type, ...offset !== undefined && { offset } }) as ShaderVariable;

/** The numbers of a layout's members in bytes whose words are 0, 1, 2 and so on. */
function read(layout: string, row = 0): Record<string, number[]> {
  const words = Uint32Array.from({ length: 256 }, (_, at) => at), parsed = parseLayout(layout);
  const whole = { ...parsed, members: parsed.members.map((each: object) => ({ ...each, type: "u32" })) };
  const numbers = rowOf(whole, new DataView(words.buffer), 0, row);
  return Object.fromEntries(parsed.members.map(({ name }: { name: string }, at: number) => [name, numbers[at]]));
}

Deno.test("blockLayout() reads the members of a block where the shader says they are", () => {
  const block = [
    member("colour", "vec4", 0),
    member("size", "float", 16),
    member("place", "vec3", 32),
    member("turn", "mat4", 48),
  ];
  const { layout, isOnce } = blockLayout(block)!, found = read(layout);
  assertEquals(isOnce, true);
  assertEquals(found.colour, [0, 1, 2, 3]);
  assertEquals([found.size, found.place], [[4], [8, 9, 10]]);
  assertEquals(found.turn, Array.from({ length: 16 }, (_, at) => 12 + at));
});

Deno.test("blockLayout() reads arrays without gaps as they are, and others as words up to the next member", () => {
  const found = read(
    blockLayout([member("lights", "vec4[2]", 0), member("weights", "float[3]", 32), member("last", "int", 80)])!.layout,
  );
  assertEquals(found.lights, [0, 1, 2, 3, 4, 5, 6, 7]);
  assertEquals(found.weights_words, [8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19]); // their gaps are not known
  assertEquals(found.last, [20]);
  assertEquals(read(blockLayout([member("inner", "Light", 4)])!.layout).inner_words, [1]);
});

Deno.test("blockLayout() reads an array without end row by row, with the gaps of three numbers", () => {
  const words = blockLayout([member("values", "uint[]", 8)])!, vectors = blockLayout([member("points", "vec3[]", 0)])!;
  assertEquals([words.isOnce, vectors.isOnce], [false, false]);
  assertEquals([0, 1, 2].map((row) => read(words.layout, row).values), [[2], [3], [4]]);
  assertEquals([0, 1, 2].map((row) => read(vectors.layout, row).points), [[0, 1, 2], [4, 5, 6], [8, 9, 10]]);
  assertEquals(rowCount(parseLayout(words.layout), 20, 0), 3);
});

Deno.test("blockLayout() makes names that are markup plain, and has nothing for a block without places", () => {
  const found = read(blockLayout([member("<b>x", "float", 0), member("", "float", 4)])!.layout);
  assertEquals(found, { _b_x: [0], member1: [1] });
  assertEquals(blockLayout([]), undefined);
  assertEquals(blockLayout([member("nowhere", "float")]), undefined);
});

Deno.test("descriptorLayout() finds the block of a set and binding among all shaders", () => {
  const descriptor = (set: number, binding: number, ...members: ShaderVariable[]) => ({
    set,
    binding,
    members,
    name: "",
    type: "",
  });
  const shader = (...descriptors: object[]) => ({
    reflection: { inputs: [], outputs: [], pushConstants: [], descriptors },
  });
  const shaders = [
    shader(descriptor(0, 1, member("one", "float", 0)), descriptor(1, 1)),
    {},
    shader(descriptor(1, 1, member("two", "float", 4))),
  ] as unknown as EventShader[];
  assertEquals(read(descriptorLayout(shaders, 0, 1)!.layout), { one: [0] });
  assertEquals(read(descriptorLayout(shaders, 1, 1)!.layout), { two: [1] });
  assertEquals(descriptorLayout(shaders, 2, 0), undefined);
});
