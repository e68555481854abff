import { assertEquals } from "@std/assert";
import { searchFolders } from "../../../../loader/driver/search/search.ts";
import { manifestsFor } from "../fake_host.ts";
import { withFolder } from "../../../support/temporary.ts";

/** An environment that has only these variables. */
function environment(values: Record<string, string>): (name: string) => string {
  return (name) => values[name] ?? "";
}

/** Makes files below a folder. */
function touch(folder: string, ...paths: string[]): void {
  for (const path of paths) {
    Deno.mkdirSync(`${folder}/${path}`.replace(/\/[^/]*$/, ""), { recursive: true });
    Deno.writeTextFileSync(`${folder}/${path}`, "{}");
  }
}

Deno.test("searchFolders() goes from the user's folders to the system's", () => {
  assertEquals(searchFolders("icd.d", environment({ HOME: "/home/me" })), [
    "/home/me/.config/vulkan/icd.d",
    "/etc/xdg/vulkan/icd.d",
    "/etc/vulkan/icd.d",
    "/home/me/.local/share/vulkan/icd.d",
    "/usr/local/share/vulkan/icd.d",
    "/usr/share/vulkan/icd.d",
  ]);
});

Deno.test("searchFolders() follows the XDG variables and names no folder twice", () => {
  const xdg = { XDG_CONFIG_HOME: "/c", XDG_CONFIG_DIRS: "/x:/y", XDG_DATA_HOME: "/d", XDG_DATA_DIRS: "/etc:/z" };
  const folders = ["/c", "/x", "/y", "/etc", "/d", "/z"].map((root) => `${root}/vulkan/explicit_layer.d`);
  assertEquals(searchFolders("explicit_layer.d", environment(xdg)), folders);
  const homes = { XDG_CONFIG_HOME: "/c:/c2", XDG_CONFIG_DIRS: "/x", XDG_DATA_HOME: "/d:/d2", XDG_DATA_DIRS: "/z" };
  const all = ["/c", "/c2", "/x", "/etc", "/d", "/d2", "/z"].map((root) => `${root}/vulkan/icd.d`);
  assertEquals(searchFolders("icd.d", environment(homes)), all);
  assertEquals(searchFolders("icd.d", environment({}))[0], "/etc/xdg/vulkan/icd.d");
  const slashes = { ...homes, XDG_CONFIG_DIRS: "/c/:/x/", XDG_DATA_HOME: "/d/:/", XDG_DATA_DIRS: "/x//" };
  const few = ["/c", "/c2", "/x", "/etc", "/d", "", "/x/"].map((root) => `${root}/vulkan/icd.d`);
  assertEquals(searchFolders("icd.d", environment(slashes)), few);
});

Deno.test("linuxManifests() takes a root that ends in .json as a manifest", () => {
  const roots = { XDG_CONFIG_HOME: "/no", XDG_CONFIG_DIRS: "/x/driver.json:/y", XDG_DATA_DIRS: "/no" };
  assertEquals(manifestsFor(roots), [{ path: "/x/driver.json", origin: "/x/driver.json" }]);
});

Deno.test("linuxManifests() sorts within a folder and takes only manifests", () => {
  withFolder((folder) => {
    touch(folder, "vulkan/icd.d/b.json", "vulkan/icd.d/a.json", "vulkan/icd.d/readme.txt");
    const found = manifestsFor({ XDG_CONFIG_HOME: folder, XDG_CONFIG_DIRS: "/no", XDG_DATA_DIRS: "/no" });
    const origin = `${folder}/vulkan/icd.d`;
    const ours = found.filter((each) => each.origin === origin);
    assertEquals(ours, [{ path: `${origin}/a.json`, origin }, { path: `${origin}/b.json`, origin }]);
  });
});

Deno.test("linuxManifests() looks nowhere else when VK_DRIVER_FILES or VK_ICD_FILENAMES is set", () => {
  withFolder((folder) => {
    touch(folder, "one.json", "more/b.json", "more/a.json");
    const value = `${folder}/one.json:${folder}/more::/nowhere`;
    for (const variable of ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"]) {
      const found = manifestsFor({ [variable]: value, VK_ADD_DRIVER_FILES: "/ignored.json" });
      assertEquals(found.map((each) => each.path.slice(folder.length)), ["/one.json", "/more/a.json", "/more/b.json"]);
      assertEquals([...new Set(found.map((each) => each.origin))], [variable]);
    }
    const both = { VK_DRIVER_FILES: "/new.json", VK_ICD_FILENAMES: "/old.json" };
    assertEquals(manifestsFor(both), [{ path: "/new.json", origin: "VK_DRIVER_FILES" }]);
  });
});

Deno.test("linuxManifests() puts VK_ADD_DRIVER_FILES before the search folders", () => {
  withFolder((folder) => {
    touch(folder, "vulkan/icd.d/found.json");
    const found = manifestsFor({ XDG_CONFIG_HOME: folder, VK_ADD_DRIVER_FILES: "/added.json" });
    assertEquals(found.slice(0, 2).map((each) => each.path), ["/added.json", `${folder}/vulkan/icd.d/found.json`]);
  });
});
