import { assert, assertEquals } from "@std/assert";
import { compileFixture } from "../../support/compile.ts";
import { runProgram } from "../../support/subprocess.ts";
import { withFolder } from "../../support/temporary.ts";
import { writeManifest } from "../driver/machine.ts";
import { LayerMachine, layerName } from "../layers/choice/layer_machine.ts";
import { TINY, tinyVariant } from "../tiny.ts";
import { runClient, SYSTEM } from "./client.ts";
import { app, assertHeard, COMPILED, DEBUG, ERROR, INFO, type Message, only, WARNING } from "./words.ts";

Deno.test("programs hear what they request, and of an apiVersion below 1.0 on standard error, too", COMPILED, () => {
  const wrong =
    "VkInstanceCreateInfo::pApplicationInfo::apiVersion has value of 1 which is not permitted. If apiVersion " +
    "is not 0, then it must be greater than or equal to the value of VK_API_VERSION_1_0 [VUID-VkApplicationInfo-apiVersion]";
  const requests = [
    'vkCreateInstance: applicationName: "an app", applicationVersion: 7, engineName: "an engine", ' +
    "engineVersion: 8, apiVersion: 0.0.1",
    "vkCreateInstance: Requested 0 instance layer(s):",
    "vkCreateInstance: Requested 0 instance extension(s):",
  ];
  for (const where of ["here", "thread"] as const) {
    withFolder((folder) => {
      writeManifest(`${folder}/drivers/good.json`, TINY!);
      const env = { ...only(folder), PUMICE_TEST_VERSION: "1" }, args = ["pumice", where, app!, "1"];
      const options = { env, without: /^VK_/, seconds: 100 };
      const { stdout, stderr } = runProgram("tests/loader/install/programs/client.ts", args, options);
      assert(stdout.includes("result 0"), stdout);
      assertHeard(stdout.split("\n"), [...requests.map((text): Message => [INFO, text]), [ERROR, wrong]]);
      assert(stderr.includes(`[Vulkan Loader] ERROR:          ${wrong}`), stderr);
    });
  }
});

Deno.test(
  "a driver that cannot say whether it may present says no, and programs hear why, on every thread",
  COMPILED,
  () => {
    withFolder((folder) => {
      writeManifest(`${folder}/drivers/good.json`, tinyVariant("windows", "-DWINDOWS")!);
      const text = "ICD for selected physical device does not export vkGetPhysicalDeviceXcbPresentationSupportKHR!";
      for (const loader of ["pumice", ...SYSTEM ? [SYSTEM] : []]) {
        for (const where of ["here", "thread"] as const) {
          const args = [loader, where, app!, "2"], options = { env: only(folder), without: /^VK_/, seconds: 100 };
          const { stdout, stderr } = runProgram("tests/loader/install/programs/client.ts", args, options);
          assertEquals(stdout.split("\n").filter((line) => /^(result|supports)/.test(line)), [
            "result 0",
            "supports 0",
          ]);
          if (loader === SYSTEM) continue; // its words were others
          assert(stderr.includes(text), stderr);
          if (where === "here") assertHeard(stdout.split("\n"), [[ERROR, text]]);
        }
      }
    });
  },
);

Deno.test(
  "programs hear of drivers that a filter leaves out, and of drivers older than their manifests",
  COMPILED,
  () => {
    withFolder((folder) => {
      const old = tinyVariant("old", "-DNO_VERSION")!, good = writeManifest(`${folder}/drivers/good.json`, TINY!);
      const kept = writeManifest(`${folder}/drivers/kept.json`, old);
      const env = { ...only(folder), VK_LOADER_DRIVERS_DISABLE: "good*" };
      for (const loader of ["pumice", ...SYSTEM ? [SYSTEM] : []]) {
        for (const where of ["here", "thread"] as const) {
          const { said } = runClient(app!, { loader, where, env, what: 1 });
          assert(said.includes("result 0"), said.join("\n"));
          assertHeard(said.map((line) => line.replace(/version "([\d.]+)"/, "version $1")), [
            [INFO, `Found ICD manifest file ${good}, version 1.0.0`],
            [WARNING, `Driver "good.json" ignored because it was disabled by env var 'VK_LOADER_DRIVERS_DISABLE'`],
            [INFO, `Found ICD manifest file ${kept}, version 1.0.0`],
          ]);
          if (loader === SYSTEM) continue; // the rest is newer
          assertHeard(said, [
            [
              WARNING,
              `terminator_CreateInstance: Manifest ICD for "${old}" contained a 1.1 or greater API version, but does not ` +
              "support vkEnumerateInstanceVersion, treating as a 1.0 ICD",
            ],
          ]);
        }
      }
    });
  },
);

Deno.test("programs hear the dynamic linker's reasons, and which optional layers they go without", COMPILED, () => {
  withFolder((folder) => {
    const machine = new LayerMachine(folder),
      [library_path, driver] = ["/nowhere/libVkLayer_z.so", "/nowhere/driver.so"];
    machine.implicit("broken", { layer: { library_path } });
    writeManifest(`${folder}/drivers/absent.json`, driver);
    writeManifest(`${folder}/drivers/good.json`, TINY!);
    for (const loader of ["pumice", ...SYSTEM ? [SYSTEM] : []]) {
      for (const where of ["here", "thread"] as const) {
        const { said } = runClient(app!, { loader, where, env: only(folder), what: 1 });
        assert(said.includes("result 0"), said.join("\n"));
        assertHeard(said, [
          ...[library_path, driver].map((path): Message => [
            ERROR,
            `${path}: cannot open shared object file: No such file or directory`,
          ]),
          [INFO, `Requested layer "${layerName("broken")}" failed to load.`],
        ]);
      }
    }
  });
});

Deno.test("programs hear which drivers and devices the settings file lists", COMPILED, () => {
  withFolder((folder) => {
    const machine = new LayerMachine(folder), added = writeManifest(`${folder}/more/added.json`, TINY!);
    const bytes = Array.from({ length: 16 }, (_, index) => index);
    machine.write("vulkan/loader_settings.d/vk_loader_settings.json", {
      file_format_version: "1.0.0",
      settings: {
        additional_drivers: [{ path: added }],
        additional_drivers_use_exclusively: true,
        device_configurations: [{
          deviceUUID: bytes,
          driverUUID: bytes.toReversed(),
          driverVersion: 9,
          deviceName: "A",
        }],
      },
    });
    const { said } = runClient(app!, { loader: "pumice", where: "here", env: only(folder), what: 1 });
    assertHeard(
      said,
      [
        "Use Additional Drivers Exclusively = true",
        "Additional Driver Configurations count = 1",
        "---- Driver Configuration [0] ----",
        `Path: ${added}`,
        "Device Configurations count = 1",
        "---- Device Configuration [0] ----",
        "deviceUUID: 00010203-0405-0607-0809-0a0b0c0d0e0f",
        "driverUUID: 0f0e0d0c-0b0a-0908-0706-050403020100",
        "driverVersion: 9",
        "deviceName: A",
      ].map((text) => [DEBUG, text]),
    );
    assert(!said.some((line) => line.includes("Layer Configurations count")), said.join("\n"));
  });
});

Deno.test("programs hear which variables turn layers on and off, beside a settings file, too", COMPILED, () => {
  withFolder((folder) => {
    const machine = new LayerMachine(folder), library_path = `${folder}/plain.so`;
    Deno.copyFileSync(compileFixture("plain_layer")!, library_path);
    const add = (short: string) => machine.explicit(short, { layer: { library_path, api_version: "1.3.0" } });
    const manifests = ["one", "two", "part"].map(add), [one, two, part] = ["one", "two", "part"].map(layerName);
    machine.implicit("asleep", { layer: { library_path, enable_environment: { WAKE: "1" } } });
    machine.meta("whole", ["part"], { layer: { api_version: "1.0.0" } });
    writeManifest(`${folder}/drivers/good.json`, TINY!);
    const env = {
      ...only(folder),
      VK_INSTANCE_LAYERS: `${two}:${layerName("whole")}`,
      VK_LOADER_LAYERS_ENABLE: `${one},*_asleep`,
      VK_LOADER_LAYERS_DISABLE: part,
    };
    const off = `Layer "${part}" forced disabled because name matches filter of env var 'VK_LOADER_LAYERS_DISABLE'.`;
    const withoutFile: Message[] = [
      [WARNING, `env var 'VK_INSTANCE_LAYERS' defined and adding layers "${two}:${layerName("whole")}"`],
      [WARNING, `Layer "${one}" forced enabled due to env var 'VK_LOADER_LAYERS_ENABLE'`],
      [WARNING, `Implicit layer "${layerName("asleep")}" forced enabled due to env var 'VK_LOADER_LAYERS_ENABLE'.`],
      [WARNING, off],
    ];
    for (const loader of ["pumice", ...SYSTEM ? [SYSTEM] : []]) {
      assertHeard(runClient(app!, { loader, where: "here", env, what: 1 }).said, withoutFile);
    }
    const lost = `Failed to find layer name "${part}" component layer "${part}" to activate (Policy #LLP_LAYER_7)`;
    assertHeard(runClient(app!, { loader: "pumice", env, what: 1 }).said, [...withoutFile, [WARNING, lost]]);
    const layers = manifests.map((path, index) => ({ name: [one, two, part][index], path, control: "auto" }));
    machine.write("vulkan/loader_settings.d/vk_loader_settings.json", {
      file_format_version: "1.0.0",
      settings: { layers },
    });
    assertHeard(runClient(app!, { loader: "pumice", where: "here", env, what: 1 }).said, [
      [WARNING, `env var 'VK_INSTANCE_LAYERS' defined and adding layers: ${two}:${layerName("whole")}`],
      [WARNING, `Layer "${one}" forced enabled due to env var 'VK_LOADER_LAYERS_ENABLE'.`],
      [WARNING, off],
    ]);
  });
});
