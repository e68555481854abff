import { deviceElements } from "../chain/element.ts";
import { UNCOUNTED } from "../chain/table/table_layout.ts";
import { isBelowVulkan, requestedLayers } from "../driver/structs/create_info.ts";
import type { Driver } from "../driver/interface/driver.ts";
import type { Finding } from "../driver/report/finding.ts";
import { LOG, logFindings, type LogMessage, messagesOf, wantedMask, writeMessages } from "../driver/report/log.ts";
import type { NativeLayer } from "../layers/choice/library.ts";
import type { LayerCatalog } from "../layers/choice/rules.ts";
import type { Choice, SourceOptions } from "../layers/choice/source.ts";
import { callstack, type Made, shown } from "../layers/choice/tell.ts";
import type { PlatformRules } from "../platform/rules.ts";

/** A host that writes nothing to standard error. */
const SILENT = { env: () => undefined, writeError() {} };

/** The options for reports about layers. */
export interface TalkOptions extends Pick<SourceOptions, "host"> {
  /** The platform's rules, which decide who gets reports beside the log and standard error. */
  readonly rules: PlatformRules;
  /** Called for each finding. */
  readonly log?: (message: string) => void;
}

/** Reports the findings for an instance to the log, to standard error, and to the messengers of the create info. */
export function tellInstance(
  { log, host, rules }: TalkOptions,
  driver: Driver,
  own: readonly Finding[],
  { settings }: LayerCatalog,
  info: bigint,
): void {
  const all = () => [...driver.search?.findings() ?? [], ...own],
    request = () => rules.requestWords?.(info, all().some(({ origin }) => origin === "settings file")) ?? [];
  const mask = wantedMask(host, settings?.stderrLog);
  if (mask !== 0 || isBelowVulkan(info)) writeMessages(request(), host, mask);
  if (host.isQuiet) {
    logFindings(all(), undefined, host, settings?.stderrLog);
    // the log may do things that callbacks must not do
    if (log) Promise.resolve().then(() => logFindings(own, log, SILENT));
  } else if (own.length > 0) logFindings(own, log, host, settings?.stderrLog);
  rules.tell(info, () => [...request(), ...all().flatMap(messagesOf)]);
}

/** Sends a message to the messengers of an instance. */
export type Tell = (message: LogMessage) => void;

/**
 * Reports the layers with which an instance or a device is created. `to`: the
 * receiver, or the address of a VkInstanceCreateInfo with messengers in its
 * chain.
 */
export function tellCallstack(
  options: TalkOptions,
  made: Made,
  elements: readonly NativeLayer[],
  choice: Choice,
  to: Tell | bigint,
): void {
  const parts = made === "device" ? deviceElements(elements) : elements;
  if (elements.length === 0 && !options.host.isQuiet) return;
  write(options, callstack(made, parts.map((layer) => shown(layer, choice.active))), choice, to);
}

/** Reports on standard error that an instance's layers are unloaded. Nobody else listens to a destroyed instance. */
export function tellUnloading({ host }: TalkOptions, layers: readonly NativeLayer[], { catalog }: Choice): void {
  if (layers.length === 0) return;
  const messages = layers.map(({ path }): LogMessage => {
    return { level: "debug", bits: LOG.debug | LOG.layer, text: `Unloading layer library ${path}` };
  });
  writeMessages(messages, host, wantedMask(host, catalog.settings?.stderrLog));
}

/** Reports the device extensions that nobody provides. */
export function tellRefusal(options: TalkOptions, extensions: readonly string[], choice: Choice, to: Tell): void {
  if (extensions.length === 0) return;
  const [name] = extensions,
    texts = [
      `loader_validate_device_extensions: Device extension ${name} not supported by selected physical device or enabled layers.`,
      "vkCreateDevice: Failed to validate extensions in list",
    ];
  write(options, texts.map((text) => ({ level: "error", bits: LOG.error, text })), choice, to);
}

/** Reports that the layers which a VkDeviceCreateInfo names are ignored, unless they are those of the instance. */
export function tellIgnored(
  options: TalkOptions,
  ofInstance: readonly string[],
  info: bigint,
  choice: Choice,
  to: Tell,
): void {
  const named = requestedLayers(info);
  if (!named || named.length === 0 || named.join() === ofInstance.join()) return;
  const text = "loader_create_device_chain: Using deprecated and ignored 'ppEnabledLayerNames' member of " +
    "'VkDeviceCreateInfo' when creating a Vulkan device.";
  write(options, [{ level: "warning", bits: LOG.warning, text }], choice, to);
}

/**
 * Reports to the log and to listeners that native code has called a command
 * that is not there, or listed without a count. Machine code has written the
 * former to standard error.
 */
export function tellAbsent({ log, host }: TalkOptions, text: string, tell: Tell): void {
  if (log) Promise.resolve().then(() => log(text)); // the log may call operations that callbacks must not
  const message = { level: "error", bits: LOG.error, text } as const;
  if ((UNCOUNTED as readonly string[]).includes(text)) writeMessages([message], host, wantedMask(host));
  tell(message);
}

/** Writes messages to standard error, as far as requested, and sends them. */
function write(
  { host, rules }: TalkOptions,
  messages: readonly LogMessage[],
  { catalog }: Choice,
  to: Tell | bigint,
): void {
  writeMessages(messages, host, wantedMask(host, catalog.settings?.stderrLog));
  if (typeof to === "bigint") rules.tell(to, () => messages);
  else messages.forEach(to);
}

/** The finding that an application requests a variant of Vulkan and gets Vulkan. */
export function otherVariant(version: number): Finding[] {
  const variant = version >>> 29, path = "VkApplicationInfo.apiVersion", value = `0x${version.toString(16)}`;
  if (variant === 0) return [];
  const reason = `asks for variant ${variant} of Vulkan, and gets variant 0`;
  const message =
    `vkCreateInstance: The API Variant specified in pCreateInfo->pApplicationInfo.apiVersion is ${variant} ` +
    "instead of the expected value of 0.";
  return [{ subject: "setting", path, value, origin: "application", taken: false, reason, level: "warning", message }];
}

/** The finding that nobody provides a requested extension. `isKnown`: the loader lets extensions of this name through. */
export function unknownExtension(path: string, isKnown: boolean): Finding {
  const reason = "asked for by the application, and neither a driver nor a layer in force has it";
  const message = "loader_validate_instance_extensions: " +
    (isKnown
      ? `Instance extension ${path} not supported by available ICDs or enabled layers.`
      : `Extension ${path} not found in list of known instance extensions.`);
  return { subject: "setting", path, origin: "ppEnabledExtensionNames", taken: false, reason, level: "error", message };
}
