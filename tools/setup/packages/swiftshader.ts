import type { PackagePart } from "./chromium_package.ts";
import { SWIFTSHADER_FOLDER } from "../parts.ts";
import { untar } from "./untar.ts";

const LIBRARIES = ["libvk_swiftshader.so", "libEGL.so", "libGLESv2.so"];

/** A driver manifest for the Khronos loader, so that native programs can be pointed at the same driver. */
const MANIFEST = {
  file_format_version: "1.0.0",
  ICD: { library_path: "./libvk_swiftshader.so", api_version: "1.3.0" },
};

/**
 * SwiftShader (a Vulkan driver) and ANGLE (EGL and GLES) beside a manifest, for
 * machines that have neither a driver nor a root password.
 */
export const SWIFTSHADER: PackagePart = {
  folder: SWIFTSHADER_FOLDER,
  files: { "bin/swiftshader.tar.br": "f957ea867313f9815b71dc2ed30cce301e01db4f3973fbdb31ffa5391b0ec45a" },
  async unpack([libraries], folder) {
    for (const entry of untar(libraries)) {
      if (LIBRARIES.includes(entry.name)) await Deno.writeFile(`${folder}/${entry.name}`, entry.bytes, { mode: 0o755 });
    }
    // ANGLE takes the Vulkan that lies beside it, by this name alone.
    await Deno.link(`${folder}/libvk_swiftshader.so`, `${folder}/libvulkan.so.1`); // symbolic links take every permission
    await Deno.writeTextFile(`${folder}/vk_swiftshader_icd.json`, JSON.stringify(MANIFEST, null, 2) + "\n");
  },
};
