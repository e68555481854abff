/**
 * The controls of a live chain of layers mean the same for a Vulkan loader, a
 * Vulkan instance, and a loader of EGL and OpenGL ES: each step is done with
 * all three, and what the three did is compared.
 *
 * @module
 */
import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { defineGlesLayer, type GlesLayer, loadEgl } from "../egl/mod.ts";
import { defineLayer, type Layer, type LayerControls, loadVulkan } from "../loader/mod.ts";
import type { VkInstance } from "../loader/types.ts";
import { mesa } from "./egl/drivers.ts";
import { NEEDS_TINY, TINY } from "./loader/tiny.ts";
import { needs } from "./support/require.ts";

const NEEDS = { ignore: NEEDS_TINY.ignore || needs(mesa.part, mesa.found || undefined).ignore };

/** A live chain of layers, each of which notes its name at one command. */
interface Stage<Kind> extends Disposable {
  readonly name: string;
  readonly controls: LayerControls<Kind> & { close(): void };
  /** Makes the call that the layers note. */
  call(): void;
  layer(name: string, seen: string[]): Kind;
  /** A command that can be called, and one that only another object has. */
  readonly commands: readonly [here: string, elsewhere: string];
}

function vulkanLayer(name: string, seen: string[]): Layer {
  return defineLayer({
    name,
    commands: {
      vkGetPhysicalDeviceProperties(next, ...args) {
        seen.push(name);
        next(...args);
      },
    },
  });
}

function glesLayer(name: string, seen: string[]): GlesLayer {
  return defineGlesLayer({
    name,
    commands: {
      eglGetCurrentContext(next) {
        seen.push(name);
        return next();
      },
    },
  });
}

function vulkanStage(isLoader: boolean): Stage<Layer> {
  const vulkan = loadVulkan({ driver: TINY! }), instance = vulkan.vkCreateInstance({});
  const [gpu] = instance.vkEnumeratePhysicalDevices();
  return {
    name: isLoader ? "loader" : "instance",
    controls: isLoader ? vulkan : instance,
    call: () => void gpu.vkGetPhysicalDeviceProperties(),
    layer: vulkanLayer,
    commands: isLoader ? ["vkCreateInstance", "vkCreateDevice"] : ["vkGetPhysicalDeviceProperties", "vkCreateBuffer"],
    [Symbol.dispose]: () => vulkan.close(),
  };
}

function eglStage(): Stage<GlesLayer> {
  const egl = loadEgl({ driver: mesa.open(), platform: "android" });
  return {
    name: "EGL",
    controls: egl,
    call: () => void egl.eglGetCurrentContext(),
    layer: glesLayer,
    commands: ["eglGetCurrentContext", "glClear"],
    [Symbol.dispose]: () => egl.close(),
  };
}

/** Does the same with a stage of any kind, and returns what there was to see. */
function played<Kind>({ controls, call, layer, commands }: Stage<Kind>): unknown[] {
  const seen: string[] = [], told: unknown[] = [];
  const [a, b, c, d] = ["a", "b", "c", "d"].map((name) => layer(name, seen));
  const look = () => {
    call();
    told.push(seen.splice(0).join(""));
  };
  const refused = (run: () => void) => {
    told.push(assertThrows(run, TypeError).message);
    look();
  };
  look();
  controls.attach(a);
  look();
  controls.attach(b);
  look();
  controls.attach(c, { below: b });
  look();
  controls.replace(c, d);
  look();
  controls.replace(d, d);
  look();
  controls.detach(b);
  look();
  controls.attach(b, { above: "a" });
  look();
  refused(() => controls.attach(a));
  refused(() => controls.attach(c, { above: "nobody" }));
  refused(() => controls.detach(c));
  refused(() => controls.replace(c, a));
  refused(() => controls.replace(a, b));
  for (const wrong of [undefined, null, "a", {}]) {
    refused(() => controls.attach(wrong as Kind));
    refused(() => controls.detach(wrong as Kind));
    refused(() => controls.replace(a, wrong as Kind));
  }
  told.push([controls.drain(), controls.lostCalls]);
  told.push([...commands, "nobodysCommand"].map((each) => controls.supports(each)));
  controls.close();
  for (const run of [() => controls.attach(c), () => controls.detach(a), () => controls.replace(a, c)]) {
    assertMatch(assertThrows(run, TypeError).message, /closed/);
  }
  return told;
}

Deno.test("attach(), detach(), replace(), drain() and supports() are the same everywhere", NEEDS, () => {
  using loader = vulkanStage(true);
  using instance = vulkanStage(false);
  using egl = eglStage();
  const said = played(loader);
  assertEquals(said.slice(0, 8), ["", "a", "ba", "bca", "bda", "bda", "da", "dba"]);
  assertEquals(said.slice(-2), [[0, 0], [true, false, false]]);
  assert(said.includes("Cannot attach a: it is attached already; detach it first"));
  assert(said.includes("Cannot put b in the place of a: it is attached already; detach it first"));
  assert(said.includes("Cannot detach c: it is not attached; pass the object that was attached"));
  assert(said.includes("Cannot attach c above nobody: there is no layer of that name here"));
  const looks = said.filter((each) => typeof each === "string" && /^[a-d]*$/.test(each));
  assertEquals(looks.slice(8), Array(17).fill("dba"), "what is refused changes nothing");
  assertEquals(played(instance), said, instance.name);
  assertEquals(played(egl), said, egl.name);
});

Deno.test("a loader changes the layers of the instances to come and of those there are", NEEDS_TINY, () => {
  const seen: string[] = [], [a, b, c] = ["a", "b", "c"].map((name) => vulkanLayer(name, seen));
  using vulkan = loadVulkan({ driver: TINY!, layers: [a] });
  using one = vulkan.vkCreateInstance({});
  using other = vulkan.vkCreateInstance({});
  const through = (instance: VkInstance) => {
    instance.vkEnumeratePhysicalDevices()[0].vkGetPhysicalDeviceProperties();
    return seen.splice(0).join("");
  };
  other.attach(b, { below: a });
  vulkan.attach(b);
  assertEquals([one, other].map(through), ["ba", "ab"], "an instance that has the layer keeps it where it is");
  using later = vulkan.vkCreateInstance({});
  assertEquals(through(later), "ba");
  other.detach(a);
  assertThrows(() => vulkan.attach(c, { below: a }), TypeError, "Cannot attach c below a");
  assertEquals([one, other, later].map(through), ["ba", "b", "ba"], "what one instance cannot have, none gets");
  vulkan.replace(a, c);
  assertEquals([one, other, later].map(through), ["bc", "b", "bc"]);
  vulkan.detach(b);
  using last = vulkan.vkCreateInstance({});
  assertEquals([one, other, later, last].map(through), ["c", "", "c", "c"]);
  one.attach(a);
  vulkan.detach(a);
  assertEquals(through(one), "c", "a layer of one instance alone is the loader's to remove, too");
});

Deno.test(
  "a device says which commands can be called: the driver's, and those of a layer's extension",
  NEEDS_TINY,
  () => {
    const deviceExtensions = [{ extensionName: "VK_EXT_mesh_shader", specVersion: 1 }];
    const bringing = defineLayer({
      name: "bringing",
      deviceExtensions,
      commands: { vkCmdDrawMeshTasksEXT: () => {} },
    });
    const watching = defineLayer({
      name: "watching",
      commands: { vkCmdDrawMeshTasksEXT: (next, ...args) => next(...args) },
    });
    using vulkan = loadVulkan({ driver: TINY!, layers: [watching] });
    using instance = vulkan.vkCreateInstance({});
    const [gpu] = instance.vkEnumeratePhysicalDevices();
    using device = gpu.vkCreateDevice({ pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] });
    const asked = ["vkCreateBuffer", "vkQueueSubmit", "vkCreateInstance", "vkCmdDrawMeshTasksEXT"];
    assertEquals(asked.map((each) => device.supports(each)), [true, true, false, false]);
    vulkan.attach(bringing);
    assertEquals(device.supports("vkCmdDrawMeshTasksEXT"), true);
  },
);
