import { assert, assertEquals } from "@std/assert";
import { knownProfiles, openProfiles } from "../../../loader/requirements/profiles/profile_set.ts";
import { loadVulkan } from "../../../loader/mod.ts";
import { modelDifferences } from "../../../loader/twin/model_differences.ts";
import { readSource } from "../../../loader/twin/read_source.ts";
import { vkjsonDifferences } from "../../../loader/vkjson/differences.ts";
import { vkjson, type VkjsonInstance } from "../../../loader/vkjson/vkjson.ts";
import { lavapipePath, swiftshaderPath } from "../../../tools/setup/parts.ts";
import { deviceTwin } from "../../../workbench/layers.ts";
import { needs } from "../../support/require.ts";
import { madeReports } from "./made_reports.ts";

const DRIVERS = [["Mesa lavapipe", lavapipePath()], ["SwiftShader and ANGLE", swiftshaderPath()]] as const;

/** vkjson of a driver under a twin. */
function under(driver: string, source: string | object): VkjsonInstance {
  const { layer } = deviceTwin(source, { strictness: "used", log: () => {} });
  using vulkan = loadVulkan({ driver, layers: [layer] });
  return vkjson(vulkan);
}

for (const [name, path] of DRIVERS) {
  Deno.test(`a twin of each of Android's profiles over ${name} tells what the profile tells`, needs(name, path), () => {
    const profiles = [...knownProfiles().keys()].filter((name) => name.startsWith("VP_ANDROID_"));
    assert(profiles.length >= 10, profiles.join());
    for (const profile of profiles) {
      const told = readSource(profile), seen = readSource(under(path!, profile));
      assertEquals(told.unread, []);
      assert(told.structs.size > 1, profile);
      assertEquals(modelDifferences(told, seen), [], profile);
    }
  });

  Deno.test(
    `a twin of ${name} over the other driver tells everything of it`,
    needs(DRIVERS.map(([name]) => name).join(", "), DRIVERS.every(([, path]) => path) || undefined),
    () => {
      const source = vkjson({ driver: path! }), other = DRIVERS.find(([other]) => other !== name)![1]!;
      const told = readSource(source), seen = under(other, source);
      assertEquals(told.unread, []);
      assertEquals(modelDifferences(told, readSource(seen)), []);
      const differences = vkjsonDifferences(source, seen);
      assertEquals(differences.filter(({ path }) => !path.includes("layers")), []); // layers belong to the loader
    },
  );

  Deno.test(`twins of made reports with odd facts over ${name} tell what the reports tell`, needs(name, path), () => {
    const reports = madeReports();
    assertEquals(reports.length, 20);
    for (const [odd, report] of reports) {
      const told = readSource(report), seen = readSource(under(path!, report));
      assertEquals(modelDifferences(told, seen), [], odd);
      assert(told.structs.size > 1, odd);
    }
  });
}

Deno.test(
  "a twin of a profile has what the profile demands by the rules of profiles",
  needs("Mesa lavapipe", lavapipePath()),
  () => {
    const { asked: [{ capabilities }] } = openProfiles(["VP_ANDROID_15_minimums"]);
    const { structs } = readSource("VP_ANDROID_15_minimums");
    const limits = capabilities[0][0].properties.VkPhysicalDeviceProperties.limits as Record<string, number>;
    const read = structs.get("VkPhysicalDeviceProperties")!.limits as Record<string, number>;
    assert(Object.keys(limits).length > 3);
    for (const [name, value] of Object.entries(limits)) assertEquals(read[name], value, name);
  },
);
