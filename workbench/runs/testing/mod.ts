/**
 * Tests of drivers: {@linkcode gpuTest} runs a test on every driver of this
 * machine, each time in a process of its own. The test gets a device with
 * functions for common tasks. A failed test leaves a script that runs the test
 * again.
 *
 * Needs `--allow-ffi`, `--allow-run=deno`, `--allow-read`, `--allow-write` and
 * `--allow-env`.
 *
 * @example An image is cleared on every driver
 * ```ts ignore
 * import { changeLayout, gpuTest } from "@pumice/gfx/testing";
 * import { VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL } from "@pumice/gfx/vk";
 * import { assertEquals } from "@std/assert";
 *
 * gpuTest("an image is cleared", {}, ({ image, submit, pixels }) => {
 *   const target = image({ width: 16, height: 16 }), layout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
 *   const range = { aspectMask: VK_IMAGE_ASPECT_COLOR_BIT, levelCount: 1, layerCount: 1 };
 *   submit((commands) => {
 *     changeLayout(commands, target, layout);
 *     commands.vkCmdClearColorImage(target.image, layout, { float32: [1, 0.5, 0, 1] }, [range]);
 *   });
 *   assertEquals([...pixels(target).data.subarray(0, 4)], [255, 128, 0, 255]);
 * });
 * ```
 *
 * @module
 */
export { comparePictures, differencePicture, type PictureDifference, type TestPicture } from "./compare.ts";
export type { BareImageInfo } from "../../../wsi/gpu/bare_image.ts";
export { fullBarrier, type ImagePart, turnImage, zeroImage } from "../../../wsi/gpu/barriers.ts";
export type { GpuBuffer } from "../../../wsi/gpu/buffer.ts";
export type { ComputeOptions } from "../../../wsi/gpu/compute.ts";
export type { GoldenOptions, GpuTestContext } from "./context.ts";
export type { OpenedDevice } from "../../../wsi/gpu/device.ts";
export type { DescriptorInput, DescriptorSetWithLayout } from "../../../wsi/gpu/inputs.ts";
export type { DrawOptions } from "../../../wsi/gpu/draw.ts";
export type { ViewInfo } from "../../../wsi/gpu/bare_image.ts";
export type { GraphicsPipelineInfo } from "../../../wsi/gpu/draw.ts";
export type { ViewAttachment, ViewsPass } from "../../../wsi/gpu/render_pass.ts";
export { gpuTest, type GpuTestBody, gpuTestResults } from "./gpu_test.ts";
export { changeLayout, type GpuImage, type GpuImageOptions } from "../../../wsi/gpu/image.ts";
export type { Budget, GpuTestOptions, GpuTestSpec, NamedDriver, Tolerance } from "./options.ts";
export type { FailedPicture, GpuTestTimes } from "./outcome.ts";
export { type GpuTestReport, type GpuTestResult, type GpuTestStatus, matrixText } from "./report.ts";
export type { Bindable, ShaderInputs } from "../../../wsi/gpu/inputs.ts";
export type { GpuTools } from "../../../wsi/gpu/gpu.ts";
export type { DeviceCriteria, DeviceType, GpuRequirements } from "../../../wsi/gpu/requirements.ts";
export type { ShaderCode } from "../../../wsi/gpu/shader.ts";
export type { GpuSampler, SamplerOptions } from "../../../wsi/gpu/sampler.ts";
export { gpuTestOf, openGpuTest } from "./specs.ts";
