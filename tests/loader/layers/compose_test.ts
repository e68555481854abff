import { assertEquals, assertStrictEquals } from "@std/assert";
import { compose, hookOf } from "../../../loader/layers/compose.ts";
import { defineLayer, type Layer } from "../../../loader/mod.ts";

const last = (...args: unknown[]) => args;

/** A layer with a hook on every command that appends its name to the arguments. */
function appending(name: string): Layer {
  return { name, anyCommand: () => (next, ...args) => next(...args.slice(0, -1), `${args.at(-1)}${name}`) };
}

Deno.test("compose() returns the function itself when no layer hooks the command", () => {
  assertStrictEquals(compose([], "vkQueueSubmit", 4, last), last);
  const other = defineLayer({ name: "other", commands: { vkCreateFence: () => 0 }, anyCommand: () => undefined });
  assertStrictEquals(compose([other], "vkQueueSubmit", 4, last), last);
});

Deno.test("compose() passes every argument through every layer, whatever the arity", () => {
  const layers = ["a", "b", "c"].map(appending);
  for (let arity = 1; arity <= 14; arity++) {
    const args = Array.from({ length: arity }, (_, index) => index + 1);
    const expected = [...args.slice(0, -1), `${arity}abc`];
    assertEquals(compose(layers, "vkQueueSubmit", arity, last)(...args), expected, `arity ${arity}`);
  }
});

Deno.test("hookOf() prefers the named hook to the one for any command", () => {
  const named = () => 1 as never, any = () => 2;
  const layer = { name: "x", commands: { vkQueueSubmit: named }, anyCommand: () => any };
  assertStrictEquals(hookOf(layer, "vkQueueSubmit"), named);
  assertStrictEquals(hookOf(layer, "vkQueueWaitIdle"), any);
});

Deno.test("compose() asks anyCommand once, when the command is composed", () => {
  const asked: string[] = [];
  const layer: Layer = {
    name: "asking",
    anyCommand(command) {
      asked.push(command);
      return (next, ...args) => next(...args);
    },
  };
  const call = compose([layer], "vkQueueWaitIdle", 1, last);
  for (let i = 0; i < 3; i++) call(1n);
  assertEquals(asked, ["vkQueueWaitIdle"]);
});
