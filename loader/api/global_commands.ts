import { readCString } from "../../ffi/cstring.ts";
import { invokeAddress, poke32 } from "../../ffi/machine.ts";
import type { NativeCall } from "../command/compile.ts";
import { commandSignature } from "../command/plan.ts";
import { findCommand } from "../command/registry/table.ts";
import type { Driver } from "../driver/interface/driver.ts";
import { readExtensionList, writeExtensionList } from "../driver/interface/extension_list.ts";
import type { Finding } from "../driver/report/finding.ts";
import { driverProc } from "../driver/interface/probe.ts";
import { writeLayerList } from "../layers/choice/tell.ts";
import type { LayerStack } from "./layer_stack.ts";
import type { PreInstanceCommand } from "../layers/choice/pre_instance.ts";
import { loaderProcAddr } from "./proc_addr.ts";
import { VK_API_VERSION_1_0, VK_ERROR_LAYER_NOT_PRESENT } from "../gen/native_gen.ts";

/** Returns the raw forms of the commands that need no instance, with the functions of implicit layers in front. */
export function globalCommands(driver: Driver, stack: LayerStack): [string, NativeCall][] {
  const answers: Record<PreInstanceCommand, (...args: bigint[]) => number> = {
    vkEnumerateInstanceVersion: (out) => instanceVersion(driver, out),
    vkEnumerateInstanceExtensionProperties: (layer, count, out) =>
      extensionProperties(driver, stack, readCString(layer), count, out),
    vkEnumerateInstanceLayerProperties: (count, out) => writeLayerList(stack.list(), count, out),
  };
  const enumerating = Object.entries(answers).map(([name, last]): [string, NativeCall] => [
    name,
    (...args: bigint[]) => throughLayers(name as PreInstanceCommand, stack, args, last),
  ]);
  return [...enumerating, ["vkGetInstanceProcAddr", loaderProcAddr]];
}

function throughLayers(
  command: PreInstanceCommand,
  stack: LayerStack,
  args: bigint[],
  last: (...args: bigint[]) => number,
): number {
  const layers = stack.beforeInstances(), { source, rules: { nativeSide } } = stack;
  if (layers.length === 0) return last(...args);
  const report = (findings: readonly Finding[]) => source.add(findings);
  return nativeSide!.callPreInstance(command, layers, args, last, { quiet: source.isQuiet, report });
}

/**
 * Without a layer's name: the driver's extensions and those of layers that are
 * active by themselves. On Android, the layers' extensions come first.
 */
function extensionProperties(driver: Driver, stack: LayerStack, layer: string, count: bigint, out: bigint): number {
  if (layer !== "") {
    const own = stack.extensionsOf(layer);
    return own ? writeExtensionList(own, count, out) : VK_ERROR_LAYER_NOT_PRESENT;
  }
  const themselves = stack.byThemselves().map((active) => active.layer.instanceExtensions);
  const brought = [
    ...themselves,
    ...stack.bottom.map((each) => (each.instanceExtensions ?? []).filter(({ isListed }) => isListed !== false)),
  ];
  if (brought.every((list) => list.length === 0)) return driverExtensions(driver, count, out);
  const own = readExtensionList((ownCount, list) => driverExtensions(driver, ownCount, list));
  if (typeof own === "number") return own;
  return writeExtensionList(stack.rules.listExtensions(own, brought), count, out);
}

function driverExtensions(driver: Driver, count: bigint, out: bigint): number {
  return callDriver(driver, "vkEnumerateInstanceExtensionProperties", [0n, count, out]);
}

function instanceVersion(driver: Driver, out: bigint): number {
  if (driverProc(driver, 0n, "vkEnumerateInstanceVersion") !== 0n) {
    return callDriver(driver, "vkEnumerateInstanceVersion", [out]);
  }
  poke32(out, VK_API_VERSION_1_0);
  return 0;
}

function callDriver(driver: Driver, name: string, values: bigint[]): number {
  return invokeAddress(driverProc(driver, 0n, name), commandSignature(findCommand(name)!, "raw"), values) as number;
}
