/**
 * Tests of drivers: {@linkcode gpuTest} runs a test on every driver that there
 * is, each time in a process of its own, gives it a device and what most tests
 * do with one, and says of what fails how to see it again.
 *
 * Needs `--allow-ffi`, `--allow-run=deno`, `--allow-read`, `--allow-write` and
 * `--allow-env`.
 *
 * @module
 */
export { comparePictures, type PictureDifference } from "./compare.ts";
export type { GpuBuffer } from "./buffer.ts";
export type { ComputeOptions } from "./compute.ts";
export type { GoldenOptions, GpuTestContext } from "./context.ts";
export type { OpenedDevice } from "./device.ts";
export { differencePicture } from "./difference_picture.ts";
export type { DrawOptions } from "./draw.ts";
export { gpuTest, gpuTestResults } from "./gpu_test.ts";
export { changeLayout, type GpuImage, type ImageOptions } from "./image.ts";
export type { Budget, GpuTestOptions, GpuTestSpec, NamedDriver, Requirements, Tolerance } from "./options.ts";
export type { Measured } from "./outcome.ts";
export type { Picture } from "./picture.ts";
export { type GpuTestResult, type GpuTestStatus, matrixText } from "./report.ts";
export type { ShaderInputs } from "./shader.ts";
export { gpuTestOf, openGpuTest } from "./specs.ts";
