import { assertEquals } from "@std/assert";
import { Boxes, isIn, type LooseBox } from "../../../../../workbench/recordings/compare/tolerances/boxes.ts";
import { computed, UNDEFINED } from "../../../../../workbench/recordings/compare/tolerances/permitted_difference.ts";
import { VK_FORMAT_R32_SFLOAT } from "../../../../../loader/vk.ts";

const COMPUTED = computed(VK_FORMAT_R32_SFLOAT, "color");

function square(from: number, to: number, permitted = COMPUTED): LooseBox {
  return { from: [from, from, 0], to: [to, to, 1], permitted, phase: 0 };
}

/** The knowledge about each place of a square of four. */
function drawn(boxes: Boxes): string[] {
  const letter = (x: number, y: number) => {
    const found = boxes.all.findLast((box) => isIn([x, y, 0], box));
    return found ? found.permitted.is[0] : ".";
  };
  return [0, 1, 2, 3].map((y) => [0, 1, 2, 3].map((x) => letter(x, y)).join(""));
}

Deno.test("Boxes take what is defined out of what is loose, and the latest permitted counts", () => {
  const boxes = new Boxes();
  boxes.add(square(0, 4));
  boxes.remove(square(1, 3));
  assertEquals(drawn(boxes), ["tttt", "t..t", "t..t", "tttt"]);
  boxes.add(square(2, 4, UNDEFINED));
  assertEquals(drawn(boxes), ["tttt", "t..t", "t.uu", "ttuu"]);
  assertEquals(boxes.within(square(2, 3)).map(({ permitted }) => permitted), [UNDEFINED]);
});

Deno.test("Boxes stay few where a program adds the same box, rows, or boxes without end", () => {
  const boxes = new Boxes();
  for (let turn = 0; turn < 10; turn++) boxes.add(square(0, 4));
  assertEquals(boxes.all.length, 1);
  const rows = new Boxes();
  for (let y = 0; y < 10; y++) rows.add({ ...square(0, 1), from: [0, y, 0], to: [4, y + 1, 1] });
  assertEquals(rows.all, [{ ...square(0, 1), to: [4, 10, 1] }]);
  for (let x = 0; x < 5000; x++) rows.add({ ...square(0, 1), from: [2 * x, 20, 0], to: [2 * x + 1, 21, 1] });
  assertEquals([rows.all.length < 2000, isIn([9998, 20, 0], rows.all.at(-1)!)], [true, true]);
});
