/**
 * The settings of all layers that ship: one declaration, of which the settings file, the environment, the command line
 * and the documents are made. Names are those of settings files.
 *
 * @module
 */

/** The form of a setting's text. */
export type SettingKind = "text" | "number" | "boolean" | "texts" | "numbers";

/** A setting of a layer. */
export interface Setting {
  /** The option of the layer's function. */
  readonly option: string;
  /** The form of the text; lists have commas between their elements. */
  readonly kind: SettingKind;
  /** A line of help. */
  readonly about: string;
}

/** The settings of a layer. */
export interface LayerSettings {
  /** The layer's name. */
  readonly layer: string;
  /** The setting that `--layer=NAME:VALUE` gives; absent for a layer that needs none. */
  readonly main?: string;
  /** The settings by name. */
  readonly settings: Readonly<Record<string, Setting>>;
}

const FRAME_END: Setting = { option: "frameEnd", kind: "text", about: "what ends a frame: present or submit" };

/** The layers by the names that `--layer` takes. */
export const DECLARED: Readonly<Record<string, LayerSettings>> = {
  profile: {
    layer: "VK_LAYER_PUMICE_api_profile",
    settings: {
      frame_end: FRAME_END,
      keep: { option: "keep", kind: "number", about: "how many frames are kept" },
    },
  },
  trace: {
    layer: "VK_LAYER_PUMICE_api_trace",
    main: "path",
    settings: {
      path: { option: "path", kind: "text", about: "the file to write" },
      frames: { option: "frames", kind: "numbers", about: "the first and the last frame" },
      frame_end: FRAME_END,
    },
  },
  record: {
    layer: "VK_LAYER_PUMICE_api_recording",
    main: "path",
    settings: { path: { option: "path", kind: "text", about: "the file to write" } },
  },
  limits: {
    layer: "VK_LAYER_PUMICE_device_limits",
    main: "file",
    settings: {
      file: { option: "file", kind: "text", about: "a JSON file of options" },
      hide_extensions: { option: "hideExtensions", kind: "texts", about: "extensions to hide" },
      hide_features: { option: "hideFeatures", kind: "texts", about: "features to hide" },
      hide_commands: { option: "hideCommands", kind: "texts", about: "commands to hide" },
    },
  },
  twin: {
    layer: "VK_LAYER_PUMICE_device_twin",
    main: "source",
    settings: {
      source: { option: "source", kind: "text", about: "a file or profile that describes the device" },
      strictness: { option: "strictness", kind: "text", about: "exact, used or common" },
      device: { option: "device", kind: "number", about: "index of the device in vkjson" },
      profile: { option: "profile", kind: "text", about: "the profile of a file with several" },
      below: { option: "below", kind: "text", about: "index or part of the name of the driver's device" },
      models_tiles: { option: "modelsTiles", kind: "boolean", about: "whether a model of tile memory warns" },
      variants: { option: "variants", kind: "texts", about: "capabilities to take where one of several is enough" },
    },
  },
  faults: {
    layer: "VK_LAYER_PUMICE_fault_injection",
    main: "file",
    settings: {
      file: { option: "file", kind: "text", about: "a JSON file of options" },
      seed: { option: "seed", kind: "number", about: "the seed of the random numbers" },
    },
  },
  leaks: {
    layer: "VK_LAYER_PUMICE_object_leaks",
    settings: { other_threads: { option: "otherThreads", kind: "text", about: "note or block" } },
  },
  spirv: {
    layer: "VK_LAYER_PUMICE_spirv_dump",
    main: "folder",
    settings: {
      folder: { option: "folder", kind: "text", about: "where shaders are saved" },
      disassemble: { option: "disassemble", kind: "boolean", about: "whether text is written, too" },
    },
  },
};

/** The beginning of a layer's settings in a file: `pumice_device_twin`. */
export function prefixOf({ layer }: LayerSettings): string {
  return layer.replace(/^VK_LAYER_/, "").toLowerCase();
}

/** The variable of a setting: `VK_PUMICE_DEVICE_TWIN_STRICTNESS`. */
export function variableOf(declared: LayerSettings, setting: string): string {
  return `VK_${prefixOf(declared)}_${setting}`.toUpperCase();
}
