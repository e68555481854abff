import type { ComposerInfo } from "../../hwc/info/composer_info.ts";
import type { ComposerDisplayInfo } from "../../hwc/info/display_info.ts";
import { paragraph, sentence } from "./paragraph.ts";

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
