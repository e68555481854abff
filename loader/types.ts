/**
 * Every type of the Vulkan API: structs, enums, flags, handles, the objects' commands, the raw commands.
 *
 * @module
 */
export type * from "./base.ts";
export type * from "./gen/commands_gen.ts";
export type * from "./gen/raw_commands_gen.ts";
export type * from "./gen/structure_types_gen.ts";
export type * from "./gen/types_core_gen.ts";
export type * from "./gen/types_khr_gen.ts";
export type * from "./gen/types_ext_gen.ts";
export type * from "./gen/types_vendor_gen.ts";
export type * from "./gen/types_video_gen.ts";
export type * from "./gen/types_platform_gen.ts";
