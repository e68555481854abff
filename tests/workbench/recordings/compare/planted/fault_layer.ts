/**
 * A layer with one fault, which is read from the file that the variable
 * `PLANTED` names whenever an instance is made: one process can have many
 * faults, one after the other.
 *
 * @module
 */
import { defineLayer } from "../../../../../loader/mod.ts";
import type { Layer } from "../../../../../loader/layer.ts";
import { Calls } from "./calls.ts";
import { type Fault, keyOf } from "./fault.ts";
import { KINDS } from "./kinds.ts";
import { type Hook, type Raw, readArguments, writeArguments } from "./raw_arguments.ts";

type Next = (...args: Raw) => unknown;

/** The changes that a layer makes to the calls of a program. */
export interface Doings {
  /** The fault; undefined for none. */
  readonly fault?: Fault;
  /** The calls that are left out besides, by their keys; or how many command buffers of them are executed. */
  readonly without?: ReadonlySet<string>;
}

const COMMANDS = [...new Set(KINDS.flatMap(({ commands }) => commands))];
const CHANGES = new Map(KINDS.map(({ name, change }) => [name, change]));

/** Returns a layer that hooks the commands of all kinds, and more. What it does is asked when an instance is made. */
export function faultLayer(ask: () => Doings, more: readonly string[] = []): Layer {
  let calls = new Calls(), { fault, without }: Doings = {};
  const noting = (note: (self: Hook, raw: Raw) => void) =>
    function (this: Hook, next: Next, ...raw: Raw) {
      const result = next(...raw);
      note(this, raw);
      return result;
    };
  const hooks = [...new Set([...COMMANDS, ...more])].map((command) => [
    command,
    function (this: Hook, next: Next, ...raw: Raw) {
      const place = calls.placeOf(this, command, raw);
      if (!place) return next(...raw);
      const key = keyOf(place);
      if (without?.has(key)) return;
      return fault && keyOf(fault) === key && !changed(this, fault, raw) ? undefined : next(...raw);
    },
  ]);
  return defineLayer({
    name: "VK_LAYER_TEST_fault",
    commands: {
      ...Object.fromEntries(hooks),
      vkCreateInstance(next: Next, ...raw: Raw) {
        calls = new Calls();
        ({ fault, without } = ask());
        return next(...raw);
      },
      vkCreateBuffer: noting((self, raw) => calls.bufferCreated(self, raw)),
      vkDestroyBuffer: noting((_, raw) => calls.bufferDestroyed(raw)),
      vkAllocateCommandBuffers: noting((self, raw) => calls.allocated(self, raw)),
    } as Layer["commands"],
  });
}

/** Changes a call. Returns whether the call is made. */
function changed(self: Hook, { kind, command }: Fault, raw: Raw): boolean {
  const args = readArguments(self, command, raw), change = CHANGES.get(kind)!(args);
  if (change === "changed") writeArguments(self, command, raw, args);
  if (change === "unsuitable") throw new TypeError(`the fault "${kind}" does not suit this ${command}`);
  return change !== "left out";
}

const told = Deno.env.get("PLANTED");
export default told === undefined ? undefined : faultLayer(() => ({ fault: JSON.parse(Deno.readTextFileSync(told)) }));
