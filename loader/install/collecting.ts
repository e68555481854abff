/**
 * What Deno's WebGPU calls, among other times, while garbage is collected:
 * objects are destroyed and memory and command buffers given back, work is
 * waited for, and what was written to a mapped buffer that nobody unmapped is
 * copied after all.
 */
const CALLED_WHILE_COLLECTING: readonly RegExp[] = [
  /^vk(Destroy|Free|Unmap|Reset)/,
  /^vk(Wait|DeviceWaitIdle|QueueWaitIdle|GetFenceStatus|GetSemaphoreCounterValue)/,
  /^vk(CreateCommandPool|AllocateCommandBuffers|BeginCommandBuffer|EndCommandBuffer)/,
  /^vkCmd(PipelineBarrier|CopyBuffer)/,
];

/**
 * Whether Deno itself may call a command while garbage is collected. No
 * JavaScript can run then, and nothing tells a callback that it is so: V8 would
 * end the process. Hooks of such commands must not stand before Deno's calls.
 */
export function isCalledWhileCollecting(name: string): boolean {
  return CALLED_WHILE_COLLECTING.some((pattern) => pattern.test(name));
}
