import { checkOptions, oneOf, type OptionRules } from "../../../../ffi/check_options.ts";
import { peek64 } from "../../../../ffi/machine.ts";
import { findCommand } from "../../../command/registry/table.ts";
import type { AnyHook, ForeignCall, Layer } from "../../../layer.ts";
import { defineLayer } from "../../define/define_layer.ts";
import { prepareHooks } from "../native/prepare.ts";
import { destroyingOf, handlesOf, type Handling, isScope, makingOf, poolOf } from "../../define/object_pairs.ts";
import { type Made, ObjectScope } from "./scope.ts";
import { currentSite, stackOf } from "./site.ts";
import { type LeakedObject, type LeakReport, leakText } from "./report.ts";

/** Options of {@linkcode objectLeaks}. */
export interface ObjectLeaksOptions {
  /**
   * The treatment of calls on a native program's other threads. `"note"`, the default: the layer hears later what they
   * destroyed, so that those objects do not count as leaked. Objects that they create are not watched. `"block"`: the
   * calls wait for the loader's thread, and all objects are watched. A program whose loader thread waits for the other
   * threads hangs then.
   */
  readonly otherThreads?: "note" | "block";
}

const RULES: OptionRules<ObjectLeaksOptions> = {
  otherThreads: oneOf("note", "block"),
};

/** A layer that watches the creation and destruction of objects. */
export interface ObjectLeaks {
  /** The layer, for `layers` of `loadVulkan` or `instance.attach`. */
  readonly layer: Layer;
  /** Returns the report so far. */
  report(): LeakReport;
  /** Forgets all leaks and all live objects. */
  reset(): void;
}

/**
 * Makes a layer that finds objects which a program created and did not destroy
 * before their device or instance, with the stack of each creation. Objects of
 * a pool end with the pool, and the images of a swapchain belong to the
 * swapchain. A failing command has created nothing.
 *
 * @example A device whose objects are all gone
 * ```ts
 * import { objectLeaks } from "@pumice/gfx/layers";
 * import { assertEquals } from "@std/assert";
 *
 * const { layer, report } = objectLeaks();
 * assertEquals(layer.anyCommand?.("vkCmdDraw"), undefined); // which makes nothing, and so costs nothing
 * assertEquals(report().text, "no object was leaked, none is live");
 * ```
 */
export function objectLeaks(options: ObjectLeaksOptions = {}): ObjectLeaks {
  checkOptions("objectLeaks()", options, RULES);
  const { otherThreads = "note" } = options;
  prepareHooks();
  const watch = new Watch();
  return {
    layer: defineLayer({
      name: "VK_LAYER_PUMICE_object_leaks",
      anyCommand: (command) => watch.hook(command),
      onForeignThread: otherThreads === "note" ? "record" : otherThreads,
      recorded: (call) => watch.hear(call),
    }),
    report() {
      const leaked = watch.leaked.map(objectOf), live = watch.live().map(objectOf);
      return { leaked, live, text: leakText(leaked, live) };
    },
    reset: () => watch.reset(),
  };
}

type Left = readonly [scope: ObjectScope, made: Made];

function objectOf([{ type: parent }, { type, handle, command, site }]: Left): LeakedObject {
  return { type, handle, command, parent, stack: stackOf(site) };
}

class Watch {
  readonly leaked: Left[] = [];
  #loader = new ObjectScope("loader");
  /** Scopes of instances and devices, by the first word of the handles of their objects. */
  readonly #scopes = new Map<bigint, ObjectScope>();

  reset(): void {
    this.leaked.length = 0;
    this.#loader = new ObjectScope("loader");
    this.#scopes.clear();
  }

  live(): Left[] {
    return this.#all.flatMap(leftIn);
  }

  /** Notes a call of another thread. Its pointers may be invalid now, so lists of handles are not read. */
  hear({ command, args }: ForeignCall): void {
    const destroying = destroyingOf(command);
    if (command === "vkResetDescriptorPool") return this.#all.forEach((scope) => scope.empty(args[1] as bigint));
    if (destroying?.byValue) this.#gone(destroying.type, args[destroying.place] as bigint);
  }

  hook(command: string): AnyHook | undefined {
    const making = makingOf(command), destroying = destroyingOf(command);
    if (making) return this.#maker(command, making);
    if (destroying) return this.#destroyer(destroying);
    if (command !== "vkResetDescriptorPool") return undefined;
    return (next, ...args) => {
      this.#scopeOf(command, args[0]).empty(args[1]);
      return next(...args);
    };
  }

  #maker(command: string, making: Handling): AnyHook {
    return (next, ...args) => {
      const result = next(...args);
      if (result !== 0) return result;
      const scope = this.#scopeOf(command, args[0]),
        { type } = making,
        site = currentSite(),
        pool = poolOf(making, args);
      for (const handle of handlesOf(making, args)) {
        if (handle === 0n) continue;
        scope.add({ type, handle, command, site, pool });
        if (isScope(type)) this.#scopes.set(peek64(handle), new ObjectScope(type, scope, handle));
      }
      return result;
    };
  }

  #destroyer(destroying: Handling): AnyHook {
    const { type } = destroying;
    return (next, ...args) => {
      for (const handle of handlesOf(destroying, args)) {
        if (handle === 0n) continue;
        if (isScope(type)) this.#end(peek64(handle));
        else this.#scopes.get(peek64(args[0]))?.remove(type, handle);
      }
      return next(...args);
    };
  }

  get #all(): ObjectScope[] {
    return [this.#loader, ...this.#scopes.values()];
  }

  /** Ends an instance or device by its dispatch key. Remaining objects are leaks. */
  #end(key: bigint): void {
    const scope = this.#scopes.get(key);
    if (!scope) return;
    this.leaked.push(...leftIn(scope));
    (scope.parent ?? this.#loader).remove(scope.type, scope.handle);
    this.#scopes.delete(key);
  }

  /**
   * Notes that an object was destroyed a while ago. Its device may be gone
   * since, with everything that seemed to be left in it.
   */
  #gone(type: string, handle: bigint): void {
    for (const [key, scope] of this.#scopes) {
      if (scope.type === type && scope.handle === handle) return this.#end(key);
    }
    if (this.#all.some((scope) => scope.remove(type, handle))) return;
    const index = this.leaked.findLastIndex(([, made]) => made.type === type && made.handle === handle);
    if (index >= 0) this.leaked.splice(index, 1);
  }

  /**
   * Returns the scope for new objects. Unknown instances and devices get one,
   * too, because the layer may have been attached later.
   */
  #scopeOf(command: string, first: bigint): ObjectScope {
    const { level } = findCommand(command)!;
    if (level === "global") return this.#loader;
    const key = peek64(first);
    let scope = this.#scopes.get(key);
    if (!scope) this.#scopes.set(key, scope = new ObjectScope(level === "device" ? "VkDevice" : "VkInstance"));
    return scope;
  }
}

function leftIn(scope: ObjectScope): Left[] {
  return scope.left().map((made) => [scope, made]);
}
