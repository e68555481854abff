/**
 * The command line: `deno run cli.ts COMMAND [--driver PATH] [--json]`.
 *
 * - `explain`: every driver looked at, and why it was taken or not
 * - `info`: the devices of a driver
 *
 * Exit codes: 0 good, 1 a driver could not be used, 2 wrong use.
 *
 * @module
 */
import { parseArgs } from "node:util";
import { DriverError, type Finding, loadVulkan, type Vulkan, VulkanError } from "./loader/mod.ts";
import { versionText } from "./loader/version.ts";

const USAGE = `Usage: cli.ts COMMAND [--driver PATH] [--json]

Commands:
  explain   every driver looked at, and why it was taken or not
  info      the devices of a driver`;

/** A device, as `info` shows it. */
export interface DeviceInfo {
  /** VkPhysicalDeviceProperties.deviceName. */
  readonly deviceName: string;
  /** The Vulkan version, such as "1.3.230". */
  readonly apiVersion: string;
  /** How many device extensions it offers. */
  readonly extensions: number;
}

/** Runs a command and returns the exit code. `print` gets what goes to standard output. */
export function run(args: string[], print: (text: string) => void): number {
  const parsed = parse(args);
  if (!parsed) {
    print(USAGE);
    return 2;
  }
  try {
    using vulkan = loadVulkan({ driver: parsed.driver });
    const { data, text } = parsed.command === "info" ? info(vulkan) : explain(vulkan);
    print(parsed.json ? JSON.stringify(data, null, 2) : text);
    return 0;
  } catch (error) {
    if (!(error instanceof DriverError || error instanceof VulkanError)) throw error;
    print(parsed.json ? JSON.stringify({ error: error.message }, null, 2) : error.message);
    return 1;
  }
}

function parse(args: string[]): { command: string; driver: string; json: boolean } | undefined {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { driver: { type: "string", default: "auto" }, json: { type: "boolean", default: false } },
    });
    const [command, ...rest] = positionals;
    return ["explain", "info"].includes(command) && rest.length === 0 ? { command, ...values } : undefined;
  } catch {
    return undefined;
  }
}

function explain(vulkan: Vulkan): { data: Finding[]; text: string } {
  const data = vulkan.explain();
  const text = data.map((finding) =>
    `${finding.taken ? "taken  " : "passed "} ${finding.path}\n        ${finding.reason}`
  ).join("\n");
  return { data, text };
}

function info(vulkan: Vulkan): { data: DeviceInfo[]; text: string } {
  using instance = vulkan.vkCreateInstance({});
  const data = instance.vkEnumeratePhysicalDevices().map((gpu): DeviceInfo => {
    const { deviceName, apiVersion } = gpu.vkGetPhysicalDeviceProperties();
    return {
      deviceName,
      apiVersion: versionText(apiVersion),
      extensions: gpu.vkEnumerateDeviceExtensionProperties(null).length,
    };
  });
  const text = data.map((gpu) => `${gpu.deviceName}\n  Vulkan ${gpu.apiVersion}, ${gpu.extensions} device extensions`)
    .join("\n");
  return { data, text };
}

if (import.meta.main) Deno.exit(run(Deno.args, console.log));
