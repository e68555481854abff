import { inFrame } from "../../../ffi/arena.ts";
import { copyFromArena, peek32, poke32 } from "../../../ffi/machine.ts";
import { codec } from "../../codec/codec.ts";
import { LOG, type LogMessage } from "../../driver/report/log.ts";
import type { Layer } from "../../layer.ts";
import type { NativeLayer } from "./library.ts";
import type { ManifestLayer } from "./declared/manifest.ts";
import type { ActiveLayer, EnabledBy } from "./rules.ts";
import { VK_API_VERSION_1_0, VK_INCOMPLETE, VK_MAX_DESCRIPTION_SIZE } from "../../gen/native_gen.ts";

/** The words for each source that enabled a layer in an instance, as in the Khronos loader's log where it has some. */
export const ENABLED_BY: Readonly<Record<EnabledBy, string>> = {
  option: "By the Application",
  implicit: "Implicit Layer",
  instanceLayers: "Environment Variable VK_INSTANCE_LAYERS",
  enable: "Environment Variable VK_LOADER_LAYERS_ENABLE",
  application: "By the Application",
  meta: "Meta Layer (Vulkan Configurator)",
  settings: "Loader Settings File (Vulkan Configurator)",
  debugSetting: "Setting gpu_debug_layers",
  debugProperty: "Properties debug.vulkan.layers and debug.vulkan.layer.N",
  platform: "Property ro.vulkan.layers.platform",
  oem: "Property ro.vulkan.layers.oem",
};

/** A layer in the log. Layers that a script gave may lack a manifest. */
export interface ShownLayer {
  /** The name. */
  readonly name: string;
  /** The library. */
  readonly path: string;
  /** The source that enabled it, in words. */
  readonly enabledBy: string;
  /** The manifest. */
  readonly manifest?: ManifestLayer;
}

/** The kind of object that was created through layers: an instance above the drivers, or a device. */
export type Made = "instance" | "device";

/** The two ends of a call stack: the caller and the bottom, and the categories of their messages. */
const ENDS = {
  instance: ["vkCreateInstance", "<Drivers>", LOG.layer],
  device: ["vkCreateDevice", "<Device>", LOG.layer | LOG.driver],
} as const;

/**
 * Returns the Khronos loader's messages about the layers with which an instance
 * or device is created, top to bottom.
 */
export function callstack(made: Made, layers: readonly ShownLayer[]): LogMessage[] {
  const [command, bottom, ends] = ENDS[made];
  const message = (bits: number, text: string): LogMessage => ({ level: "info", bits, text });
  const inserted = made === "instance"
    ? []
    : layers.toReversed().map(({ name, path }) =>
      message(LOG.info | LOG.layer, `Inserted device layer "${name}" (${path})`)
    );
  const top = [`${command} layer callstack setup to:`, "   <Application>", "     ||", "   <Loader>", "     ||"];
  return [
    ...inserted,
    ...top.map((text) => message(ends, text)),
    ...layers.flatMap(linesOf).map((text) => message(LOG.layer, text)),
    message(ends, `   ${bottom}`),
  ];
}

/** Returns a layer in use for the log. */
export function shown({ name, path, manifest }: NativeLayer, active: readonly ActiveLayer[]): ShownLayer {
  const by = active.find(({ layer }) => layer === manifest)?.by ?? "option";
  return { name, path, manifest, enabledBy: ENABLED_BY[by] };
}

function linesOf({ name, path, enabledBy, manifest }: ShownLayer): string[] {
  return [
    `   ${name}`,
    `           Type: ${manifest?.isImplicit ? "Implicit" : "Explicit"}`,
    `           Enabled By: ${enabledBy}`,
    ...(manifest?.isImplicit ? [`               Disable Env Var:  ${manifest.disable}`] : []),
    ...(manifest?.enable ? [wakened(manifest.enable)] : []),
    `           Manifest: ${manifest?.manifest ?? ""}`,
    `           Library:  ${path}`,
    "     ||",
  ];
}

function wakened([variable, value]: readonly [string, string]): string {
  return `               This layer was enabled because Env Var ${variable} was set to Value ${value}`;
}

/** The properties of a layer that applications see: the members of VkLayerProperties. */
export interface LayerProperties {
  /** The layer's name. */
  readonly layerName: string;
  /** The packed Vulkan version that it was written for. */
  readonly specVersion: number;
  /** The version of the layer. */
  readonly implementationVersion: number;
  /** A description in words. */
  readonly description: string;
}

/** Without the NUL. */
const MOST_DESCRIPTION = VK_MAX_DESCRIPTION_SIZE - 1;

/** Returns the properties of a layer from its manifest. */
export function propertiesOf(layer: ManifestLayer): LayerProperties {
  const { name: layerName, apiVersion: specVersion, implementationVersion, description } = layer;
  return { layerName, specVersion, implementationVersion, description };
}

/** Returns the properties of layers that a script named, top to bottom. */
export function namedProperties(layers: readonly (Layer | NativeLayer)[]): LayerProperties[] {
  return layers.filter(isListed).map((layer) => {
    if ("manifest" in layer && layer.manifest) return propertiesOf(layer.manifest);
    return { layerName: layer.name, specVersion: VK_API_VERSION_1_0, implementationVersion: 1, description: "" };
  });
}

/** Whether applications are told of a layer. */
export function isListed(layer: Layer | NativeLayer): boolean {
  return !("isListed" in layer) || layer.isListed !== false;
}

/** Answers a command that counts first and then fills, by the rules of the specification. Returns its VkResult. */
export function writeLayerList(layers: readonly LayerProperties[], count: bigint, out: bigint): number {
  if (count === 0n) return VK_INCOMPLETE;
  const room = out === 0n ? layers.length : Math.min(peek32(count), layers.length);
  const { size } = codec("VkLayerProperties");
  if (out !== 0n) layers.slice(0, room).forEach((layer, index) => writeLayer(layer, out + BigInt(size * index)));
  poke32(count, room);
  return room < layers.length ? VK_INCOMPLETE : 0;
}

function writeLayer(layer: LayerProperties, to: bigint): void {
  inFrame((memory) => {
    const properties = codec("VkLayerProperties");
    const at = memory.alloc(properties.size);
    properties.encode({ ...layer, description: cut(layer.description) }, at);
    copyFromArena(to, at, properties.size);
  });
}

/** Cuts text to so many bytes of UTF-8, without half a character at the end. */
function cut(text: string): string {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= MOST_DESCRIPTION) return text;
  return new TextDecoder().decode(bytes.subarray(0, MOST_DESCRIPTION), { stream: true });
}
