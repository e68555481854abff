import { extensionOutcome } from "./core_1_1_rules.ts";
import { decodeDeqpLevel, encodeDeqpLevel } from "./deqp_level.ts";
import type { DeviceFacts } from "./facts.ts";
import { demand } from "./requirement.ts";
import type { Circumstances, DeviceRule } from "./rule.ts";
import type { Outcome } from "./verdict.ts";

/** The extensions of VK_KHR, VK_GOOGLE and VK_ANDROID that the tests of a dEQP level know first. */
interface TestedExtensions {
  /** The level, as a date. */
  readonly level: string;
  /** Names. */
  readonly names: readonly string[];
}

/** By level, from the oldest to the newest known one. A level includes those of older levels. */
export const TESTED_EXTENSIONS: readonly TestedExtensions[] = [
  tested(
    "2019-03-01",
    "KHR",
    "multiview device_group shader_draw_parameters maintenance1 external_memory external_semaphore 16bit_storage descriptor_update_template external_fence maintenance2 variable_pointers dedicated_allocation storage_buffer_storage_class relaxed_block_layout get_memory_requirements2 sampler_ycbcr_conversion bind_memory2 maintenance3 get_physical_device_properties2 device_group_creation external_memory_capabilities external_semaphore_capabilities external_fence_capabilities",
    ["VK_ANDROID_external_memory_android_hardware_buffer", "VK_GOOGLE_display_timing"],
  ),
  tested(
    "2020-03-01",
    "KHR",
    "swapchain swapchain_mutable_format display_swapchain sampler_mirror_clamp_to_edge external_memory_win32 external_memory_fd win32_keyed_mutex external_semaphore_win32 external_semaphore_fd push_descriptor shader_float16_int8 incremental_present 8bit_storage create_renderpass2 shared_presentable_image external_fence_win32 external_fence_fd image_format_list driver_properties shader_float_controls depth_stencil_resolve draw_indirect_count shader_atomic_int64 vulkan_memory_model uniform_buffer_standard_layout imageless_framebuffer shader_subgroup_extended_types buffer_device_address separate_depth_stencil_layouts timeline_semaphore spirv_1_4 pipeline_executable_properties shader_clock performance_query shader_non_semantic_info surface display xlib_surface xcb_surface wayland_surface mir_surface android_surface win32_surface get_surface_capabilities2 get_display_properties2 surface_protected_capabilities",
    ["VK_GOOGLE_decorate_string", "VK_GOOGLE_hlsl_functionality1"],
  ),
  tested(
    "2021-03-01",
    "KHR",
    "copy_commands2 shader_terminate_invocation ray_tracing_pipeline ray_query acceleration_structure pipeline_library deferred_host_operations fragment_shading_rate zero_initialize_workgroup_memory workgroup_memory_explicit_layout synchronization2 shader_integer_dot_product",
  ),
  tested(
    "2022-03-01",
    "KHR",
    "dynamic_rendering format_feature_flags2 global_priority maintenance4 portability_subset present_id present_wait shader_subgroup_uniform_control_flow portability_enumeration",
  ),
  tested(
    "2023-03-01",
    "KHR",
    "fragment_shader_barycentric ray_tracing_maintenance1 video_decode_h264 video_decode_h265 video_decode_queue video_queue",
    ["VK_GOOGLE_user_type"],
  ),
  tested("2024-03-01", "KHR", "cooperative_matrix maintenance5 map_memory2 ray_tracing_position_fetch", [
    "VK_ANDROID_external_format_resolve",
  ]),
];

function tested(level: string, author: string, names: string, others: readonly string[] = []): TestedExtensions {
  return { level, names: [...names.split(" ").map((name) => `VK_${author}_${name}`), ...others] };
}

/** Extensions that the CDD requires of every driver, and their lowest revisions. */
const MANDATORY: readonly (readonly [name: string, revision: number])[] = [
  ["VK_KHR_get_physical_device_properties2", 1],
  ["VK_KHR_maintenance1", 1],
];
/** Extensions that no device may list. */
export const BLOCKED: readonly string[] = [
  "VK_KHR_performance_query",
  "VK_KHR_video_queue",
  "VK_KHR_video_decode_queue",
  "VK_KHR_video_encode_queue",
];
/** The authors whose device extensions CTS examines. */
const AUTHORS = /^VK_(KHR|GOOGLE|ANDROID)_/;

/** VK3: required extensions. VK36: forbidden ones. */
export const EXTENSION_RULES: readonly DeviceRule[] = [
  ...MANDATORY.map(([name, revision]): DeviceRule => ({
    id: "VK3",
    rule: `vulkan.extension.${name}`,
    requirement: `${name} is there, revision ${revision} or newer.`,
    source: "CDD 7.1.4.2/C-1-7; CTS VulkanFeaturesTest#testVulkanRequiredExtensions; dEQP-VK.api.info",
    check: (device) => extensionOutcome(device, name, revision),
  })),
  ...BLOCKED.map((name): DeviceRule => ({
    id: "VK36",
    rule: `vulkan.blocked.${name}`,
    requirement: `No device lists ${name}.`,
    source: "CDD 7.1.4.2/C-1-11; CTS VulkanFeaturesTest#testVulkanBlockedExtensions",
    since: 11,
    check: (_device, { driver: { devices } }) => blockedOutcome(name, devices),
  })),
  {
    id: "VK36",
    rule: "vulkan.exposed-extensions",
    requirement:
      "Of VK_KHR, VK_GOOGLE and VK_ANDROID a device lists only extensions that the claimed dEQP level tests.",
    source: "CDD 7.1.4.2; CTS VulkanFeaturesTest#testVulkanExposedDeviceExtensions",
    since: 11,
    check: exposedOutcome,
  },
];

function blockedOutcome(name: string, devices: readonly DeviceFacts[]): Outcome {
  const having = devices.filter(({ deviceExtensions }) => deviceExtensions.includes(name));
  const found = having.length === 0 ? "not listed" : `listed by ${having.map((each) => `"${each.name}"`).join(", ")}`;
  return demand(having.length === 0, found, "the driver must not list it on Android", having[0] ? "driver" : undefined);
}

function exposedOutcome(device: DeviceFacts, { deqpLevel }: Circumstances): Outcome {
  const known = encodeDeqpLevel(TESTED_EXTENSIONS.at(-1)!.level);
  if (deqpLevel === undefined) return { status: "report", found: "no dEQP level is claimed, so none is tested" };
  const tested = new Set(
    TESTED_EXTENSIONS.filter(({ level }) => encodeDeqpLevel(level) <= deqpLevel).flatMap(({ names }) => names),
  );
  const listed = device.deviceExtensions.filter((name) => AUTHORS.test(name));
  const untested = listed.filter((name) => !tested.has(name)), level = decodeDeqpLevel(deqpLevel);
  if (untested.length === 0) return demand(true, `all ${listed.length} are tested at ${level}`, "");
  const found = `the lists up to ${decodeDeqpLevel(Math.min(known, deqpLevel))} do not have ${untested.join(", ")}`;
  if (deqpLevel > known) {
    return { status: "report", found: `${found}; what ${level} tests beyond them is not known here` };
  }
  return demand(false, found, "claim a newer level, or do not list them", "driver");
}
