import type { EglConfigInfo, EglInfo, GlesInfo } from "../../egl/info/egl_info.ts";
import type { ComposerInfo } from "../../hwc/info/composer_info.ts";
import type { ComposerDisplayInfo } from "../../hwc/info/display_info.ts";
import { columnsHere, NARROW } from "../../workbench/process/terminal.ts";

/** Returns an EGL driver's capabilities as text. */
export function eglText({ driver, own, shown, configs, contexts }: EglInfo): string {
  const hidden = own.extensions.filter((name) => !shown.extensions.includes(name));
  const provided = shown.extensions.filter((name) => !own.extensions.includes(name));
  return [
    driver,
    sentence("EGL", `${own.version} of ${own.vendor}; ${own.clientApis.join(", ")}`),
    sentence("Extensions", `${own.extensions.length} of the driver; applications see ${shown.extensions.length}`),
    ...extensionLines(own.extensions),
    paragraph("  added", [...provided, ...provided.length === 0 ? ["none"] : []]),
    paragraph("  not shown", [...hidden, ...hidden.length === 0 ? ["none"] : []]),
    ...configurationLines(configs),
    ...contexts.map((context, index) => contextText(context, contexts[index - 1])),
  ].join("\n");
}

/** Configurations that differ only in depth, stencil and samples share a line. */
function configurationLines(configs: readonly EglConfigInfo[]): string[] {
  const kinds = new Map<string, EglConfigInfo[]>();
  for (const config of configs) kinds.set(colors(config), [...kinds.get(colors(config)) ?? [], config]);
  const lines = [...kinds].map(([kind, own]) => {
    const depths = values(own, "EGL_DEPTH_SIZE"), stencils = values(own, "EGL_STENCIL_SIZE");
    return sentence(
      "",
      `${own.length} × ${kind}, depth ${depths}, stencil ${stencils}, samples ${values(own, "EGL_SAMPLES")}`,
    );
  });
  return [sentence("Configs", String(configs.length)), ...lines];
}

function colors(config: EglConfigInfo): string {
  const letters = [["R", "RED"], ["G", "GREEN"], ["B", "BLUE"], ["A", "ALPHA"]];
  return letters.map(([letter, name]) => [letter, config[`EGL_${name}_SIZE`]] as const).filter(([, size]) => size > 0)
    .map(([letter, size]) => `${letter}${size}`).join("");
}

function values(configs: readonly EglConfigInfo[], name: string): string {
  return [...new Set(configs.map((config) => config[name]))].sort((a, b) => a - b).join("/");
}

const LIMITS = ["GL_MAX_TEXTURE_SIZE", "GL_MAX_RENDERBUFFER_SIZE", "GL_MAX_SAMPLES", "GL_MAX_DRAW_BUFFERS"];

/** Drivers often make the same context for several versions: that is said once. */
function contextText(context: GlesInfo, before: GlesInfo | undefined): string {
  const { version, glVersion, renderer, shadingLanguage, extensions, limits } = context, name = `GLES ${version}`;
  if (before && before.glVersion === glVersion && before.extensions.length === extensions.length) {
    return sentence(name, `as ${before.version}`);
  }
  const shown = LIMITS.filter((limit) => limit in limits).map((limit) => `${limit} ${limits[limit]},`);
  return [
    sentence(name, `${glVersion} on ${renderer}${shadingLanguage && `; ${shadingLanguage}`}`),
    sentence("", `${shown.join(" ")} ${Object.keys(limits).length} limits in all`),
    sentence("", `${extensions.length} extensions`),
    ...extensionLines(extensions),
  ].join("\n");
}

/** Returns a composer's capabilities as text. */
export function composerText(
  { capabilities, maxVirtualDisplays, genericMetadataKeys, displays }: ComposerInfo,
): string {
  return [
    "Composer",
    paragraph("Can", listed(capabilities)),
    sentence("Virtual", `${maxVirtualDisplays} displays at most`),
    paragraph("Metadata", listed(genericMetadataKeys.map(({ key }) => key))),
    ...displays.map(displayText),
  ].join("\n");
}

function displayText(display: ComposerDisplayInfo): string {
  const { name, id, type, connection, port, hdr, capabilities = [], metadataKeys = [], contentTypes = [] } = display;
  const where = [connection?.toLowerCase(), port === undefined ? undefined : `port ${port}`].filter(Boolean).join(", ");
  return [
    `\n${name} (${id})`,
    sentence("Display", `${type.toLowerCase()}${where && `, ${where}`}`),
    ...configLines(display),
    paragraph("Colours", Object.entries(display.colorModes).map(([mode, intents]) => `${mode}(${intents.join(",")})`)),
    sentence(
      "HDR",
      hdr.types.length === 0 ? "none" : `${hdr.types.join(" ")}, ${hdr.minLuminance} to ${hdr.maxLuminance} cd/m²`,
    ),
    paragraph("Metadata", listed(metadataKeys)),
    paragraph("Can", listed(capabilities)),
    paragraph("Content", listed(contentTypes)),
  ].join("\n");
}

function configLines({ configs, activeConfig }: ComposerDisplayInfo): string[] {
  return configs.map(({ id, width, height, vsyncPeriod, dpiX, dpiY, group }, index) => {
    const dots = dpiX === undefined ? "" : `, ${dpiX} × ${dpiY} dpi`,
      inGroup = group === undefined ? "" : `, group ${group}`;
    const text = `${id}: ${width} × ${height}, ${(1e9 / vsyncPeriod).toFixed(2)} Hz${dots}${inGroup}`;
    return sentence(index === 0 ? "Configs" : "", text + (id === activeConfig ? ", active" : ""));
  });
}

function listed(words: readonly string[]): readonly string[] {
  return words.length === 0 ? ["none"] : words;
}

/** The widest lines. */
const WIDEST = 110;
/** The column where the text after a name begins, if there is room for a column of names. */
const INDENT = 14;
/** The same below a name. */
const NARROW_INDENT = 4;

/** Returns a name and the words about it, in lines of readable length. */
export function paragraph(name: string, words: readonly string[]): string {
  const width = Math.min(columnsHere() ?? WIDEST, WIDEST), isNarrow = width < NARROW;
  const indent = isNarrow ? NARROW_INDENT + name.search(/\S|$/) : INDENT, lines = [""];
  for (const word of words) {
    const last = lines.length - 1, longer = lines[last] === "" ? word : `${lines[last]} ${word}`;
    if (indent + longer.length > width && lines[last] !== "") lines.push(word);
    else lines[last] = longer;
  }
  if (isNarrow && name !== "") lines.unshift("");
  return lines.map((line, index) => `${`  ${index === 0 ? name : ""}`.padEnd(indent)}${line}`.trimEnd()).join("\n");
}

/** The same from text. */
export function sentence(name: string, text: string): string {
  return paragraph(name, text.split(" "));
}

/** Extensions by their authors: `VK_KHR_swapchain` is listed as `swapchain` behind `KHR`. */
export function extensionLines(names: readonly string[]): string[] {
  const authors = new Map<string, string[]>();
  for (const name of names) {
    const [, author, rest] = /^[A-Z]+_([A-Z0-9]+)_(.*)$/.exec(name) ?? [name, "", name];
    authors.set(author, [...authors.get(author) ?? [], rest]);
  }
  const lines = [...authors].sort(([one], [other]) => one < other ? -1 : 1);
  return lines.map(([author, own]) => paragraph(`  ${author}`, own));
}

/** Bytes as people write them. */
export function bytesText(bytes: number): string {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0, rest = bytes;
  for (; rest >= 1024 && unit < units.length - 1; unit++) rest /= 1024;
  return `${Number(rest.toFixed(1))} ${units[unit]}`;
}

/** Returns rows of text as lines in columns. */
export function inColumns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column])).join("  ").trimEnd());
  return lines.join("\n");
}
