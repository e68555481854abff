import type { LayoutChange } from "./effects.ts";
import type { ImageFacts } from "./resources.ts";

/** The layouts of images by level and layer, as the executed commands left them. */
export class Layouts {
  readonly #images = new Map<string, { readonly layers: number; readonly layouts: number[] }>();

  /** Notes a new image. */
  add(name: string, { mipLevels, arrayLayers, initialLayout }: ImageFacts): void {
    const layouts = Array.from({ length: mipLevels * arrayLayers }, () => initialLayout);
    this.#images.set(name, { layers: arrayLayers, layouts });
  }

  /** Notes an image's end. */
  remove(name: string): void {
    this.#images.delete(name);
  }

  /** Notes what a command changed. */
  change({ part, newLayout }: LayoutChange): void {
    const { baseMipLevel, levelCount, baseArrayLayer, layerCount } = part, known = this.#images.get(part.image);
    if (!known) return;
    for (let level = baseMipLevel; level < baseMipLevel + levelCount; level++) {
      for (let layer = baseArrayLayer; layer < baseArrayLayer + layerCount; layer++) {
        if (layer < known.layers) known.layouts[level * known.layers + layer] = newLayout;
      }
    }
  }

  /** Returns the VkImageLayout of a level and layer; undefined for an unknown image. */
  of(name: string, level: number, layer: number): number | undefined {
    const known = this.#images.get(name);
    return known?.layouts[level * known.layers + layer];
  }
}
