import { writeWhole } from "../../ffi/file/whole_file.ts";
import { xmlText } from "../junit.ts";
import type { EarnedFeature, WithheldFeature } from "./earned_features.ts";

/** A system feature that a device tree declares: like {@linkcode EarnedFeature}, but possibly without a value. */
export type DeclaredFeature = Omit<EarnedFeature, "value"> & { readonly value?: number };

/** The declarations of a device tree. */
export interface DeviceDeclarations {
  /** System features, each with a permissions file. */
  readonly features: readonly DeclaredFeature[];
  /** Features that must not be declared, and the reasons. */
  readonly withheld: readonly WithheldFeature[];
  /** System properties, such as `ro.opengles.version`. */
  readonly properties: Readonly<Record<string, string>>;
}

/** A file of a device tree. */
export interface TreeFile {
  /** The name in the tree's folder. */
  readonly name: string;
  /** The contents. */
  readonly text: string;
}

/** The Android release from which properties of the vendor partition have a variable of their own. */
const VENDOR_PROPERTIES_SINCE = 11;

/**
 * Makes the files that declare what a driver earned: permissions for each
 * system feature, and a `device.mk` that installs them and sets the properties.
 *
 * @example
 * ```ts
 * import { assertEquals, assertStringIncludes } from "@std/assert";
 *
 * const name = "android.hardware.vulkan.level", file = `${name}-1.xml`, installed = `${name}.xml`;
 * const files = deviceTreeFiles({
 *   features: [{ name, value: 1, text: "1", file, installed }],
 *   withheld: [],
 *   properties: {},
 * });
 * assertEquals(files.map((each) => each.name), ["android.hardware.vulkan.level-1.xml", "device.mk"]);
 * assertStringIncludes(files[0].text, '<feature name="android.hardware.vulkan.level" version="1" />');
 * ```
 */
export function deviceTreeFiles(
  declarations: DeviceDeclarations,
  release: number = VENDOR_PROPERTIES_SINCE,
): TreeFile[] {
  const permissions = declarations.features.map((feature) => ({ name: feature.file, text: permissionXml(feature) }));
  return [...permissions, { name: "device.mk", text: makefile(declarations, release) }];
}

/**
 * Writes files into a folder, which is created if it does not exist. Returns their paths.
 *
 * @example
 * ```ts
 * import { writeDeviceTree } from "@pumice/gfx/check";
 * import { assertEquals } from "@std/assert";
 *
 * const folder = Deno.makeTempDirSync();
 * assertEquals(writeDeviceTree(folder, [{ name: "device.mk", text: "" }]), [`${folder}/device.mk`]);
 * Deno.removeSync(folder, { recursive: true });
 * ```
 */
export function writeDeviceTree(folder: string, files: readonly TreeFile[]): string[] {
  Deno.mkdirSync(folder, { recursive: true });
  return files.map(({ name, text }) => {
    const path = `${folder.replace(/\/$/, "")}/${name}`;
    writeWhole(path, text);
    return path;
  });
}

function permissionXml({ name, value, text }: DeclaredFeature): string {
  const version = value === undefined ? "" : ` version="${value}"`, about = value === undefined ? "" : ` ${text}`;
  return `<?xml version="1.0" encoding="utf-8"?>
<!-- ${xmlText(name)}${xmlText(about)} -->
<permissions>
    <feature name="${xmlText(name)}"${version} />
</permissions>
`;
}

function makefile({ features, withheld, properties }: DeviceDeclarations, release: number): string {
  const copies = features.map(({ file, installed }) =>
    `    $(LOCAL_PATH)/${file}:$(TARGET_COPY_OUT_VENDOR)/etc/permissions/${installed}`
  );
  const variable = release >= VENDOR_PROPERTIES_SINCE ? "PRODUCT_VENDOR_PROPERTIES" : "PRODUCT_PROPERTY_OVERRIDES";
  const settings = Object.entries(properties).map(([name, value]) => `    ${name}=${value}`);
  return [
    "# What the graphics driver earned of Android's system features. Installed beside it.",
    "LOCAL_PATH := $(call my-dir)",
    ...withheld.map(({ name, reason }) => `# Not earned: ${name}: ${reason.replace(/\s*\n\s*/g, " ")}`),
    ...assignment("PRODUCT_COPY_FILES", copies),
    ...assignment(variable, settings),
    "",
  ].join("\n");
}

function assignment(variable: string, values: readonly string[]): string[] {
  return values.length === 0 ? [] : ["", `${variable} += \\`, values.join(" \\\n")];
}
