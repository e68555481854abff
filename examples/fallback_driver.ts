import { swiftshaderPath } from "../tools/setup/parts.ts";
import { driverManifests } from "../loader/driver/search.ts";

/** `"auto"` where the machine has driver manifests, else SwiftShader as the set-up unpacked it. */
export function fallbackDriver(): string {
  return driverManifests().length > 0 ? "auto" : swiftshaderPath() ?? "auto";
}
