import type { Command } from "../../../egl/command/spec.ts";
import type { GlDocs } from "../docs/gl.ts";

/** A version or an extension of one API, with its commands and enums. */
export interface Feature {
  /** Such as `GL_ES_VERSION_3_0` or `EGL_KHR_fence_sync`. */
  readonly name: string;
  /** `egl`, `gles1` or `gles2`. */
  readonly api: string;
  /** Such as `3.0`; `undefined` for an extension. */
  readonly version?: string;
  /** Names of its commands, in the registry's order. */
  readonly commands: readonly string[];
  /** Names of its constants. */
  readonly enums: readonly string[];
}

/** A constant. */
export interface Constant {
  /** The C name. */
  readonly name: string;
  /** A number; a bigint for 64-bit values and handles. */
  readonly value: number | bigint;
  /** The groups of constants that it belongs to. */
  readonly groups: readonly string[];
  /** The constant it is another name for. */
  readonly alias?: string;
}

/** The content of one registry file for the wanted APIs. */
export interface GlRegistry {
  /** The file's name, for headers. */
  readonly source: string;
  /** Versions in order, then extensions in order. */
  readonly features: readonly Feature[];
  /** The commands those require, sorted by name. */
  readonly commands: readonly Command[];
  /** The constants those require, in the registry's order. */
  readonly constants: readonly Constant[];
  /** The comments of its constants and commands. */
  readonly docs: GlDocs;
}
