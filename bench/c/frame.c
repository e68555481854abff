// A frame of 1,000 draws, recorded and submitted through the driver's own functions.
#include <stdint.h>
#include <time.h>
#include <vulkan/vulkan.h>

enum { PASSES = 10, DRAWS = 100, SETS = 64 };

// What bench/frame/scene.ts has made: handles and addresses, in this order.
typedef struct {
  VkDevice device;
  VkQueue queue;
  VkCommandBuffer commands;
  VkFence fence;
  VkPipeline pipelines[2];
  VkPipelineLayout layout;
  VkRenderPass pass;
  VkFramebuffer framebuffer;
  VkImage image;
  VkBuffer buffer;
  const VkDescriptorSet *sets;
  PFN_vkBeginCommandBuffer begin;
  PFN_vkEndCommandBuffer end;
  PFN_vkUpdateDescriptorSets update_sets;
  PFN_vkCmdPipelineBarrier barrier;
  PFN_vkCmdBeginRenderPass begin_pass;
  PFN_vkCmdEndRenderPass end_pass;
  PFN_vkCmdBindPipeline bind_pipeline;
  PFN_vkCmdBindDescriptorSets bind_sets;
  PFN_vkCmdBindVertexBuffers bind_vertices;
  PFN_vkCmdPushConstants push;
  PFN_vkCmdDraw draw;
  PFN_vkQueueSubmit submit;
  PFN_vkWaitForFences wait;
  PFN_vkResetFences reset;
} Scene;

static void write_sets(const Scene *s) {
  for (uint32_t i = 0; i < SETS; i++) {
    VkDescriptorBufferInfo buffer = {s->buffer, 256 * (uint64_t)i, 256};
    VkWriteDescriptorSet write = {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstSet = s->sets[i], .descriptorCount = 1,
                                  .descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, .pBufferInfo = &buffer};
    s->update_sets(s->device, 1, &write, 0, 0);
  }
}

static void record_pass(const Scene *s, uint32_t first) {
  VkImageMemoryBarrier barrier = {
      VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER, .srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
      .dstAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT, .oldLayout = VK_IMAGE_LAYOUT_UNDEFINED,
      .newLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, .srcQueueFamilyIndex = ~0u, .dstQueueFamilyIndex = ~0u,
      .image = s->image, .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
  s->barrier(s->commands, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT, 0,
             0, 0, 0, 0, 1, &barrier);
  VkRenderPassBeginInfo begin = {VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO, .renderPass = s->pass,
                                 .framebuffer = s->framebuffer, .renderArea = {{0, 0}, {16, 16}}};
  s->begin_pass(s->commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
  for (uint32_t i = first; i < first + DRAWS; i++) {
    float color[4] = {i / 1000.0f, 0.5f, 0.25f, 1};
    VkDeviceSize offset = 0;
    s->bind_pipeline(s->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, s->pipelines[i & 1]);
    s->bind_sets(s->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, s->layout, 0, 1, &s->sets[i % SETS], 0, 0);
    s->bind_vertices(s->commands, 0, 1, &s->buffer, &offset);
    s->push(s->commands, s->layout, VK_SHADER_STAGE_FRAGMENT_BIT, 0, sizeof color, color);
    s->draw(s->commands, 3, 1, 0, 0);
  }
  s->end_pass(s->commands);
}

void frame_draw(const Scene *s, uint32_t times) {
  for (; times; times--) {
    VkCommandBufferBeginInfo begin = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    write_sets(s);
    s->begin(s->commands, &begin);
    for (uint32_t i = 0; i < PASSES; i++) record_pass(s, DRAWS * i);
    s->end(s->commands);
    VkSubmitInfo submit = {VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &s->commands};
    s->submit(s->queue, 1, &submit, s->fence);
    s->wait(s->device, 1, &s->fence, 1, ~0ull);
    s->reset(s->device, 1, &s->fence);
  }
}
