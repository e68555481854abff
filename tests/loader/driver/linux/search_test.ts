import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { Finding } from "../../../../loader/mod.ts";
import { withFolder } from "../../../support/temporary.ts";
import { NEEDS_TINY, TINY } from "../../tiny.ts";
import { manifestsFor, SETUID } from "../fake_host.ts";
import { findingOf, loadWith, writeManifest } from "../machine.ts";

/** Manifests of the tiny driver below a folder, searched by XDG_DATA_HOME; nothing else is found. */
function withManifests(names: readonly string[], use: (folder: string, env: Record<string, string>) => void): void {
  withFolder((folder) => {
    for (const name of names) writeManifest(`${folder}/vulkan/icd.d/${name}`, TINY!);
    use(folder, { XDG_DATA_HOME: folder, XDG_DATA_DIRS: "/nowhere", XDG_CONFIG_DIRS: "/nowhere" });
  });
}

/** The file names of the manifests that count, below a folder. Manifests that a filter excludes are read as well. */
function names(env: Record<string, string>, folder: string, report: Finding[] = []): string[] {
  const found = manifestsFor(env, report);
  report.push(...found.flatMap(({ excluded }) => excluded ?? []));
  return found.filter(({ excluded }) => !excluded).map(({ path }) => path).filter((path) => path.startsWith(folder))
    .map((path) => path.slice(path.lastIndexOf("/") + 1));
}

/** A variable's findings as [taken, reason]. */
function said(findings: readonly Finding[], variable: string): [boolean, string][] {
  return findings.filter(({ path }) => path === variable).map(({ taken, reason }) => [taken, reason]);
}

Deno.test(
  "acceptance 48: VK_DRIVER_FILES names a file, a list, or a folder, and replaces the search",
  NEEDS_TINY,
  () => {
    withManifests(["found.json"], (folder, env) => {
      const one = writeManifest(`${folder}/one.json`, TINY!), two = writeManifest(`${folder}/more/two.json`, TINY!);
      assertEquals(names({ ...env, VK_DRIVER_FILES: one }, folder), ["one.json"]);
      assertEquals(names({ ...env, VK_DRIVER_FILES: `${one}:${two}` }, folder), ["one.json", "two.json"]);
      assertEquals(names({ ...env, VK_DRIVER_FILES: `${folder}/more` }, folder), ["two.json"]);
      assertEquals(names({ ...env, VK_ICD_FILENAMES: one }, folder), ["one.json"]);
      const { driver, findings } = loadWith({ env: { ...env, VK_DRIVER_FILES: `${one}:${folder}/more` } });
      assertEquals(driver, TINY);
      assertEquals(said(findings, "VK_DRIVER_FILES"), [[true, "replaces the search for driver manifests"]]);
    });
  },
);

Deno.test("acceptance 48: VK_DRIVER_FILES beats VK_ICD_FILENAMES and VK_ADD_DRIVER_FILES, and that is said", () => {
  const report: Finding[] = [];
  const env = { VK_DRIVER_FILES: "/a.json", VK_ICD_FILENAMES: "/b.json", VK_ADD_DRIVER_FILES: "/c.json" };
  assertEquals(manifestsFor(env, report).map(({ path }) => path), ["/a.json"]);
  for (const ignored of ["VK_ICD_FILENAMES", "VK_ADD_DRIVER_FILES"]) {
    assertEquals(said(report, ignored), [[false, "ignored, because VK_DRIVER_FILES is set"]]);
  }
});

Deno.test("acceptance 48: an elevated process ignores every variable, and that is said", NEEDS_TINY, () => {
  withFolder((folder) => {
    const manifest = writeManifest(`${folder}/vulkan/icd.d/a.json`, TINY!);
    const env = {
      VK_DRIVER_FILES: manifest,
      VK_ICD_FILENAMES: manifest,
      VK_ADD_DRIVER_FILES: manifest,
      VK_LOADER_DRIVERS_SELECT: "nothing",
      VK_LOADER_DRIVERS_DISABLE: "*",
      XDG_CONFIG_HOME: folder,
      XDG_CONFIG_DIRS: folder,
      XDG_DATA_HOME: folder,
      XDG_DATA_DIRS: folder,
      HOME: folder,
    };
    for (const identity of [SETUID, { ...SETUID, euid: 1000, egid: 0 }, { ...SETUID, euid: 1000, secure: true }]) {
      const { findings } = loadWith({ env, identity });
      for (const name of Object.keys(env)) {
        const [[taken, reason]] = said(findings, name);
        assertEquals(taken, false);
        assertStringIncludes(reason, "ignored, because this process has other rights");
      }
      assert(!findings.some(({ subject, path }) => subject !== "variable" && path.startsWith(folder)));
    }
  });
});

Deno.test("acceptance 49: VK_ADD_DRIVER_FILES goes before the search, nothing twice", NEEDS_TINY, () => {
  withManifests(["a.json", "b.json"], (folder, env) => {
    const added = writeManifest(`${folder}/z.json`, TINY!), twice = `${folder}/vulkan/icd.d/b.json`;
    const value = `${added}:${twice}:${added}`;
    assertEquals(names({ ...env, VK_ADD_DRIVER_FILES: value }, folder), ["z.json", "b.json", "a.json"]);
  });
});

Deno.test("acceptance 50: VK_LOADER_DRIVERS_SELECT takes whole names, prefixes, suffixes and parts, in any case", () => {
  const all = ["intel_icd.json", "lvp_icd.json", "nvidia_icd.json"];
  withManifests(all, (folder, env) => {
    const select = (value: string) => names({ ...env, VK_LOADER_DRIVERS_SELECT: value }, folder);
    assertEquals(select("lvp_icd.json"), ["lvp_icd.json"]);
    assertEquals(select("lvp"), []);
    assertEquals(select("LVP*"), ["lvp_icd.json"]);
    assertEquals(select("*IA_icd.json"), ["nvidia_icd.json"]);
    assertEquals(select("*vid*,intel*"), ["intel_icd.json", "nvidia_icd.json"]);
    for (const everything of ["*", "**", "~all~"]) assertEquals(select(everything), all);
  });
});

Deno.test("acceptance 50: VK_LOADER_DRIVERS_DISABLE sorts out; what is selected stays", NEEDS_TINY, () => {
  withManifests(["intel_icd.json", "lvp_icd.json"], (folder, env) => {
    const report: Finding[] = [];
    assertEquals(names({ ...env, VK_LOADER_DRIVERS_DISABLE: "Intel*" }, folder, report), ["lvp_icd.json"]);
    const refused = findingOf(report, "manifest", "intel_icd.json")!;
    assertEquals([refused.taken, refused.reason], [false, "VK_LOADER_DRIVERS_DISABLE matches it"]);
    const { findings } = loadWith({ env: { ...env, VK_LOADER_DRIVERS_DISABLE: "Intel*" } });
    const told = findings.filter(({ path }) => path.endsWith("/intel_icd.json")).map(({ reason }) => reason);
    assertEquals(told, [`VK_LOADER_DRIVERS_DISABLE matches it; it names ${TINY} for Vulkan 1.3.0`]); // one row, both facts
    const both = { VK_LOADER_DRIVERS_DISABLE: "*", VK_LOADER_DRIVERS_SELECT: "lvp*" };
    assertEquals(names({ ...env, ...both }, folder, report), ["lvp_icd.json"]);
    const { message } = report.findLast(({ path }) => path.endsWith("/intel_icd.json"))!;
    assertEquals(
      message,
      `Driver "intel_icd.json" ignored because it was disabled by env var 'VK_LOADER_DRIVERS_DISABLE'`,
    );
    assertStringIncludes(loadWith({ env: { ...env, VK_LOADER_DRIVERS_DISABLE: "*" } }).message, "DISABLE matches it");
  });
});

Deno.test("acceptance 9: without any driver loading fails and says what to do", () => {
  const { driver, message, findings } = loadWith({ env: { VK_DRIVER_FILES: "/nowhere/at/all" } });
  assertEquals(driver, "");
  const why = 'unset VK_DRIVER_FILES, which is "/nowhere/at/all" and replaces the search, install one';
  assertStringIncludes(message, `found no driver manifest; ${why}`);
  assertEquals(findingOf(findings, "folder", "/nowhere/at/all")?.reason, "does not exist");
});

Deno.test("acceptance 10: of two drivers, one that cannot make an instance is passed over", NEEDS_TINY, () => {
  withFolder((folder) => {
    writeManifest(`${folder}/a.json`, "/nowhere/libvulkan_x.so");
    writeManifest(`${folder}/b.json`, TINY!);
    assertEquals(loadWith({ env: { VK_DRIVER_FILES: folder } }).driver, TINY);
  });
});
