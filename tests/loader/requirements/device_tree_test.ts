import { assert, assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { type DeviceDeclarations, deviceTreeFiles, writeDeviceTree } from "../../../loader/requirements/device_tree.ts";
import { makefileClaims, permissionClaims, readDeviceTree } from "../../../loader/requirements/device_tree_claims.ts";
import type { Verdict } from "../../../loader/requirements/verdict.ts";
import { verifyDeviceTree } from "../../../loader/requirements/verify_device_tree.ts";
import { withFolder } from "../../support/temporary.ts";

const LEVEL = "android.hardware.vulkan.level", VERSION = "android.hardware.vulkan.version";
const DEQP = "android.software.vulkan.deqp.level", AEP = "android.hardware.opengles.aep";
const COMPUTE = "android.hardware.vulkan.compute", GLES = "ro.opengles.version";

const EARNED: DeviceDeclarations = {
  features: [
    { name: LEVEL, value: 1, text: "1", file: `${LEVEL}-1.xml`, installed: `${LEVEL}.xml` },
    { name: VERSION, value: 0x403000, text: "1.3", file: `${VERSION}-1_3.xml`, installed: `${VERSION}.xml` },
    { name: DEQP, value: 132514561, text: "2022-03-01", file: `${DEQP}-2022-03-01.xml`, installed: `${DEQP}.xml` },
    { name: AEP, text: "", file: `${AEP}.xml`, installed: `${AEP}.xml` },
  ],
  withheld: [{ name: COMPUTE, reason: "variablePointers false" }],
  properties: { [GLES]: "196610" },
};

/** The verdicts on a tree as it is emitted, with some changes to its files. */
function verified(change: (text: string, name: string) => string | undefined = (text) => text): Map<string, Verdict> {
  return withFolder((folder) => {
    const files = deviceTreeFiles(EARNED).map(({ name, text }) => ({ name, text: change(text, name) }));
    writeDeviceTree(folder, files.filter((file): file is { name: string; text: string } => file.text !== undefined));
    return new Map(verifyDeviceTree(readDeviceTree(folder), EARNED).map((verdict) => [verdict.rule, verdict]));
  });
}

/** The words of a rule about a changed tree. */
function failure(rule: string, change: (text: string, name: string) => string | undefined): string {
  const verdicts = verified(change), verdict = verdicts.get(`tree.${rule}`)!;
  assertEquals([verdict.status, verdict.advice !== ""], ["fail", true], verdict.found);
  assertEquals([...verdicts.values()].filter(({ status }) => status === "fail").length, 1);
  return verdict.found;
}

Deno.test("deviceTreeFiles() writes permissions and a makefile that installs exactly those", () => {
  const files = new Map(deviceTreeFiles(EARNED).map(({ name, text }) => [name, text]));
  assertEquals([...files.keys()], [
    ...[`${LEVEL}-1.xml`, `${VERSION}-1_3.xml`, `${DEQP}-2022-03-01.xml`, `${AEP}.xml`, "device.mk"],
  ]);
  assertStringIncludes(files.get(`${VERSION}-1_3.xml`)!, `<feature name="${VERSION}" version="4206592" />`);
  assertStringIncludes(files.get(`${AEP}.xml`)!, `<feature name="${AEP}" />`);
  const makefile = files.get("device.mk")!;
  assertStringIncludes(
    makefile,
    `$(LOCAL_PATH)/${VERSION}-1_3.xml:$(TARGET_COPY_OUT_VENDOR)/etc/permissions/${VERSION}.xml \\\n`,
  );
  assertEquals(makefile.match(/PRODUCT_COPY_FILES/g)?.length, 1);
  assertMatch(makefile, /PRODUCT_VENDOR_PROPERTIES \+= \\\n {4}ro\.opengles\.version=196610\n$/);
  assertStringIncludes(makefile, `# Not earned: ${COMPUTE}: variablePointers false`);
});

Deno.test("deviceTreeFiles() sets properties as the release does, and nothing where there is nothing", () => {
  assertStringIncludes(deviceTreeFiles(EARNED, 9).at(-1)!.text, "PRODUCT_PROPERTY_OVERRIDES += \\\n");
  const [only] = deviceTreeFiles({ features: [], withheld: [], properties: {} });
  assertEquals([only.name, only.text.includes("PRODUCT_")], ["device.mk", false]);
});

Deno.test("verifyDeviceTree() finds nothing wrong in what deviceTreeFiles() made", () => {
  const verdicts = [...verified().values()];
  assertEquals(verdicts.map(({ rule, status, id }) => [rule, status, id]), [
    [`tree.${LEVEL}`, "pass", "VK2"],
    [`tree.${VERSION}`, "pass", "VK22"],
    [`tree.${DEQP}`, "pass", "VK37"],
    [`tree.${AEP}`, "pass", "GL1"],
    [`tree.${COMPUTE}`, "pass", "VK2"],
    [`tree.${GLES}`, "pass", "GL1"],
  ]);
  assert(verdicts.every(({ source, requirement }) => source !== "" && requirement.endsWith(".")));
});

Deno.test("verifyDeviceTree() fails a value that is not earned, in permissions or in a file's name", () => {
  const found = failure(VERSION, (text, name) => name.includes("version") ? text.replace("4206592", "4210688") : text);
  assertMatch(found, /^1\.3 is earned, and android\.hardware\.vulkan\.version-1_3\.xml:4 declares 0x404000$/);
  const named = failure(
    LEVEL,
    (text, name) => name === "device.mk" ? text.replace("level-1.xml", "level-0.xml") : text,
  );
  assertMatch(named, /^1 is earned, and device\.mk:\d+ declares 0$/);
});

Deno.test("verifyDeviceTree() fails what is earned and not declared, or not installed, or declared in vain", () => {
  const without = (text: string, name: string) => name === "device.mk" ? text.replace(/.*deqp.*\n/, "") : text;
  assertStringIncludes(failure(DEQP, without), "no makefile installs it");
  const nowhere = (text: string, name: string) => name.includes("deqp") ? undefined : without(text, name);
  assertEquals(failure(DEQP, nowhere), "2022-03-01 is earned, and not declared");
  const vain = failure(COMPUTE, (text, name) => {
    return name === "device.mk" ? `${text}PRODUCT_PACKAGES += ${COMPUTE}-0.prebuilt.xml\n` : text;
  });
  assertMatch(vain, /^device\.mk:\d+ declares 0, and not earned: variablePointers false$/);
});

Deno.test("verifyDeviceTree() fails a property that is not set, or set to something else", () => {
  assertEquals(failure(GLES, (text) => text.replace("ro.opengles.version=196610", "")), "it is not set");
  const found = failure(GLES, (text) => text.replace("196610", "196608"));
  assertMatch(found, /^device\.mk:\d+ sets 196608, and the driver is 196610$/);
});

Deno.test("verifyDeviceTree() judges nothing that nobody checked", () => {
  const claims = makefileClaims(`x/${LEVEL}-1.xml:y\nro.hardware.vulkan=soc`, "device.mk");
  const verdicts = verifyDeviceTree(claims, { features: [], withheld: [], properties: {} });
  assertEquals(verdicts.map(({ rule, status }) => [rule, status]), [
    [`tree.${LEVEL}`, "report"],
    ["tree.ro.hardware.vulkan", "report"],
  ]);
});

Deno.test("verifyDeviceTree() takes no file whose value its name does not tell for a date", () => {
  const latest = makefileClaims(`PRODUCT_PACKAGES += ${DEQP}-latest.prebuilt.xml`, "device.mk");
  const [verdict] = verifyDeviceTree(latest, {
    ...EARNED,
    features: [EARNED.features[2]],
    withheld: [],
    properties: {},
  });
  assertEquals(verdict.status, "fail");
  assertStringIncludes(verdict.found, "which does not say 2022-03-01");
});

Deno.test("makefileClaims() reads the forms that device trees have, and no comments", () => {
  const { features, properties } = makefileClaims(
    `# frameworks/native/data/etc/${LEVEL}-0.xml
PRODUCT_COPY_FILES += \\
    frameworks/native/data/etc/${LEVEL}-1.xml:$(TARGET_COPY_OUT_VENDOR)/etc/permissions/${LEVEL}.xml \\
    frameworks/native/data/etc/${VERSION}-1_0_3.xml:$(TARGET_COPY_OUT_VENDOR)/etc/permissions/${VERSION}.xml
PRODUCT_PACKAGES += ${DEQP}-2022-03-01.prebuilt.xml android.software.midi.xml ${DEQP}-2022-13-01.prebuilt.xml
PRODUCT_PROPERTY_OVERRIDES += ro.opengles.version = 196610 # ES 3.2
ro.surface_flinger.has_wide_color_display=true
`,
    "device.mk",
  );
  assertEquals(features.map(({ name, value, where }) => [name, value, where]), [
    [LEVEL, 1, "device.mk:3"],
    [VERSION, 0x400003, "device.mk:4"],
    [DEQP, 132514561, "device.mk:5"],
    [DEQP, undefined, "device.mk:5"],
  ]);
  assertEquals(properties.map(({ name, value }) => [name, value]), [
    [GLES, "196610"],
    ["ro.surface_flinger.has_wide_color_display", "true"],
  ]);
});

Deno.test("permissionClaims() reads features of graphics with their lines, and no comments", () => {
  const text = `<permissions>\n<!-- <feature name="${LEVEL}" version="0"/>\n -->
    <feature version="1" name="${LEVEL}"/> <feature name="android.hardware.nfc"/>
    <feature name="${AEP}" />\n</permissions>`;
  assertEquals(permissionClaims(text, "a/b.xml").map(({ name, value, where, file }) => [name, value, where, file]), [
    [LEVEL, 1, "a/b.xml:4", "b.xml"],
    [AEP, undefined, "a/b.xml:5", "b.xml"],
  ]);
});

Deno.test("readDeviceTree() looks below the folder, and throws for none", () => {
  withFolder((folder) => {
    writeDeviceTree(`${folder}/configs/gfx`, deviceTreeFiles(EARNED));
    assertEquals(readDeviceTree(folder).features.filter(({ by }) => by === "makefile").length, 4);
    assertThrows(() => readDeviceTree(`${folder}/nowhere`), Deno.errors.NotFound);
  });
});
