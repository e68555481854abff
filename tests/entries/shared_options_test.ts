import { assert, assertEquals } from "@std/assert";
import { defaultIn, type OptionMember, optionMembers } from "./option_members.ts";

/** Options of one name and several types, and why. */
const TYPES: Readonly<Record<string, string>> = {
  clock: "the viewer's can be stopped and stepped",
  commands: "each API has its own commands: hooks of Vulkan, of a driver, of OpenGL ES",
  composer: "SurfaceFlinger takes any composer, the viewer one that has planes to show",
  dataspace: "a transaction may take a layer's own back with undefined",
  driver: "EGL's drivers are named in other ways than Vulkan's, and the backend takes the type of loadVulkan()",
  drivers: "tests of a driver are told apart by names of drivers, the sides of a recording by their order",
  failure: "a thunk's result may be wider than a command's",
  instanceExtensions: "who writes a driver says versions, too",
  layers: "gpuTest() starts a process, to which TypeScript layers cannot go; OpenGL ES has layers of its own",
  layersAtOnce: "the compute shader exists in a few sizes, the fragment shader in all",
  onForeignThread: "a driver cannot record calls that it must answer",
  physicalDevice: "what physical devices report: changes by a layer, new values for limits",
  policies: "each API has its own commands; of Vulkan's, a recorded call can bring copies",
  properties: "what physical devices report: all of a made one, structs of a chain that a layer changes",
  release:
    "each follows other releases: loaders since 14, EGL's search since 10, SurfaceFlinger since 9, rules since 7",
  size: "a transaction may take a layer's own back with undefined",
  window: "a window that there is, and the size of one to make",
};
/** Options of one name and type with several defaults, and why. */
const DEFAULTS: Readonly<Record<string, string>> = {
  height: "a window's size is its consumer's, an X window has no consumer to ask",
  name: "made from what the thing is",
  onError: "an error goes to whoever waits for the work, who differs",
  panels: "the viewer's panels are those that pages plug in, and smaller",
  path: "a file that must be given, but for a cache, which can do without",
  planes: "a panel's are the composer's",
  property: "the window system needs one property to be on",
  records: "messages are fewer than calls",
  strategy: "a panel's is the composer's",
  timeout: "what is waited for takes differently long",
  width: "as height",
};

const shared = new Map([...await optionMembers()].filter(([, members]) => members.length > 1));

/** Names whose members differ in something. */
function differing(of: (member: OptionMember) => string | undefined, without: object = {}): string[] {
  const names = [...shared].filter(([name, members]) => {
    const found = new Set(members.map(of).filter((each) => each !== undefined));
    return found.size > 1 && !(name in without);
  });
  return names.map(([name]) => name).sort();
}

Deno.test("options of one name have one type", () => {
  assert(shared.size > 40, `${shared.size} names`);
  assertEquals(differing(({ type }) => type), Object.keys(TYPES).sort());
});

Deno.test("options of one name and type have one default, and say so", () => {
  assertEquals(differing(({ fallback }) => fallback, TYPES), Object.keys(DEFAULTS).sort());
});

Deno.test("a default is the text behind the word, up to the next stop", () => {
  assertEquals(defaultIn("Seconds. Default 0.5, which is short."), "0.5");
  assertEquals(defaultIn("Waits.\nDefault: `a.b`; another text."), "`a.b`");
  assertEquals(defaultIn("Has none."), "");
});
