// What the benchmarks compare with: the same work in C, in the same process.
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <vulkan/vulkan.h>

// --- time --------------------------------------------------------------------------------------

static double milliseconds(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return 1e3 * t.tv_sec + t.tv_nsec / 1e6;
}
// How long this thread has run, whatever others do meanwhile.
double thread_milliseconds(void) { return milliseconds(CLOCK_THREAD_CPUTIME_ID); }
// How long all threads of this process have run.
double process_milliseconds(void) { return milliseconds(CLOCK_PROCESS_CPUTIME_ID); }

// --- calls -------------------------------------------------------------------------------------

typedef struct {
  PFN_vkGetInstanceProcAddr get_instance_proc;
  PFN_vkGetDeviceProcAddr get_device_proc;
  PFN_vkGetEventStatus exported_event_status;
  VkInstance instance;
  VkPhysicalDevice gpu;
  VkDevice device;
  VkEvent event;
} System;

static VkResult make_device(PFN_vkGetInstanceProcAddr get, VkInstance *instance, VkPhysicalDevice *gpu, VkDevice *device) {
  VkApplicationInfo app = {VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_3};
  VkInstanceCreateInfo info = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &app};
  VkResult result = ((PFN_vkCreateInstance)get(0, "vkCreateInstance"))(&info, 0, instance);
  if (result) return result;
  uint32_t count = 1;
  result = ((PFN_vkEnumeratePhysicalDevices)get(*instance, "vkEnumeratePhysicalDevices"))(*instance, &count, gpu);
  if (result < 0 || !count) return VK_ERROR_INITIALIZATION_FAILED;
  float priority = 1;
  VkDeviceQueueCreateInfo queue = {VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
  VkDeviceCreateInfo device_info = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue};
  return ((PFN_vkCreateDevice)get(*instance, "vkCreateDevice"))(*gpu, &device_info, 0, device);
}

// Opens a loader, the system's with one driver, and makes a device and, where the driver has them, an event.
System *system_open(const char *manifest, const char *loader) {
  setenv("VK_DRIVER_FILES", manifest, 1);
  setenv("VK_ICD_FILENAMES", manifest, 1);
  setenv("NODEVICE_SELECT", "1", 1);  // no implicit layer on either side
  void *library = dlopen(loader, RTLD_NOW);
  if (!library) return 0;
  System *system = calloc(1, sizeof *system);
  system->get_instance_proc = (PFN_vkGetInstanceProcAddr)dlsym(library, "vkGetInstanceProcAddr");
  system->get_device_proc = (PFN_vkGetDeviceProcAddr)dlsym(library, "vkGetDeviceProcAddr");
  system->exported_event_status = (PFN_vkGetEventStatus)dlsym(library, "vkGetEventStatus");
  if (make_device(system->get_instance_proc, &system->instance, &system->gpu, &system->device)) return 0;
  VkEventCreateInfo event = {VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
  PFN_vkCreateEvent create = (PFN_vkCreateEvent)system->get_device_proc(system->device, "vkCreateEvent");
  return create && create(system->device, &event, 0, &system->event) ? 0 : system;
}

// Calls vkGetEventStatus through the loader's exported trampoline.
void system_event_status(System *system, uint32_t times) {
  for (uint32_t i = 0; i < times; i++) system->exported_event_status(system->device, system->event);
}

// What calls commands in an order that nobody can foresee: their functions, and the object each is called on.
typedef struct {
  void (*call[64])(void *, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);
  void *object[64];
} Mixed;

// Looks up 64 commands by name. They are called on what they are made for, as far as the name says it, else on the device.
Mixed *system_mixed(System *system, const char *names) {
  VkCommandPoolCreateInfo pool_info = {VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  VkCommandPool pool;
  VkCommandBuffer commands;
  if (((PFN_vkCreateCommandPool)system->get_device_proc(system->device, "vkCreateCommandPool"))(system->device, &pool_info, 0, &pool)) return 0;
  VkCommandBufferAllocateInfo info = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = pool, .commandBufferCount = 1};
  if (((PFN_vkAllocateCommandBuffers)system->get_device_proc(system->device, "vkAllocateCommandBuffers"))(system->device, &info, &commands)) return 0;
  Mixed *mixed = calloc(1, sizeof *mixed);
  for (int i = 0; i < 64; i++, names += strlen(names) + 1) {
    mixed->object[i] = strncmp(names, "vkCmd", 5) ? (void *)system->device : (void *)commands;  // each begins with the same word
    if (!(*(PFN_vkVoidFunction *)&mixed->call[i] = system->get_device_proc(system->device, names))) return 0;
  }
  return mixed;
}

void call_mixed(const Mixed *mixed, const uint8_t *order, uint32_t length, uint32_t times) {
  for (uint32_t i = 0, at = 0; i < times; i++, at = at + 1 == length ? 0 : at + 1)
    mixed->call[order[at]](mixed->object[order[at]], 8, 1, 1, 1, 1);
}

// --- start-up ----------------------------------------------------------------------------------

// Instance, devices, device, and everything destroyed again, through the system's loader.
void system_startup(System *system, uint32_t times) {
  for (uint32_t i = 0; i < times; i++) {
    VkInstance instance;
    VkPhysicalDevice gpu;
    VkDevice device;
    if (make_device(system->get_instance_proc, &instance, &gpu, &device)) abort();
    ((PFN_vkDestroyDevice)system->get_instance_proc(instance, "vkDestroyDevice"))(device, 0);
    ((PFN_vkDestroyInstance)system->get_instance_proc(instance, "vkDestroyInstance"))(instance, 0);
  }
}

// --- dispatch tables ---------------------------------------------------------------------------

// Fills a table as volk does: one GetDeviceProcAddr call per name.
void fill_table(PFN_vkGetDeviceProcAddr get, VkDevice device, const char *names, PFN_vkVoidFunction *table, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    table[i] = get(device, names);
    names += strlen(names) + 1;
  }
}

// Asks for every name as a native program does, through the exported vkGetDeviceProcAddr or vkGetInstanceProcAddr.
void system_device_procs(System *system, const char *names, uint32_t count, uint32_t times) {
  static PFN_vkVoidFunction volatile proc;
  for (; times; times--) {
    const char *name = names;
    for (uint32_t i = 0; i < count; i++, name += strlen(name) + 1) proc = system->get_device_proc(system->device, name);
  }
}

void system_instance_procs(System *system, const char *names, uint32_t count, uint32_t times) {
  static PFN_vkVoidFunction volatile proc;
  for (; times; times--) {
    const char *name = names;
    for (uint32_t i = 0; i < count; i++, name += strlen(name) + 1) proc = system->get_instance_proc(system->instance, name);
  }
}

// --- structs -----------------------------------------------------------------------------------

static void *volatile sink;

void encode_buffer(uint32_t times) {
  static VkBufferCreateInfo info;
  for (uint32_t i = 0; i < times; i++) {
    info = (VkBufferCreateInfo){VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = 65536 + i, .usage = i & 0xff};
    sink = &info;
  }
}

void encode_dependency(uint32_t times) {
  static VkDependencyInfo info;
  static VkImageMemoryBarrier2 barriers[2];
  for (uint32_t i = 0; i < times; i++) {
    for (int k = 0; k < 2; k++) {
      barriers[k] = (VkImageMemoryBarrier2){
          VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2,
          .srcStageMask = 1, .srcAccessMask = 2, .dstStageMask = 4, .dstAccessMask = 8, .newLayout = i & 7,
          .srcQueueFamilyIndex = ~0u, .dstQueueFamilyIndex = ~0u, .image = (VkImage)(uintptr_t)(1000 + i),
          .subresourceRange = {1, 0, 1, 0, 1}};
    }
    info = (VkDependencyInfo){VK_STRUCTURE_TYPE_DEPENDENCY_INFO, .imageMemoryBarrierCount = 2, .pImageMemoryBarriers = barriers};
    sink = &info;
  }
}

static volatile uint64_t total;

void decode_buffer(const VkBufferCreateInfo *info, uint32_t times) {
  for (uint32_t i = 0; i < times; i++) {
    VkBufferCreateInfo copy = *(const volatile VkBufferCreateInfo *)info;
    total += copy.size;
  }
}

void decode_dependency(const VkDependencyInfo *info, uint32_t times) {
  for (uint32_t i = 0; i < times; i++) {
    for (uint32_t k = 0; k < info->imageMemoryBarrierCount; k++) {
      VkImageMemoryBarrier2 copy = *(const volatile VkImageMemoryBarrier2 *)&info->pImageMemoryBarriers[k];
      total += copy.newLayout;
    }
  }
}
