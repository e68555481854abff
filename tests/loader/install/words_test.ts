import { assert, assertEquals } from "@std/assert";
import { compileFixture } from "../../support/compile.ts";
import { runProgram } from "../../support/subprocess.ts";
import { withFolder } from "../../support/temporary.ts";
import { interfaceDriver, writeManifest } from "../driver/machine.ts";
import { LayerMachine, layerName } from "../layers/choice/layer_machine.ts";
import { TINY } from "../tiny.ts";
import { NEEDS_SYSTEM, runClient, SYSTEM } from "./client.ts";
import { app, assertHeard, COMPILED, DEBUG, ERROR, INFO, type Message, only, WARNING } from "./words.ts";

const DRIVER = "loader_parse_icd_manifest:",
  ADD = "loader_scanned_icd_add:",
  META = "verify_meta_layer_component_layers:";

/** Broken manifests of drivers, each with what is said of it. */
function breakDrivers(folder: string): Message[] {
  const path = (name: string) => `${folder}/drivers/${name}.json`;
  const write = (name: string, icd: object, top: object = {}, library = TINY!) =>
    writeManifest(path(name), library, icd, top);
  write("nothing", {}, { ICD: undefined });
  write("library", { library_path: undefined });
  write("empty", { library_path: "" });
  write("version", { api_version: undefined });
  write("format", {}, { file_format_version: undefined });
  write("variant", { api_version: "2.1.3.0" });
  write("width", { library_arch: "32" });
  write("absent", {}, {}, "/nowhere/libvulkan_x.so");
  write("other", {}, {}, "libm.so.6");
  write("future", {}, { file_format_version: "1.9.7" }, "/nowhere/libvulkan_y.so");
  return [
    [WARNING, `${DRIVER} Can not find 'ICD' object in ICD JSON file ${path("nothing")}. Skipping ICD JSON`],
    [WARNING, `${DRIVER} Failed to find 'library_path' object in ICD JSON file ${path("library")}. Skipping ICD JSON.`],
    [WARNING, `${DRIVER} ICD JSON ${path("empty")} 'library_path' field is empty. Skipping ICD JSON.`],
    [WARNING, `${DRIVER} ICD JSON ${path("version")} does not have an 'api_version' field. Skipping ICD JSON.`],
    [WARNING, `${DRIVER} ICD JSON ${path("format")} does not have a 'file_format_version' field. Skipping ICD JSON.`],
    [
      INFO,
      `${DRIVER} Driver's ICD JSON ${path("variant")} 'api_version' field contains a non-zero variant value of 2.  ` +
      "Skipping ICD JSON.",
    ],
    [
      INFO,
      `${DRIVER} Driver library architecture doesn't match the current running architecture, skipping this driver`,
    ],
    [INFO, `${DRIVER} ${path("future")} has unknown icd manifest file version 1.9.7. May cause errors.`],
    [
      ERROR,
      "loader_icd_scan: Failed loading library associated with ICD JSON /nowhere/libvulkan_x.so. Ignoring this JSON",
    ],
    ...[TINY!, "/nowhere/libvulkan_x.so"].map((path): Message => [DEBUG, `Searching for ICD drivers named ${path}`]),
    [
      ERROR,
      `${ADD} Attempt to retrieve either 'vkGetInstanceProcAddr' or 'vk_icdGetInstanceProcAddr' from ICD libm.so.6 failed.`,
    ],
  ];
}

/** Broken manifests of layers, likewise. */
function breakLayers(machine: LayerMachine): Message[] {
  const keys = ["name", "type", "library_path", "api_version", "implementation_version", "description"];
  const library_path = "/nowhere/libVkLayer_x.so";
  const add = (short: string, layer: object) => machine.implicit(short, { layer: { library_path, ...layer } });
  for (const key of keys) add(`no_${key}`, { [key]: undefined });
  add("always", { disable_environment: undefined });
  add("variant", { api_version: "3.1.0.0" });
  add("device", { type: "DEVICE" });
  add("width", { library_arch: "32" });
  machine.implicit("nothing", { layer: { library_path }, top: { layer: undefined } });
  add("old", { api_version: "1.0.0" });
  machine.meta("self", ["self"], {}, "implicit");
  machine.meta("incomplete", ["none"], {}, "implicit");
  machine.meta("newer", ["old"], {}, "implicit");
  const tags = ["vkGetInstanceProcAddr", "vkGetDeviceProcAddr"];
  const functions = Object.fromEntries(tags.map((tag) => [tag, `of_old_${tag}`]));
  const future = machine.implicit("future", { layer: { library_path }, top: { file_format_version: "1.9.7" } });
  machine.implicit("tags", { layer: { library_path, functions }, top: { file_format_version: "1.1.0" } });
  machine.meta("whole", ["future", "tags"], {}, "implicit");
  machine.meta("VK_LAYER_LUNARG_override", ["old"], {
    layer: { api_version: "1.0.0", blacklisted_layers: [layerName("black")], override_paths: [`${machine.folder}/e`] },
  }, "implicit");
  add("black", {});
  const extension = (name: string) => [{ name, spec_version: "1" }];
  add("extended", { instance_extensions: extension("VK_TEST_i"), device_extensions: extension("VK_TEST_d") });
  const early = layerName("early"), ofOverride = { override_paths: [machine.folder], app_keys: ["none"] };
  machine.meta("early", ["extended"], { layer: ofOverride, top: { file_format_version: "1.0.1" } }, "implicit");
  const at = (short: string) => `${machine.folder}/vulkan/implicit_layer.d/${short}.json`;
  const skipping = (key: string): Message => [
    WARNING,
    `Layer located at ${
      at(`no_${key}`)
    } didn't find required layer value "${key}" in manifest JSON file, skipping this layer`,
    `Didn't find required layer value ${key} in manifest JSON file, skipping this layer`,
  ];
  return [
    ...keys.filter((key) => key !== "library_path").map(skipping),
    [
      WARNING,
      `Layer "${
        layerName("always")
      }" doesn't contain required layer object disable_environment in the manifest JSON file, ` +
      "skipping this layer",
      "Didn't find required layer object disable_environment in manifest JSON file, skipping this layer",
    ],
    [INFO, `loader_add_layer_properties: ${future} has unknown layer manifest file version 1.9.7.  May cause errors.`],
    ...tags.map((tag): Message => [
      INFO,
      `Layer "${
        layerName("tags")
      }" using deprecated '${tag}' tag which was deprecated starting with JSON file version ` +
      "1.1.0. The new vkNegotiateLoaderLayerInterfaceVersion function is preferred, though for compatibility reasons it " +
      "may be desirable to continue using the deprecated tag.",
    ]),
    ...["whole", "self"].map((name): Message => [INFO, `Encountered meta-layer "${layerName(name)}"`]),
    ...["self", "incomplete", "newer"].map((name): Message => [
      DEBUG,
      `Removing meta-layer ${layerName(name)} from instance layer list since it appears invalid.`,
    ]),
    [INFO, `Meta-layer "${layerName("whole")}" all 2 component layers appear to be valid.`],
    ...["component_layers", "override paths"].map((what): Message => [
      WARNING,
      `Layer "${early}" contains meta-layer-specific ${what}, but using older JSON file version.`,
      `Indicating meta-layer-specific ${what}, but using older JSON file version.`,
    ]),
    ...["instance extension VK_TEST_i", "device extension VK_TEST_d"].map((what): Message => [
      DEBUG,
      `Meta-layer ${early} component layer ${layerName("extended")} adding ${what}`,
    ]),
    [
      WARNING,
      `Layer ${early} contains app_keys, but any app_keys can only be provided by the override meta layer. ` +
      "These will be ignored.",
      `Layer ${early} contains app_keys, but any app_keys can only be provided by the override metalayer. ` +
      "These will be ignored.",
    ],
    [
      WARNING,
      `Layer "${
        layerName("no_library_path")
      }" is missing both library_path and component_layers fields.  One or the other ` +
      "MUST be defined.  Skipping this layer",
      "Layer missing both library_path and component_layers fields.  One or the other MUST be defined.  Skipping this layer",
    ],
    [
      INFO,
      `Layer "${
        layerName("variant")
      }" has an 'api_version' field which contains a non-zero variant value of 3.  Skipping Layer.`,
    ],
    [
      WARNING,
      `Device layers are deprecated. Skipping layer ${layerName("device")}`,
      "Device layers are deprecated. Skipping this layer",
    ],
    [
      INFO,
      `The library architecture in layer ${
        at("width")
      } doesn't match the current running architecture, skipping this layer`,
      "Layer library architecture doesn't match the current running architecture, skipping this layer",
    ],
    [
      WARNING,
      "loader_add_layer_properties: Can not find 'layer' object in manifest JSON file " +
      `${machine.folder}/vulkan/implicit_layer.d/nothing.json.  Skipping this file.`,
    ],
    [
      WARNING,
      `${META} Meta-layer ${
        layerName("self")
      } lists itself in its component layer list at index 0.  Skipping this layer.`,
    ],
    [
      WARNING,
      `${META} Meta-layer ${layerName("incomplete")} can't find component layer ${
        layerName("none")
      } at index 0.  Skipping this layer.`,
    ],
    [
      WARNING,
      `${META} Meta-layer uses API version 1.3, but component layer 0 has API version 1.0 that is lower.  Skipping this layer.`,
    ],
    [INFO, "Using the global override layer"],
    [
      DEBUG,
      `loader_remove_layers_in_blacklist: Override layer is active and layer ${
        layerName("black")
      } is in the blacklist ` +
      "inside of it. Removing that layer from current layer list.",
    ],
  ];
}

/** The words about the search, and about the layers that the instance got. */
function ordinary(machine: LayerMachine): { search: string[]; stack: string[]; library: string[] } {
  const library_path = `${machine.folder}/plain.so`;
  Deno.copyFileSync(compileFixture("plain_layer")!, library_path);
  const manifest = machine.implicit("on", { layer: { library_path, api_version: "1.3.0" } });
  const search = [
    "Searching for driver manifest files",
    "   In following locations:",
    `      ${machine.folder}/vulkan/implicit_layer.d`,
    `      ${machine.folder}/drivers`,
    "   Found the following files:",
    `      ${manifest}`,
  ];
  const stack = [
    "vkCreateInstance layer callstack setup to:",
    "   <Application>",
    "     ||",
    "   <Loader>",
    `   ${layerName("on")}`,
    "           Type: Implicit",
    "               Disable Env Var:  OFF_on",
    `           Manifest: ${manifest}`,
    `           Library:  ${library_path}`,
    "   <Drivers>",
  ];
  const library = ["Loading", "Unloading"].map((step) => `${step} layer library ${library_path}`);
  return { search, stack, library };
}

/** The words that programs hear about broken files, beside a driver that works. */
function assertWords(loader: string): void {
  withFolder((folder) => {
    const machine = new LayerMachine(folder), expected = [...breakDrivers(folder), ...breakLayers(machine)];
    writeManifest(`${folder}/drivers/good.json`, TINY!);
    const { said } = runClient(app!, { loader, where: "here", env: only(folder), what: 1 });
    assert(said.includes("result 0"));
    assertHeard(said, expected, loader === SYSTEM);
  });
}

/** The words about the search, about the layers of the instance if messengers hear of that, and on standard error. */
function assertSearch(loader: string, where: "here" | "thread", hearsStack: boolean): void {
  withFolder((folder) => {
    const { search, stack, library } = ordinary(new LayerMachine(folder)),
      env = { ...only(folder), VK_LOADER_DEBUG: "layer" };
    writeManifest(`${folder}/drivers/good.json`, TINY!);
    const args = [loader, where, app!, "1"];
    const { stdout, stderr } = runProgram("tests/loader/install/programs/client.ts", args, {
      env,
      without: /^VK_/,
      seconds: 100,
    });
    const heard = hearsStack ? [...search, ...stack] : search;
    assertHeard(stdout.split("\n"), heard.map((line) => [INFO, line]));
    const [header, text] = loader === SYSTEM ? ["LAYER: ", 18] : ["[Vulkan Loader] LAYER: ", 32];
    const written = stderr.split("\n").filter((line) => line.startsWith(header)).map((line) => line.slice(text));
    assertEquals(stack.filter((line) => !written.includes(line)), []);
    assertHeard(stdout.split("\n"), [[DEBUG, library[0]]]);
    const debug = stderr.split("\n").map((line) => /^(?:\[Vulkan Loader\] )?DEBUG \| LAYER: +(.*)$/.exec(line)?.[1]);
    assertEquals(library.filter((line) => !debug.includes(line)), []);
  });
}

Deno.test(
  "programs hear what is wrong with manifests in the Khronos loader's words",
  COMPILED,
  () => assertWords("pumice"),
);

Deno.test("programs hear where was searched and which layers an instance got", COMPILED, () => {
  for (const where of ["here", "thread"] as const) assertSearch("pumice", where, true);
});

Deno.test("the system's loader says all of that, as loud", { ignore: COMPILED.ignore || NEEDS_SYSTEM.ignore }, () => {
  assertWords(SYSTEM!);
  assertSearch(SYSTEM!, "here", false);
});

Deno.test("programs hear that there are portability drivers alone, and how to ask for them", COMPILED, () => {
  withFolder((folder) => {
    writeManifest(`${folder}/drivers/a.json`, interfaceDriver("v7", "-DINTERFACE=7")!, { is_portability_driver: true });
    const { said } = runClient(app!, { loader: "pumice", where: "here", env: only(folder), what: 1 });
    const begin =
      "vkCreateInstance: Found drivers that contain devices which support the portability subset, but the " +
      "instance does not enumerate portability drivers! Applications that wish to enumerate portability drivers must " +
      "set the VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR bit in the VkInstanceCreateInfo flags and enable the " +
      "VK_KHR_portability_enumeration instance extension.";
    assertEquals(said.at(-1), "result -9");
    assertHeard(said, [[ERROR, begin], [ERROR, "vkCreateInstance: Found no drivers!"]]);
  });
});

Deno.test("programs hear what the settings file says of layers, one by one", COMPILED, () => {
  withFolder((folder) => {
    const machine = new LayerMachine(folder), path = machine.explicit("a"), name = layerName("a");
    const layers = [{ name, path, control: "off" }, { control: "unordered_layer_location" }];
    const content = { file_format_version: "1.0.0", settings: { layers, stderr_log: ["warn", "error"] } };
    const file = machine.write("vulkan/loader_settings.d/vk_loader_settings.json", content);
    writeManifest(`${folder}/drivers/good.json`, TINY!);
    const { said } = runClient(app!, { loader: "pumice", where: "here", env: only(folder), what: 1 });
    const lines = [
      "Loader Settings Filters for Logging to Standard Error: ERROR | WARNING",
      "Layer Configurations count = 2",
      "---- Layer Configuration [0] ----",
      `Name: ${name}`,
      `Path: ${path}`,
      "Layer Type: Explicit",
      "Control: off",
      "---- Layer Configuration [1] ----",
      "Control: unordered_layer_location",
      "---------------------------------",
    ];
    assertHeard(said, lines.map((line) => [DEBUG, line]));
    const asInC = file.replace("/vulkan/", "/vulkan//"); // the Khronos loader writes two slashes
    assertHeard(said, [[INFO, `Using layer configurations found in loader settings from ${asInC}`]]);
  });
});

Deno.test("the words about layers and drivers have the severity and the category of the system's loader", {
  ignore: COMPILED.ignore || NEEDS_SYSTEM.ignore,
}, () => {
  withFolder((folder) => {
    const machine = new LayerMachine(folder), library_path = "/nowhere/libVkLayer_y.so";
    breakDrivers(folder);
    breakLayers(machine);
    machine.explicit("odd", { layer: { name: "Odd", library_path } });
    machine.explicit("chosen", { layer: { library_path } });
    machine.explicit("hidden", { layer: { library_path } });
    ordinary(machine);
    writeManifest(`${folder}/drivers/good.json`, TINY!);
    const env = {
      ...only(folder),
      VK_LOADER_DEBUG: "all",
      VK_INSTANCE_LAYERS: layerName("nobody"),
      VK_LOADER_LAYERS_ENABLE: "*_chosen",
      VK_LOADER_LAYERS_DISABLE: "*_hidden",
    };
    const headers = (loader: string) => {
      const args = [loader, "here", app!, "1"], options = { env, without: /^VK_/, seconds: 100 };
      const { stderr } = runProgram("tests/loader/install/programs/client.ts", args, options);
      const lines = stderr.split("\n").map((line) => /^(?:\[Vulkan Loader\] )?([A-Z| ]+): +(.*)$/.exec(line));
      return new Map(lines.flatMap((line) => line ? [[line[2].replace(/"(\d[.\d]+)"/, "$1"), line[1]]] : []));
    };
    const ours = headers("pumice"), theirs = headers(SYSTEM!);
    const shared = [...theirs].filter(([text]) => ours.has(text) && !OTHERWISE.test(text));
    assert(shared.length > 50, `${shared.length} messages`);
    assertEquals(shared.filter(([text, header]) => ours.get(text) !== header), []);
  });
});
/** Lines that several searches share, and the components of a meta-layer, which here are as loud as its first line. */
const OTHERWISE = /^(In following|Found the following|\/|\[\d+\] )/;
