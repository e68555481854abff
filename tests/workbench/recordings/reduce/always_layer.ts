/**
 * A layer with a fault of one kind in every call that can have it, as a driver
 * has a fault. The kind's name is read from the file that the variable `ALWAYS`
 * names whenever an instance is made. What a replay does on its own has no
 * fault.
 *
 * @module
 */
import type { Layer } from "../../../../loader/layer.ts";
import { defineLayer } from "../../../../loader/mod.ts";
import { Calls } from "../compare/planted/calls.ts";
import type { Kind } from "../compare/planted/fault.ts";
import { KINDS } from "../compare/planted/kinds.ts";
import { type Hook, type Raw, readArguments, writeArguments } from "../compare/planted/raw_arguments.ts";

type Next = (...args: Raw) => unknown;

/** A script's buffers may look like those with which replays read; its helpers tell what is done besides. */
const IS_SCRIPT = Deno.mainModule.endsWith("/trial_child.ts");
const HELPERS = /\b(readImage|zeroImage|zeroMemory)\b/, FRAMES = 100;

function alwaysLayer(file: string): Layer {
  let calls = new Calls(), kind: Kind | undefined;
  const noting = (note: (self: Hook, raw: Raw) => void) =>
    function (this: Hook, next: Next, ...raw: Raw) {
      const result = next(...raw);
      note(this, raw);
      return result;
    };
  const hooks = [...new Set(KINDS.flatMap(({ commands }) => commands))].map((command) => [
    command,
    function (this: Hook, next: Next, ...raw: Raw) {
      const isOwn = IS_SCRIPT ? isOfHelper() : calls.placeOf(this, command, raw) === undefined;
      if (!isOwn && kind?.commands.includes(command) && isLeftOut(this, kind, command, raw)) return;
      return next(...raw);
    },
  ]);
  return defineLayer({
    name: "VK_LAYER_TEST_always",
    commands: {
      ...Object.fromEntries(hooks),
      vkCreateInstance(next: Next, ...raw: Raw) {
        const name = Deno.readTextFileSync(file);
        calls = new Calls();
        kind = KINDS.find((each) => each.name === name);
        return next(...raw);
      },
      vkCreateBuffer: noting((self, raw) => calls.bufferCreated(self, raw)),
      vkDestroyBuffer: noting((_, raw) => calls.bufferDestroyed(raw)),
      vkAllocateCommandBuffers: noting((self, raw) => calls.allocated(self, raw)),
    } as Layer["commands"],
  });
}

/** Whether a helper of scripts makes the call that reads or clears. */
function isOfHelper(): boolean {
  Error.stackTraceLimit = FRAMES;
  return HELPERS.test(new Error().stack!);
}

/** Changes a call, if it can have the fault. Returns whether the call is not made. */
function isLeftOut(self: Hook, { change }: Kind, command: string, raw: Raw): boolean {
  const args = readArguments(self, command, raw), done = change(args);
  if (done === "changed") writeArguments(self, command, raw, args);
  return done === "left out";
}

const file = Deno.env.get("ALWAYS");
export default file === undefined ? undefined : alwaysLayer(file);
