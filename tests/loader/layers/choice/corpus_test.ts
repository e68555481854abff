import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import type { Finding } from "../../../../loader/mod.ts";
import { openFiles } from "../../../support/open_files.ts";
import { NEEDS_TINY } from "../../tiny.ts";
import { type Case, corruptLayerManifests, corruptSettings } from "./corpus.ts";
import { type LayerMachine, layerName, withMachine } from "./layer_machine.ts";

const GOOD = { ppEnabledLayerNames: [layerName("good")] };

/** Makes an instance where a bad file of this kind lies beside a good layer; says what was found out. */
function findingsBeside(machine: LayerMachine, at: string, bytes: Uint8Array): { chain: string; findings: Finding[] } {
  machine.write(at, "");
  Deno.writeFileSync(`${machine.folder}/${at}`, bytes);
  using vulkan = machine.load({ ON: "1" });
  const before = machine.log().length, result = machine.result(vulkan, GOOD);
  const chain = machine.log().slice(before).filter((line) => line.includes("structs")).map((line) =>
    line.split(" ")[0]
  );
  return { chain: result < 0 ? String(result) : chain.join(" "), findings: vulkan.explain() };
}

/** A bad layer manifest does no harm to a good layer, and something is said about it. */
function assertManifest(machine: LayerMachine, [name, bytes]: Case): void {
  const { chain, findings } = findingsBeside(machine, "vulkan/implicit_layer.d/bad.json", bytes);
  assert(chain.endsWith("good"), `${name}: ${chain}`);
  const said = findings.filter(({ path, origin }) => path.endsWith("bad.json") || origin.endsWith("bad.json"));
  assert(said.length > 0, name);
  for (const { reason } of said) assert(reason.length > 8, `${name}: ${reason}`);
}

Deno.test(
  "acceptance 45: no corrupt layer manifest crashes, harms another layer, or stays unexplained",
  NEEDS_TINY,
  () => {
    withMachine((machine) => {
      machine.explicit("good");
      const cases = corruptLayerManifests(machine.library("bad"));
      assert(cases.length >= 500, `${cases.length} cases`);
      const before = openFiles();
      for (const each of cases) assertManifest(machine, each);
      assertEquals(openFiles(), before);
    });
  },
);

Deno.test("acceptance 45: a layer manifest that is no regular file is not read", NEEDS_TINY, () => {
  withMachine((machine) => {
    machine.explicit("good");
    Deno.mkdirSync(`${machine.folder}/vulkan/explicit_layer.d/folder.json`);
    Deno.symlinkSync("/dev/zero", `${machine.folder}/vulkan/explicit_layer.d/device.json`);
    assertEquals(machine.order({}, GOOD), "good");
    const findings = machine.findings({}, GOOD);
    for (const name of ["folder", "device"]) {
      assert(findings.some(({ path, taken }) => path.endsWith(`${name}.json`) && !taken), name);
    }
  });
});

Deno.test("no corrupt settings file crashes or stays unexplained", NEEDS_TINY, () => {
  withMachine((machine) => {
    const cases = corruptSettings(machine.explicit("good"));
    assert(cases.length >= 200, `${cases.length} cases`);
    for (const [name, bytes] of cases) {
      const { chain, findings } = findingsBeside(machine, "vulkan/loader_settings.d/vk_loader_settings.json", bytes);
      assert(["good", "-6", ""].includes(chain), `${name}: ${chain}`);
      const said = findings.filter(({ path }) => path.endsWith("vk_loader_settings.json"));
      assert(said.length > 0, name);
      for (const { reason } of said) assert(reason.length > 8, `${name}: ${reason}`);
    }
  });
});

/** Any JSON object, with words in it that manifests and settings files have. */
function objectsOf(words: readonly string[], values: readonly string[]): fc.Arbitrary<unknown> {
  return fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      fc.constantFrom(...words, ...values),
      fc.jsonValue(),
      fc.array(tie("value"), { maxLength: 3 }),
      tie("object"),
    ),
    object: fc.dictionary(fc.oneof(fc.constantFrom(...words), fc.string()), tie("value")),
  })).object;
}

Deno.test("acceptance 45: any JSON at all is read as a layer manifest without a crash", NEEDS_TINY, () => {
  const words = ["layer", "layers", "name", "type", "library_path", "component_layers", "api_version", "functions"];
  const more = ["implementation_version", "description", "disable_environment", "instance_extensions", "app_keys"];
  const objects = objectsOf([...words, ...more], ["GLOBAL", "1.3.0", "/no/such.so", "VK_LAYER_LUNARG_override"]);
  withMachine((machine) => {
    machine.explicit("good");
    fc.assert(
      fc.property(objects, fc.boolean(), (value, inside) => {
        const file = inside ? { file_format_version: "1.2.0", layer: value } : value;
        assertManifest(machine, ["generated", new TextEncoder().encode(JSON.stringify(file))]);
      }),
      { numRuns: 200 },
    );
  });
});

Deno.test("any JSON at all is read as a settings file without a crash", NEEDS_TINY, () => {
  const words = ["settings", "settings_array", "layers", "name", "path", "control", "app_keys", "stderr_log"];
  const more = ["device_configurations", "deviceUUID", "additional_drivers", "file_format_version"];
  const objects = objectsOf([...words, ...more], ["on", "off", "auto", "unordered_layer_location", "1.0.0"]);
  withMachine((machine) => {
    machine.explicit("good");
    fc.assert(
      fc.property(objects, fc.boolean(), (value, inside) => {
        const file = inside ? { file_format_version: "1.0.0", settings: value } : value;
        const at = "vulkan/loader_settings.d/vk_loader_settings.json";
        const { findings } = findingsBeside(machine, at, new TextEncoder().encode(JSON.stringify(file)));
        assert(findings.some(({ path }) => path.endsWith("vk_loader_settings.json")));
      }),
      { numRuns: 200 },
    );
  });
});
