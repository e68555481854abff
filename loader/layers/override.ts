import type { Finding } from "../driver/finding.ts";
import type { Host } from "../driver/host.ts";
import type { ManifestLayer } from "./manifest.ts";

/** The meta-layer by which the Vulkan Configurator of old set up layers for all programs or some. */
export const OVERRIDE = "VK_LAYER_LUNARG_override";

/** The override layer that is for this program: one that names it, else one that names no program. */
export function overrideFor(
  layers: readonly ManifestLayer[],
  host: Host,
  report: Finding[],
): ManifestLayer | undefined {
  const candidates = layers.filter(({ name }) => name === OVERRIDE);
  if (candidates.length === 0) return undefined;
  const executable = host.executable();
  const chosen = candidates.find(({ appKeys }) => appKeys.includes(executable)) ??
    candidates.find(({ appKeys }) => appKeys.length === 0);
  for (const { manifest } of candidates.filter((each) => each !== chosen)) {
    const reason = chosen ? `${chosen.manifest} is for this program` : `its app_keys do not name ${executable}`;
    report.push({ subject: "layer", path: OVERRIDE, origin: manifest, taken: false, reason });
  }
  return chosen;
}
