/**
 * The command line: `deno run cli.ts COMMAND [options]`.
 *
 * - `explain`: every property, variable, folder, manifest, driver and layer
 *   looked at, and why it was taken or not
 * - `info`: the devices of a driver
 * - `run`: a script whose loaders all get the layers of `--layer` on top; also
 *   modules that export one, which with `--watch` are loaded again when they are
 *   saved
 * - `trace`: a script's calls as JSON Lines, into the file of `--out`
 * - `stub`: a `libvulkan.so` to link native programs with, written to a folder;
 *   they run on the system's Vulkan loader, or on this one where it is installed
 *
 * `--driver` names a driver's library or manifest, given more than once several
 * drivers; `--platform` (`android`, `linux`; also whose functions `stub`
 * exports), `--root` and `--properties` are the options of `loadVulkan`; with
 * `--layer`, which may be given more than once, `explain` looks at layers too.
 * `--json` prints an {@linkcode Explanation} or an array of
 * {@linkcode DeviceInfo}.
 *
 * Exit codes: 0 good, 1 a driver could not be used, a file not be written or a
 * script threw, 2 wrong use.
 *
 * @module
 */
import { parseArgs } from "node:util";
import { linkStub } from "./ffi/link_stub.ts";
import { explainText } from "./loader/driver/explain_text.ts";
import { DriverError, type Finding, loadVulkan, type Vulkan, VulkanError, type VulkanOptions } from "./loader/mod.ts";
import { denoHost } from "./loader/driver/host.ts";
import { platformOf } from "./loader/driver/platform.ts";
import { surfaceOf } from "./loader/install/exports.ts";
import { versionText } from "./loader/version.ts";

const USAGE = `Usage: cli.ts COMMAND [options]

Commands:
  explain       everything looked at to find a driver, and why it was taken or not
  info          the devices of a driver
  run SCRIPT    run a script with layers on top of all its loaders
  trace SCRIPT  write down every call a script makes
  stub DIR      write a libvulkan.so to link native programs with

Options:
  --driver PATH       a driver's library or manifest; of several, instances have all devices
  --layer NAME        a layer, by name, library, manifest or module; may be repeated
  --watch             load modules again when they are saved
  --out FILE          where a trace goes; default trace.jsonl
  --platform NAME     whose rules to follow, whose functions to write: android or linux
  --root FOLDER       stands for the device's / on Android
  --properties FILE   a build.prop or the output of getprop
  --json              print data`;

/** What `explain --json` prints. Members are only ever added. */
export interface Explanation {
  /** The driver in use; absent when there is none. */
  readonly driver?: string;
  /** Why there is none. */
  readonly error?: string;
  /** Everything that was looked at, in order. */
  readonly findings: readonly Finding[];
}

/** A device, as `info` shows it. */
export interface DeviceInfo {
  /** VkPhysicalDeviceProperties.deviceName. */
  readonly deviceName: string;
  /** The Vulkan version, such as "1.3.230". */
  readonly apiVersion: string;
  /** How many device extensions it offers. */
  readonly extensions: number;
}

/** Runs any command; see {@linkcode run}. */
export async function main(args: string[], print: (text: string) => void): Promise<number> {
  const parsed = parse(args);
  return parsed && isScripted(parsed) ? await script(parsed, print) : run(args, print);
}

/** Runs a command that runs no script, and returns the exit code. `print` gets what goes to standard output. */
export function run(args: string[], print: (text: string) => void): number {
  const parsed = parse(args);
  if (parsed?.command === "stub") return stub(parsed, print);
  if (parsed && !isScripted(parsed)) return look(parsed, print);
  print(USAGE);
  return 2;
}

function isScripted({ command }: Request): boolean {
  return command === "run" || command === "trace";
}

function look(parsed: Request, print: (text: string) => void): number {
  try {
    using vulkan = loadVulkan(parsed.options);
    const { data, text } = parsed.command === "info" ? info(vulkan) : explain(vulkan);
    print(parsed.json ? JSON.stringify(data, null, 2) : text);
    return 0;
  } catch (error) {
    if (!(error instanceof DriverError || error instanceof VulkanError)) throw error;
    print(failure(error, parsed));
    return 1;
  }
}

function failure(error: DriverError | VulkanError, { command, json }: Request): string {
  const findings = error instanceof DriverError ? error.findings : [];
  const explanation: Explanation = { error: error.message, findings };
  if (json) return JSON.stringify(explanation, null, 2);
  return command === "info" || findings.length === 0 ? error.message : `${explainText(findings)}\n\n${error.message}`;
}

/** What the arguments ask for. */
interface Request {
  readonly command: string;
  readonly json: boolean;
  /** Where `stub` writes to, or the script of `run` and `trace`. */
  readonly operand?: string;
  readonly watch: boolean;
  readonly out: string;
  readonly options: VulkanOptions;
}

function parse(args: string[]): Request | undefined {
  try {
    const { values: { json, driver: drivers, layer: layers, root, properties, platform, watch, out }, positionals } =
      parseArgs({
        args,
        allowPositionals: true,
        options: {
          driver: { type: "string", multiple: true, default: ["auto"] },
          layer: { type: "string", multiple: true, default: [] },
          platform: { type: "string", default: "auto" },
          root: { type: "string" },
          properties: { type: "string" },
          json: { type: "boolean", default: false },
          watch: { type: "boolean", default: false },
          out: { type: "string", default: "trace.jsonl" },
        },
      });
    const [command, ...rest] = positionals;
    if (rest.length !== OPERANDS[command] || !isPlatform(platform)) return undefined;
    const driver = drivers.length === 1 ? drivers[0] : drivers;
    return { command, json, operand: rest[0], watch, out, options: { driver, layers, root, properties, platform } };
  } catch {
    return undefined;
  }
}

/** How many words follow each command. */
const OPERANDS: Readonly<Record<string, number>> = { explain: 0, info: 0, run: 1, trace: 1, stub: 1 };

function isPlatform(word: string): word is "auto" | "android" | "linux" {
  return ["auto", "android", "linux"].includes(word);
}

function explain(vulkan: Vulkan): { data: Explanation; text: string } {
  const findings = vulkan.explain();
  return { data: { driver: vulkan.driver, findings }, text: explainText(findings) };
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

/** Linked programs ask for the name that distributions give to the development file, and so does this loader answer. */
function stub({ operand: folder, options }: Request, print: (text: string) => void): number {
  const platform = platformOf(options.platform, denoHost());
  const path = `${folder}/libvulkan.so`, names = surfaceOf(platform).exported;
  try {
    Deno.mkdirSync(folder!, { recursive: true });
    Deno.writeFileSync(path, linkStub("libvulkan.so", names));
  } catch (error) {
    print(`Cannot write "${path}": ${(error as Error).message}`);
    return 1;
  }
  print(`${path}: ${names.length} functions`);
  return 0;
}

/** What only these commands take is loaded for them alone. */
async function script(
  { command, operand, watch, out, options }: Request,
  print: (text: string) => void,
): Promise<number> {
  const { runScript } = await import("./cli/run_script.ts");
  try {
    using trace = command === "trace" ? (await import("./loader/layers.ts")).apiTrace({ path: out }) : undefined;
    await runScript(operand!, {
      layers: [...trace ? [trace.layer] : [], ...options.layers as string[]],
      watch,
      say: print,
    });
    if (trace) print(`${out}: what ${operand} called`);
    return 0;
  } catch (error) {
    print(`${operand}: ${error}`);
    return 1;
  }
}

if (import.meta.main) Deno.exit(await main(Deno.args, console.log));
