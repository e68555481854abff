import { assertEquals } from "@std/assert";
import { compileFixture } from "../../support/compile.ts";
import { needs } from "../../support/require.ts";
import { withFolder } from "../../support/temporary.ts";
import { interfaceDriver, writeManifest } from "../driver/machine.ts";
import { layerName } from "../layers/choice/layer_machine.ts";
import { NEEDS_TINY, TINY, tinyVariant } from "../tiny.ts";
import { compileClient, NEEDS_SYSTEM, runClient, SYSTEM } from "./client.ts";

const app = compileClient("search_app");
const COMPILED = { ignore: needs("Vulkan headers and a C compiler", app).ignore || NEEDS_TINY.ignore };
const [SEARCH, DIRECT] = [0, 1];

/** The program's variables, on a machine in a folder where nothing is found at first. */
function machine(folder: string): Record<string, string> {
  const discrete = tinyVariant("type_2", "-DGPU_TYPE=2")!, idle = tinyVariant("no_gpu", "-DNO_GPU")!;
  const first = writeManifest(`${folder}/first.json`, TINY!), second = writeManifest(`${folder}/second.json`, discrete);
  const library = `${folder}/${layerName("a")}.so`;
  Deno.copyFileSync(compileFixture("plain_layer")!, library);
  Deno.mkdirSync(`${folder}/layers`);
  Deno.mkdirSync(`${folder}/data/vulkan/icd.d`, { recursive: true });
  const layer = {
    name: layerName("a"),
    type: "GLOBAL",
    library_path: library,
    api_version: "1.3.0",
    implementation_version: "1",
    description: "",
  };
  Deno.writeTextFileSync(`${folder}/layers/a.json`, JSON.stringify({ file_format_version: "1.2.0", layer }));
  const nowhere = ["XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "XDG_DATA_DIRS"].map((name) => [name, "/nowhere"]);
  return {
    ...Object.fromEntries(nowhere),
    XDG_DATA_HOME: `${folder}/data`,
    IDLE: writeManifest(`${folder}/idle.json`, idle),
    FIRST: first,
    SECOND: second,
    BOTH: `${first}:${second}`,
    SELECT: "first*",
    LAYERS: `${folder}/layers`,
    LAYER: layerName("a"),
    PUT: writeManifest(`${folder}/put.json`, discrete),
    PLACE: `${folder}/data/vulkan/icd.d/put.json`,
    DIRECT: interfaceDriver("bare", "-DINTERFACE=7", "-DNO_EXPORTS")!,
  };
}

function said(loader: string, where: "here" | "thread", what: number): readonly string[] {
  return withFolder((folder) => runClient(app!, { loader, where, what, env: machine(folder) }).said);
}

const NONE = "create -9", GOOD = "create 0 count 0, list 0:", TWO = "a new manifest";
const FOUND = [
  "nothing: version 0 1, extensions 0 some, layers 0 0",
  `nothing: ${NONE}`,
  "idle: version 0 1, extensions 0 some, layers 0 0",
  "idle: create 0 count -3, list -3:",
  `first: ${GOOD} 4`,
  `second: ${GOOD} 2`,
  "older: count 0, list 0: 4",
  "layers: version 0 1, extensions 0 some, layers 0 1",
  `layer: ${GOOD} 2 ${layerName("a")}`,
  `no layer: ${GOOD} 2`,
  `both: ${GOOD} 2 4`,
  `selected: ${GOOD} 4`,
  `${TWO}: ${GOOD} 2`,
  `no manifest: ${NONE}`,
];

Deno.test(
  "native code that sets a variable or a file finds other drivers and layers with its next instance",
  COMPILED,
  () => {
    for (const where of ["here", "thread"] as const) assertEquals(said("pumice", where, SEARCH), FOUND, where);
  },
);

Deno.test("the C loader finds the same", { ignore: COMPILED.ignore || NEEDS_SYSTEM.ignore }, () => {
  assertEquals(said(SYSTEM!, "here", SEARCH), FOUND);
});

Deno.test("VK_LUNARG_direct_driver_loading needs no driver that is installed", COMPILED, () => {
  for (const where of ["here", "thread"] as const) {
    assertEquals(said("pumice", where, DIRECT), [...FOUND.slice(0, 2), `direct: ${GOOD} 4`]);
  }
});
