/** The dataspaces that Android's swapchain gives to windows, by what people call them. */
const NAMES: Readonly<Record<number, string>> = {
  0: "unknown",
  1: "arbitrary",
  0x08810000: "sRGB",
  0x088a0000: "Display P3",
  0x18410000: "scRGB linear",
  0x18810000: "scRGB",
  0x084a0000: "DCI-P3 linear",
  0x094a0000: "DCI-P3",
  0x08410000: "BT.709 linear",
  0x10c10000: "BT.709",
  0x08460000: "BT.2020 linear",
  0x18460000: "BT.2020 linear, extended",
  0x09c60000: "BT.2020 PQ",
  0x0a060000: "BT.2020 HLG",
  0x084b0000: "Adobe RGB linear",
  0x090b0000: "Adobe RGB",
};

/** An `android_dataspace` for people: its name, or its number. */
export function dataspaceName(dataspace: number): string {
  return NAMES[dataspace] ?? `0x${(dataspace >>> 0).toString(16).padStart(8, "0")}`;
}
