import {
  VK_BORDER_COLOR_FLOAT_OPAQUE_BLACK,
  VK_BUFFER_USAGE_INDEX_BUFFER_BIT,
  VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
  VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT,
  VK_BUFFER_USAGE_VERTEX_BUFFER_BIT,
  VK_FILTER_LINEAR,
  VK_FILTER_NEAREST,
  VK_FORMAT_D32_SFLOAT,
  VK_FORMAT_R16G16B16A16_SFLOAT,
  VK_FORMAT_R8G8B8A8_UNORM,
  VK_IMAGE_ASPECT_COLOR_BIT,
  VK_IMAGE_ASPECT_DEPTH_BIT,
  VK_IMAGE_TYPE_2D,
  VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
  VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT,
  VK_IMAGE_USAGE_SAMPLED_BIT,
  VK_IMAGE_USAGE_STORAGE_BIT,
  VK_IMAGE_VIEW_TYPE_2D,
  VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
  VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
  VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT,
  VK_SAMPLE_COUNT_1_BIT,
  VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
  VK_SAMPLER_ADDRESS_MODE_REPEAT,
  type VkBuffer,
  type VkFilter,
  type VkFormat,
  type VkImage,
  type VkImageView,
  type VkSampler,
  type VkSamplerAddressMode,
} from "@pumice/gfx/vk";
import {
  columnMesh,
  FRAME_BYTES,
  GLOW_SIZE,
  OVERSAMPLING,
  rockSize,
  shadowSize,
  worldInstances,
} from "../scene/scene.ts";
import type { Gpu } from "./gpu.ts";

/** A buffer the host writes or reads through its bytes. */
export interface HostBuffer {
  /** The buffer. */
  readonly buffer: VkBuffer;
  /** The buffer's memory, mapped for good. */
  readonly bytes: Uint8Array;
}

/** An image with its view. */
export interface Texture {
  /** The image. */
  readonly image: VkImage;
  /** The whole of it. */
  readonly view: VkImageView;
  /** Texels. */
  readonly extent: Extent;
}

/** Width and height in pixels. */
export interface Extent {
  /** Pixels from left to right. */
  readonly width: number;
  /** Pixels from top to bottom. */
  readonly height: number;
}

/** Everything the scene draws from and into; see scene.ts for what each is. */
export interface Resources {
  /** The number of indices of one column. */
  readonly indexCount: number;
  /** The number of columns in the world. */
  readonly instanceCount: number;
  /** Buffers, by scene.ts's names. */
  readonly buffers: Readonly<Record<"vertices" | "instances" | "indices" | "frame" | "picture", HostBuffer>>;
  /** Images, by scene.ts's names. */
  readonly textures: Readonly<Record<"rock" | "shadow" | "light" | "depth" | "glow", Texture>>;
  /** Samplers, by what they do. */
  readonly samplers: Readonly<Record<"repeat" | "smooth" | "exact", VkSampler>>;
}

/** Makes every buffer, image and sampler, and fills those that never change. */
export function makeResources(gpu: Gpu, picture: Extent): Resources {
  const { vertices, indices } = columnMesh(), instances = worldInstances();
  const light = { width: picture.width * OVERSAMPLING, height: picture.height * OVERSAMPLING };
  const rock = square(rockSize(picture.width)), shadow = square(shadowSize(picture.width));
  return {
    indexCount: indices.length,
    instanceCount: instances.byteLength / 64,
    buffers: {
      vertices: filled(gpu, vertices, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT),
      instances: filled(gpu, instances, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT),
      indices: filled(gpu, indices, VK_BUFFER_USAGE_INDEX_BUFFER_BIT),
      frame: hostBuffer(gpu, FRAME_BYTES, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT),
      picture: hostBuffer(gpu, 4 * picture.width * picture.height, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT),
    },
    textures: {
      rock: texture(gpu, VK_FORMAT_R8G8B8A8_UNORM, rock, VK_IMAGE_USAGE_STORAGE_BIT),
      shadow: texture(gpu, VK_FORMAT_D32_SFLOAT, shadow, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT),
      light: texture(gpu, VK_FORMAT_R16G16B16A16_SFLOAT, light, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT),
      depth: texture(gpu, VK_FORMAT_D32_SFLOAT, light, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT),
      glow: texture(gpu, VK_FORMAT_R16G16B16A16_SFLOAT, GLOW_SIZE, VK_IMAGE_USAGE_STORAGE_BIT),
    },
    samplers: {
      repeat: sampler(gpu, VK_FILTER_LINEAR, VK_SAMPLER_ADDRESS_MODE_REPEAT),
      smooth: sampler(gpu, VK_FILTER_LINEAR, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE),
      exact: sampler(gpu, VK_FILTER_NEAREST, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE),
    },
  };
}

function square(size: number): Extent {
  return { width: size, height: size };
}

/** A buffer of `size` bytes, mapped for good. */
export function hostBuffer(gpu: Gpu, size: number, usage: number): HostBuffer {
  const buffer = gpu.device.vkCreateBuffer({ size: BigInt(size), usage });
  gpu.owned.defer(() => gpu.device.vkDestroyBuffer(buffer));
  const memory = gpu.bind({ buffer }, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  const address = gpu.device.vkMapMemory(memory, 0n, BigInt(size));
  const bytes = new Uint8Array(Deno.UnsafePointerView.getArrayBuffer(Deno.UnsafePointer.create(address)!, size));
  return { buffer, bytes };
}

/** A buffer that holds `data`. */
export function filled(gpu: Gpu, data: Float32Array | Uint16Array, usage: number): HostBuffer {
  const made = hostBuffer(gpu, data.byteLength, usage);
  made.bytes.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  return made;
}

/** An image on the device that shaders can sample, and whatever else `usage` says. */
export function texture(gpu: Gpu, format: VkFormat, extent: Extent, usage: number): Texture {
  const image = gpu.device.vkCreateImage({
    imageType: VK_IMAGE_TYPE_2D,
    format,
    extent: { ...extent, depth: 1 },
    mipLevels: 1,
    arrayLayers: 1,
    samples: VK_SAMPLE_COUNT_1_BIT,
    usage: usage | VK_IMAGE_USAGE_SAMPLED_BIT,
  });
  gpu.owned.defer(() => gpu.device.vkDestroyImage(image));
  gpu.bind({ image }, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  return { image, view: viewOf(gpu, image, format), extent };
}

/** A view of the whole of an image. */
export function viewOf(gpu: Gpu, image: VkImage, format: VkFormat): VkImageView {
  const aspectMask = format === VK_FORMAT_D32_SFLOAT ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT;
  const subresourceRange = { aspectMask, levelCount: 1, layerCount: 1 };
  const view = gpu.device.vkCreateImageView({ image, viewType: VK_IMAGE_VIEW_TYPE_2D, format, subresourceRange });
  gpu.owned.defer(() => gpu.device.vkDestroyImageView(view));
  return view;
}

function sampler(gpu: Gpu, filter: VkFilter, address: VkSamplerAddressMode): VkSampler {
  const made = gpu.device.vkCreateSampler({
    magFilter: filter,
    minFilter: filter,
    addressModeU: address,
    addressModeV: address,
    addressModeW: address,
    borderColor: VK_BORDER_COLOR_FLOAT_OPAQUE_BLACK,
  });
  gpu.owned.defer(() => gpu.device.vkDestroySampler(made));
  return made;
}
