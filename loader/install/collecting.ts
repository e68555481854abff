/**
 * Commands that Deno's WebGPU may call during garbage collection: it destroys
 * objects, frees memory and command buffers, waits for work, and copies what
 * was written to a mapped buffer that nobody unmapped.
 */
const CALLED_WHILE_COLLECTING: readonly RegExp[] = [
  /^vk(Destroy|Free|Unmap|Reset)/,
  /^vk(Wait|DeviceWaitIdle|QueueWaitIdle|GetFenceStatus|GetSemaphoreCounterValue)/,
  /^vk(CreateCommandPool|AllocateCommandBuffers|BeginCommandBuffer|EndCommandBuffer)/,
  /^vkCmd(PipelineBarrier|CopyBuffer)/,
];

/**
 * Whether Deno itself may call a command during garbage collection. No
 * JavaScript can run then, and a callback cannot notice it: V8 would end the
 * process. Deno's calls of such commands must therefore skip all hooks.
 */
export function isCalledWhileCollecting(name: string): boolean {
  return CALLED_WHILE_COLLECTING.some((pattern) => pattern.test(name));
}
