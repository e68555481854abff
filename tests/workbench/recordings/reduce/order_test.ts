import { assertEquals } from "@std/assert";
import { Order } from "../../../../workbench/recordings/reduce/replays.ts";

Deno.test("Order lets the validation layer judge first until the drivers refuse more, and again after a crash", () => {
  const order = new Order(), turns: boolean[] = [];
  for (let count = 0; count < 5; count++) {
    turns.push(order.validatesFirst);
    order.refusedByDrivers(false);
  }
  assertEquals(turns, [true, true, true, true, false]);
  order.refusedByDrivers(true);
  assertEquals(order.validatesFirst, true);
});

Deno.test("Order lets the validation layer judge first again once that refuses more", () => {
  const order = new Order();
  for (let count = 0; count < 100; count++) order.refusedByDrivers(false);
  let more = 0;
  while (!order.validatesFirst) {
    order.refusedByValidation();
    more++;
  }
  assertEquals(more, 5);
});
