import { DriverError, type Layer, loadVulkan, requireDriver, type Vulkan } from "@pumice/gfx";

/** The places of SwiftShader: of a checkout's set-up, and of systems' Chromium. */
const SWIFTSHADER = [
  new URL("../.cache/swiftshader/libvk_swiftshader.so", import.meta.url),
  new URL("file:///usr/lib/chromium/libvk_swiftshader.so"),
  new URL("file:///usr/lib64/chromium-browser/libvk_swiftshader.so"),
];

/**
 * Opens the driver that was named, else the best of this machine, else
 * SwiftShader, as the set-up unpacked it or a Chromium brought it. `say` gets a sentence when it comes
 * to that. Throws a {@linkcode DriverError} when none can be used.
 */
export function openVulkan(
  driver: string | undefined,
  layers: readonly (Layer | string)[],
  say: (sentence: string) => void,
): Vulkan {
  try {
    return requireDriver(loadVulkan({ driver, layers }));
  } catch (error) {
    const swiftshader = swiftshaderPath();
    if (driver !== undefined || swiftshader === undefined || !(error instanceof DriverError)) throw error;
    const vulkan = loadVulkan({ driver: swiftshader, layers });
    say(`${error.message}; taking SwiftShader, which was found at ${swiftshader}`);
    return vulkan;
  }
}

/** The first of these files that is there. The package may come from the network, where no file is. */
function swiftshaderPath(): string | undefined {
  return SWIFTSHADER.filter(({ protocol }) => protocol === "file:").map(({ pathname }) => decodeURIComponent(pathname))
    .find((path) => {
      try {
        return Deno.build.arch === "x86_64" && Deno.statSync(path).isFile;
      } catch {
        return false;
      }
    });
}
