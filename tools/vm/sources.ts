/**
 * The drivers that are built: where their source is, and what is changed in
 * it.
 *
 * @module
 */

/** A driver that is built from the kernel's source. */
export interface BuiltDriver {
  /** The module's name. */
  readonly module: string;
  /** The files in the kernel's source, with `*` for any letters. */
  readonly files: readonly string[];
  /** Variables of `make`. */
  readonly options: readonly string[];
  /** Changes the source, and returns the folder to build. */
  prepare(source: string): string;
}

/** A change of one file: every place of `find`, of which there must be one at least. */
type Change = readonly [find: RegExp, replace: string];

/** A card without hardware: planes, a writeback connector, checksums of what is shown. */
export const VKMS: BuiltDriver = {
  module: "vkms",
  files: ["drivers/gpu/drm/vkms/*"],
  options: ["CONFIG_DRM_VKMS=m"],
  prepare(source) {
    const folder = `${source}/drivers/gpu/drm/vkms`;
    // Rows went to where the topmost plane reads them, which is elsewhere if that plane is turned.
    change(`${folder}/vkms_composer.c`, [
      /vkms_writeback_row\(wb, output_buffer, y_pos\)/g,
      "vkms_writeback_row(wb, output_buffer, y)",
    ]);
    // A screen and a writeback connector may share a CRTC, as newer kernels have it.
    change(`${folder}/vkms_output.c`, [/^\tdrm_mode_config_reset\(dev\);/m, `${CLONES}$&`]);
    for (const file of ["vkms_plane.c", "vkms_writeback.c"]) {
      change(`${folder}/${file}`, [/^\tDRM_FORMAT_XRGB8888,/gm, "$&\n\tDRM_FORMAT_ABGR8888,\n\tDRM_FORMAT_XBGR8888,"]);
    }
    for (const letter of ["A", "X"]) change(`${folder}/vkms_formats.c`, ...turned(letter));
    return folder;
  },
};

const CLONES = `	if (vkmsdev->config->writeback)
		encoder->possible_clones = output->wb_connector.encoder.possible_clones =
			drm_encoder_mask(encoder) | drm_encoder_mask(&output->wb_connector.encoder);
`;

/** Adds a format with red and blue exchanged, such as Android's RGBA_8888 (ABGR8888), which the driver lacks. */
function turned(letter: string): Change[] {
  const known = `${letter}RGB8888`, read = `${letter}BGR8888_to_argb_u16`, write = `argb_u16_to_${letter}BGR8888`;
  const readCode = `static void ${read}(u8 *from, struct pixel_argb_u16 *to)
{
	${known}_to_argb_u16(from, to);
	swap(to->r, to->b);
}

`;
  const writeCode = `static void ${write}(u8 *to, struct pixel_argb_u16 *from)
{
	struct pixel_argb_u16 exchanged = *from;

	swap(exchanged.r, exchanged.b);
	argb_u16_to_${known}(to, &exchanged);
}

`;
  const format = `\tcase DRM_FORMAT_${letter}BGR8888:\n`;
  return [
    [new RegExp(`^\\t\\treturn &${known}_to_argb_u16;`, "m"), `$&\n${format}\t\treturn &${read};`],
    [new RegExp(`^\\t\\treturn &argb_u16_to_${known};`, "m"), `$&\n${format}\t\treturn &${write};`],
    [/^void \*get_pixel_conversion_function\(u32 format\)/m, `${readCode}$&`],
    [/^void \*get_pixel_write_function\(u32 format\)/m, `${writeCode}$&`],
  ];
}

/** Fences that a test signals. The kernel has them built in or not at all, so that a module takes small changes. */
export const SW_SYNC: BuiltDriver = {
  module: "kms_sw_sync",
  files: ["drivers/dma-buf/sw_sync.c", "drivers/dma-buf/sync_debug.[ch]"],
  options: [],
  prepare(source) {
    const folder = `${source}/sw_sync`;
    Deno.mkdirSync(folder);
    for (const name of ["sw_sync.c", "sync_debug.c", "sync_debug.h"]) {
      Deno.copyFileSync(`${source}/drivers/dma-buf/${name}`, `${folder}/${name}`);
    }
    change(
      `${folder}/sw_sync.c`,
      [/^#define CREATE_TRACE_POINTS.*/m, "#define trace_sync_timeline(timeline)"],
      [/^.*sync_trace\.h.*\n/m, ""],
    );
    change(
      `${folder}/sync_debug.c`,
      [/sync_file_get_name\(sync_file, buf, sizeof\(buf\)\)/g, '"sync_file"'], // is not exported
      [/^#include <linux\/debugfs\.h>/m, '$&\n#include <linux/module.h>\nMODULE_LICENSE("GPL");'],
    );
    Deno.writeTextFileSync(`${folder}/Kbuild`, KBUILD);
    return folder;
  },
};

const KBUILD = `obj-m := kms_sw_sync.o
kms_sw_sync-y := sw_sync.o sync_debug.o
ccflags-y := -DCONFIG_SW_SYNC -Wno-unused-variable
`;

/** Android's binder with its file system, which Debian's module lacks. */
export const BINDER: BuiltDriver = {
  module: "binder_linux",
  files: ["drivers/android/*"],
  options: [],
  prepare(source) {
    const folder = `${source}/drivers/android`;
    Deno.writeTextFileSync(`${folder}/Makefile`, "");
    Deno.writeTextFileSync(`${folder}/Kbuild`, BINDER_KBUILD);
    return folder;
  },
};

const BINDER_KBUILD = `obj-m := binder_linux.o
binder_linux-y := binder.o binder_alloc.o binderfs.o
ccflags-y := -DCONFIG_ANDROID_BINDERFS=1 -I$(src)
`;

function change(path: string, ...changes: readonly Change[]): void {
  let text = Deno.readTextFileSync(path);
  for (const [find, replace] of changes) {
    const before = text;
    text = text.replace(find, replace);
    if (text === before) {
      throw new Error(`${path} has no ${find}: this kernel's source is another one; change sources.ts`);
    }
  }
  Deno.writeTextFileSync(path, text);
}
