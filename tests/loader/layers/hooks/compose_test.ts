import { assertEquals, assertStrictEquals } from "@std/assert";
import { NativeBlock } from "../../../../ffi/block.ts";
import { commandSignature } from "../../../../loader/command/plan.ts";
import { type Command, findCommand } from "../../../../loader/command/registry/table.ts";
import { DEVICE_NAMES, INSTANCE_NAMES } from "../../../../loader/gen/command_table_gen.js";
import { gettingOf } from "../../../../loader/layers/guard/made.ts";
import { destroyingOf, makingOf } from "../../../../loader/layers/define/object_pairs.ts";
import { compose, hookOf } from "../../../../loader/layers/hooks/hooks.ts";
import { defineLayer, type Layer } from "../../../../loader/mod.ts";

const last = () => 0;

/** A layer with a hook on every command that notes its name. */
function passing(name: string, seen: string[]): Layer {
  return {
    name,
    anyCommand: () => (next, ...args) => {
      seen.push(name);
      return next(...args);
    },
  };
}

/** Whether handles or mappings are looked at that a command returns or ends. */
function looksAtMemory({ name, params }: Command): boolean {
  if (makingOf(name) || destroyingOf(name) || gettingOf(findCommand(name)!)) return true;
  return params.some(({ type, stars }) => type === "void" && stars === 2);
}

Deno.test("compose() returns the function itself when no layer hooks the command", () => {
  assertStrictEquals(compose([], findCommand("vkQueueSubmit")!, last), last);
  const other = defineLayer({ name: "other", commands: { vkCreateFence: () => 0 }, anyCommand: () => undefined });
  assertStrictEquals(compose([other], findCommand("vkQueueSubmit")!, last), last);
});

Deno.test("compose() passes every argument through every layer, whatever the arity", () => {
  const seen: string[] = [], layers = ["a", "b", "c"].map((name) => passing(name, seen));
  const arities = new Set<number>();
  for (const name of `${INSTANCE_NAMES} ${DEVICE_NAMES}`.split(" ")) {
    const command = findCommand(name)!, { length } = command.params;
    if (looksAtMemory(command)) continue;
    const [result, ...letters] = commandSignature(command, "raw").replace(":", "");
    const args = letters.map((letter, index) => letter === "q" ? BigInt(index) : index);
    const answer = result === "q" ? 7n : 7, expected = result === "v" ? undefined : answer;
    seen.length = 0;
    const call = compose(layers, command, (...args) => {
      seen.push(args.join(" "));
      return answer;
    });
    assertEquals([call(...args), seen], [expected, ["a", "b", "c", args.join(" ")]], name);
    arities.add(length);
  }
  assertEquals([Math.min(...arities), Math.max(...arities)], [1, 15]);
});

Deno.test("compose() passes every argument of commands that make and destroy, too", () => {
  using memory = new NativeBlock(4096); // whatever points there finds no handles
  const layer = passing("watching", []), counts = new Set<number>();
  for (const name of `${INSTANCE_NAMES} ${DEVICE_NAMES}`.split(" ")) {
    const command = findCommand(name)!, [result, ...letters] = commandSignature(command, "raw").replace(":", "");
    if (!looksAtMemory(command) || result === "v" && !destroyingOf(name)) continue;
    const args = letters.map((letter, index) => letter === "q" ? memory.address + BigInt(64 * index) : index);
    const answer = result === "v" ? undefined : -3, seen: unknown[] = [];
    const call = compose([layer, layer], command, (...args) => {
      seen.push(args);
      return answer;
    });
    for (let i = 0; i < 2; i++) assertEquals(call(...args), answer, name);
    assertEquals(seen, [args, args], name);
    counts.add(letters.length);
  }
  assertEquals([Math.min(...counts), Math.max(...counts)], [2, 7]);
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
  const call = compose([layer], findCommand("vkQueueWaitIdle")!, last);
  for (let i = 0; i < 3; i++) call(1n);
  assertEquals(asked, ["vkQueueWaitIdle"]);
});
