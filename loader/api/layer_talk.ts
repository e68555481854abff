import { deviceElements } from "../chain/link/links.ts";
import type { Driver } from "../driver/interface/driver.ts";
import type { Finding } from "../driver/report/finding.ts";
import { LOG, logFindings, logMask, type LogMessage, messagesOf, writeMessages } from "../driver/report/log.ts";
import type { NativeLayer } from "../layers/choice/library.ts";
import type { LayerCatalog } from "../layers/choice/rules.ts";
import type { Choice, SourceOptions } from "../layers/choice/source.ts";
import { callstack, type Made, shown } from "../layers/choice/tell.ts";
import type { PlatformRules } from "../platform/rules.ts";

/** Where nothing is written to standard error. */
const SILENT = { env: () => undefined, writeError() {} };

/** Who says what about layers. */
export interface TalkOptions extends Pick<SourceOptions, "host"> {
  /** The platform's rules, which say who hears it beside the log and standard error. */
  readonly rules: PlatformRules;
  /** Told what was looked at. */
  readonly log?: (message: string) => void;
}

/** Says what was looked at for an instance to the log, to standard error, and to whoever listens from its create info on. */
export function tellInstance(
  { log, host, rules }: TalkOptions,
  driver: Driver,
  own: readonly Finding[],
  { settings }: LayerCatalog,
  info: bigint,
): void {
  const all = () => [...driver.search?.findings() ?? [], ...own];
  if (host.isQuiet) {
    logFindings(all(), undefined, host, settings?.stderrLog);
    if (log) Promise.resolve().then(() => logFindings(own, log, SILENT)); // it may do what callbacks must not
  } else if (own.length > 0) logFindings(own, log, host, settings?.stderrLog);
  rules.tell(info, () => all().flatMap(messagesOf));
}

/** Tells those who listen to an instance. */
export type Tell = (message: LogMessage) => void;

/**
 * Says which layers an instance or a device of it is made with. `to`: whom to
 * tell, or a VkInstanceCreateInfo in whose chain they are.
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

/** Says which device extensions nobody has. */
export function tellRefusal(options: TalkOptions, extensions: readonly string[], choice: Choice, to: Tell): void {
  if (extensions.length === 0) return;
  const [name] = extensions,
    texts = [
      `loader_validate_device_extensions: Device extension ${name} not supported by selected physical device or enabled layers.`,
      "vkCreateDevice: Failed to validate extensions in list",
    ];
  write(options, texts.map((text) => ({ level: "error", bits: LOG.error, text })), choice, to);
}

/** Writes messages to standard error, as far as that is asked for, and tells them. */
function write(
  { host, rules }: TalkOptions,
  messages: readonly LogMessage[],
  { catalog }: Choice,
  to: Tell | bigint,
): void {
  writeMessages(messages, host, logMask(host) | (catalog.settings?.stderrLog ?? 0));
  if (typeof to === "bigint") rules.tell(to, () => messages);
  else messages.forEach(to);
}

/** That an application asks for a variant of Vulkan; it gets Vulkan. */
export function otherVariant(version: number): Finding[] {
  const variant = version >>> 29, path = "VkApplicationInfo.apiVersion", value = `0x${version.toString(16)}`;
  if (variant === 0) return [];
  const reason = `asks for variant ${variant} of Vulkan, and gets variant 0`;
  const message =
    `vkCreateInstance: The API Variant specified in pCreateInfo->pApplicationInfo.apiVersion is ${variant} ` +
    "instead of the expected value of 0.";
  return [{ subject: "setting", path, value, origin: "application", taken: false, reason, level: "warning", message }];
}

/** That an extension which was asked for is nobody's. */
export function unknownExtension(path: string): Finding {
  const reason = "asked for by the application, and neither a driver nor a layer in force has it";
  const message =
    `loader_validate_instance_extensions: Instance extension ${path} not supported by available ICDs or enabled layers.`;
  return { subject: "setting", path, origin: "ppEnabledExtensionNames", taken: false, reason, level: "error", message };
}
