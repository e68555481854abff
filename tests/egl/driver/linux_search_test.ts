import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { Search } from "../../../egl/driver/finding_list.ts";
import { findLinuxDrivers } from "../../../egl/driver/linux_search.ts";
import { type EglDriverOptions, findEglDriver } from "../../../egl/mod.ts";
import { invokeAddress } from "../../../ffi/invoke.ts";
import { peek64 } from "../../../ffi/machine.ts";
import { DriverError } from "../../../loader/error.ts";
import { systemLibrary } from "../../../tools/setup/files.ts";
import { type FakeHost, fakeHost, SETUID } from "../../loader/driver/fake_host.ts";
import { findingOf } from "../../loader/driver/machine.ts";
import { needs } from "../../support/require.ts";
import { withFolder } from "../../support/temporary.ts";
import { call, type Found, NEEDS_COMPILER, openAgain, search, vendor } from "./fixtures.ts";

const FILES = "__EGL_VENDOR_LIBRARY_FILENAMES", DIRS = "__EGL_VENDOR_LIBRARY_DIRS";
const mesa = systemLibrary("libEGL_mesa.so.0"), NEEDS_MESA = needs("Mesa EGL", mesa);

function manifest(path: string, library: string, version: unknown = "1.0.0"): string {
  Deno.mkdirSync(path.slice(0, path.lastIndexOf("/")), { recursive: true });
  Deno.writeTextFileSync(path, JSON.stringify({ file_format_version: version, ICD: { library_path: library } }));
  return path;
}

function find(fake: FakeHost, options: EglDriverOptions = {}, use?: Parameters<typeof search>[2]): Found {
  return search({ platform: "linux", host: fakeHost(fake), ...options }, "", use);
}

/** Searches with one manifest, of this library and text. */
function findOne(library: string, version?: unknown): Found {
  return withFolder((folder) => find({ env: { [FILES]: manifest(`${folder}/a.json`, library, version) } }));
}

Deno.test("Mesa is found by its manifest and opened without libglvnd", NEEDS_MESA, () => {
  const { source } = find({}, {}, ({ driver, drivers }) => {
    assertEquals([driver.kind, driver.path, driver.answersAnyName], ["glvnd", "libEGL_mesa.so.0", true]);
    assertEquals(drivers, [driver]);
    const display = invokeAddress(driver.find("eglGetPlatformDisplay", "egl"), "q:wqq", [0x31dd, 0n, 0n]);
    assertEquals(invokeAddress(driver.find("eglInitialize", "egl"), "w:qqq", [display!, 0n, 0n]), 1);
    assertEquals(invokeAddress(driver.find("eglTerminate", "egl"), "w:q", [display!]), 1);
    assertEquals(driver.find("eglNoSuchFunction", "egl"), 0n);
  });
  assertEquals(source, "vendor");
});

Deno.test("a vendor is handed version 0.2 and exports that outlive it", NEEDS_COMPILER, () => {
  withFolder((folder) => {
    const env = { [FILES]: manifest(`${folder}/a.json`, vendor("WORKS")) };
    find({ env }, {}, ({ driver }) => {
      using library = openAgain(driver.path);
      assertEquals(call(library.require("vendorVersion")), 2);
      const exports = invokeAddress(library.require("vendorExports"), "q:", []) as bigint;
      const answers = Array.from(
        { length: 12 },
        (_, index) => invokeAddress(peek64(exports + BigInt(8 * index)), "w:", []),
      );
      assertEquals(answers, [0, 0x30a0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1]);
    });
  });
});

Deno.test("a vendor libglvnd would refuse is refused, with the reason", NEEDS_COMPILER, () => {
  assertStringIncludes(findOne(vendor("REFUSE")).message, "refuses version 0.2");
  assertStringIncludes(findOne(vendor("NO_PROC_ADDRESS")).message, "does not fill in getProcAddress");
  assertStringIncludes(findOne(vendor("INCOMPLETE")).message, "has no eglWaitClient");
  assertStringIncludes(findOne(vendor("NO_API")).message, "supports neither OpenGL ES nor OpenGL");
  assertStringIncludes(findOne("libc.so.6").message, "does not export __egl_Main");
  assertStringIncludes(findOne("libEGL_nobody.so.0").message, "dynamic linker says");
});

Deno.test("a manifest that makes no sense is refused, with the reason", () => {
  assertStringIncludes(findOne("x.so", "2.0.0").message, "only 1.0 is known");
  assertStringIncludes(findOne("x.so", "1.1.0").message, "only 1.0 is known");
  assertStringIncludes(findOne("x.so", 1).message, '"file_format_version" is 1; write it as a string');
  assertStringIncludes(findOne("").message, '"library_path"');
  assertStringIncludes(findOne("a\0b").message, "holds a NUL");
  assertStringIncludes(find({ env: { [FILES]: "/nowhere/a.json" } }).message, "found no such file");
});

Deno.test("of several vendors the first whose display works goes first; none is lost", NEEDS_COMPILER, () => {
  withFolder((folder) => {
    manifest(`${folder}/10_broken.json`, vendor());
    manifest(`${folder}/20_works.json`, vendor("WORKS"));
    manifest(`${folder}/30_twice.json`, vendor("WORKS"));
    manifest(`${folder}/no.txt`, vendor("WORKS"));
    const { findings } = find({ env: { [DIRS]: folder } }, {}, ({ drivers }) => {
      assertEquals(drivers.map(({ path }) => path), [vendor("WORKS"), vendor()]);
      using library = openAgain(vendor("WORKS"));
      assertEquals(call(library.require("vendorInitialized")), 0x101);
    });
    const drivers = findings.filter(({ subject }) => subject === "driver");
    assertEquals(drivers.map(({ taken }) => taken), [true, true, false]);
    assertStringIncludes(drivers[0].reason, "no display of its works here");
    assertStringIncludes(drivers[1].reason, "its default display works (EGL 1.5): goes first");
    assertStringIncludes(drivers[2].reason, "the same library");
  });
});

Deno.test("a single vendor is not probed", NEEDS_COMPILER, () => {
  const path = vendor("WORKS", "ALONE");
  withFolder((folder) => {
    find({ env: { [FILES]: manifest(`${folder}/a.json`, path) } }, {}, () => {
      using library = openAgain(path);
      assertEquals(call(library.require("vendorInitialized")), 0);
    });
  });
});

Deno.test("the list of files has precedence over the folders, and these over libglvnd's own", NEEDS_COMPILER, () => {
  withFolder((folder) => {
    const file = manifest(`${folder}/list/a.json`, vendor("WORKS")), dir = `${folder}/dir`;
    manifest(`${dir}/b.json`, vendor());
    const both = find({ env: { [FILES]: file, [DIRS]: dir } });
    assertEquals(both.driver, vendor("WORKS"));
    assertStringIncludes(findingOf(both.findings, "variable", DIRS)!.reason, "ignored, because");
    const only = find({ env: { [DIRS]: `/nowhere:${dir}` } });
    assertEquals(only.driver, vendor());
    assertEquals(findingOf(only.findings, "folder", "glvnd/egl_vendor.d"), undefined);
  });
});

Deno.test("an elevated process ignores the variables", NEEDS_MESA, () => {
  withFolder((folder) => {
    const env = { [FILES]: manifest(`${folder}/a.json`, vendor("WORKS")) };
    const { driver, findings } = find({ env, identity: SETUID });
    assertEquals(driver, "libEGL_mesa.so.0");
    assertStringIncludes(findingOf(findings, "variable", FILES)!.reason, "setuid");
  });
});

Deno.test("a library_path with a folder is relative to what the manifest links to", NEEDS_COMPILER, () => {
  withFolder((folder) => {
    Deno.mkdirSync(`${folder}/real`);
    Deno.copyFileSync(vendor("WORKS"), `${folder}/real/vendor.so`);
    manifest(`${folder}/real/a.json`, "./vendor.so");
    Deno.symlinkSync(`${folder}/real/a.json`, `${folder}/link.json`);
    const real = Deno.realPathSync(folder);
    assertEquals(find({ env: { [FILES]: `${folder}/link.json` } }).driver, `${real}/real/vendor.so`);
    assertEquals(search({ driver: `${folder}/link.json` }).driver, `${real}/real/vendor.so`);
  });
});

Deno.test(
  "without a vendor the system's libEGL.so.1 is the last resort",
  needs("libEGL.so.1", systemLibrary("libEGL.so.1")),
  () => {
    const host = { ...fakeHost(), readDir: nothing }, linux = { platform: "linux", host } as const;
    using found = findEglDriver(linux);
    assertEquals([found.source, found.driver.kind, found.driver.answersAnyName], ["system", "three", true]);
    assertEquals(found.driver.findExported("glClear", "gles2") !== 0n, true);
    assertEquals(found.driver.path.endsWith("/libEGL.so.1"), true);
    const message = search({ platform: "linux", host: fakeHost({ env: { [FILES]: "/nowhere/x.json" } }) }).message;
    assertStringIncludes(message, "Cannot find an EGL driver: looked at");
  },
);

Deno.test("without permission to read, the dynamic linker finds the system's libEGL.so.1", NEEDS_MESA, () => {
  using found = findEglDriver({ platform: "linux", host: blindHost() });
  const { driver, source } = found;
  assertEquals([source, driver.path, driver.libraries.length], ["system", "libEGL.so.1", 3]);
  const refused = found.findings.filter(({ taken }) => !taken).map(({ reason }) => reason.replace(/;.*/, ""));
  assertEquals(refused, Array(2).fill("may not be read, counts as unset").concat(Array(2).fill("may not be read")));
  using mesa = findEglDriver({ driver: "libEGL_mesa.so.0", host: blindHost() });
  assertEquals(mesa.driver.kind, "glvnd");
});

Deno.test("without any driver, the error names the EGL vendors that permissions hide", () => {
  const blind = new Search(blindHost()), attempt = () => undefined;
  const search = Object.assign(Object.create(blind), { host: blind.host, findings: blind.findings, attempt });
  const { message } = assertThrows(() => findLinuxDrivers(search), DriverError);
  assertEquals(
    message.replace(/looked at\n( .*\n)+/, ""),
    "Cannot find an EGL driver: the folders of vendor manifests (/etc/glvnd/egl_vendor.d and 1 more) may not be read; " +
      "allow it with --allow-read (and with --allow-env variables that name manifests) " +
      "or name its library with the driver option",
  );
});

/** A process without permission to look at anything. */
function blindHost() {
  const refuse = () => {
    throw new Deno.errors.NotCapable("Requires access");
  };
  return { ...fakeHost(), env: refuse, exists: refuse, readDir: refuse, readFile: refuse, realPath: refuse };
}

function nothing(path: string): string[] {
  throw new Deno.errors.NotFound(path);
}
