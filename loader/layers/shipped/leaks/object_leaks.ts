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

/** What {@linkcode objectLeaks} is told. */
export interface LeakOptions {
  /**
   * What to do about a native program's other threads. `"record"`, the default: the layer is told later what they
   * destroyed, so that nothing counts as leaked for that; what they make is not watched. `"block"`: they wait for the
   * loader's thread, and all is watched; a program that has the loader's thread wait for them hangs.
   */
  readonly otherThreads?: "record" | "block";
}

const RULES: OptionRules<LeakOptions> = {
  otherThreads: oneOf("record", "block"),
};

/** A layer that watches objects come and go. */
export interface ObjectLeaks {
  /** The layer, for `layers` of `loadVulkan` or `instance.attach`. */
  readonly layer: Layer;
  /** What was found so far. */
  report(): LeakReport;
  /** Forgets all that was found and all that is there. */
  reset(): void;
}

/**
 * Makes a layer that finds the objects that a program made and did not destroy
 * before it destroyed their device or instance, with the calls that made each.
 * What comes from a pool goes with it, and the images of a swapchain are the
 * swapchain's. A command that fails has made nothing.
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
export function objectLeaks(options: LeakOptions = {}): ObjectLeaks {
  checkOptions("objectLeaks()", options, RULES);
  const { otherThreads = "record" } = options;
  prepareHooks();
  const watch = new Watch();
  return {
    layer: defineLayer({
      name: "VK_LAYER_PUMICE_object_leaks",
      anyCommand: (command) => watch.hook(command),
      onForeignThread: otherThreads,
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
  /** Instances and devices by what word 0 of their handles, and of those of all their objects, holds. */
  readonly #scopes = new Map<bigint, ObjectScope>();

  reset(): void {
    this.leaked.length = 0;
    this.#loader = new ObjectScope("loader");
    this.#scopes.clear();
  }

  live(): Left[] {
    return this.#all.flatMap(leftIn);
  }

  /** Notes what another thread has called. Its pointers may lead nowhere now, so lists of handles are not read. */
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

  /** An instance or device goes, by its dispatch key: what is left in it now is lost. */
  #end(key: bigint): void {
    const scope = this.#scopes.get(key);
    if (!scope) return;
    this.leaked.push(...leftIn(scope));
    (scope.parent ?? this.#loader).remove(scope.type, scope.handle);
    this.#scopes.delete(key);
  }

  /** An object went a while ago; its device may be gone since, with all that seemed to be left in it. */
  #gone(type: string, handle: bigint): void {
    for (const [key, scope] of this.#scopes) {
      if (scope.type === type && scope.handle === handle) return this.#end(key);
    }
    if (this.#all.some((scope) => scope.remove(type, handle))) return;
    const index = this.leaked.findLastIndex(([, made]) => made.type === type && made.handle === handle);
    if (index >= 0) this.leaked.splice(index, 1);
  }

  /** Where new objects go: to an instance or device that is not known, too, for the layer may have been attached later. */
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
