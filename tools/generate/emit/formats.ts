import type { Registry, TexelFormat } from "../registry/model.ts";
import { header, textConstant } from "./header.ts";
import { valuesByName } from "./spec.ts";

/** Writes `formats_gen.js`: how the texels of each format lie in memory. Formats of several planes are left out. */
export function emitFormats(registry: Registry): string {
  const values = valuesByName(registry);
  return header(registry.version) + textConstant(
    "FORMATS",
    "One line per format: its value, bytes of a block, texels of a block, bits of the word that components are packed in (or 0), and components in order, those of one numeric format together.",
    registry.formats.filter((each) => !each.isMultiPlanar && values.has(each.name)).map((each) =>
      [values.get(each.name), each.blockSize, each.blockExtent.join("x"), each.packed, ...components(each)].join(" ")
    ),
  );
}

/** Components such as `R8G8B8A8=UNORM`; the bits of compressed ones are 0. */
function components({ components }: TexelFormat): string[] {
  const groups: { text: string; numericFormat: string }[] = [];
  for (const { name, bits, numericFormat } of components) {
    const last = groups.at(-1);
    if (last?.numericFormat === numericFormat) last.text += name + bits;
    else groups.push({ text: name + bits, numericFormat });
  }
  return groups.map(({ text, numericFormat }) => `${text}=${numericFormat}`);
}
