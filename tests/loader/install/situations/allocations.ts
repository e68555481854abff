/**
 * Plans with an allocator of the application, which counts and which fails.
 *
 * @module
 */
import { plan, type Planned } from "./planned.ts";

const SURFACES = "instance VK_KHR_surface VK_EXT_headless_surface", UTILS = "+VK_EXT_debug_utils +VK_EXT_debug_report";
const INSTANCE = "instance +VK_KHR_surface +VK_EXT_headless_surface";

type Differs = Pick<Planned, "differs">;

/** Steps with an allocator that has memory for all: what of it is left. */
function counted(title: string, drivers: string | string[], steps: string, gets: string, more: Differs = {}): Planned {
  return plan(`counted: ${title}`, drivers, `allocate; ${steps}; balance`, gets, more);
}

/** Steps over and over again, each allocation failing in turn: which results there are, and what is left. */
function failing(title: string, drivers: string | string[], steps: string, gets: string, more: Differs = {}): Planned {
  return plan(`failing: ${title}`, drivers, `each ${steps}`, gets, more);
}

/** Plans about memory from the application's allocator. */
export const ALLOCATIONS: readonly Planned[] = [
  counted("an instance", "gpus 1", "instance; destroy instance", "0 | 0"),
  counted(
    "an instance that asks for addresses",
    "gpus 1",
    "instance; has vkCreateDevice vkDestroyDevice vkCmdDraw; destroy instance",
    "0 | yes yes yes | 0",
  ),
  counted("devices are listed", "gpus 2", "instance; count; gpus; destroy instance", "0 | 0 2 | 0 1.0 1.1 | 0"),
  counted(
    "devices are listed often",
    "gpus 3",
    `instance${"; gpus; count".repeat(10)}; destroy instance`,
    "0 | 0 1.0 1.1 1.2 | 0 3 | 0 1.0 1.1 1.2 | 0 3 | 0 1.0 1.1 1.2 | 0 3 | 0 1.0 1.1 1.2 | 0 3 | 0 1.0 1.1 1.2 | 0 3 | 0 1.0 1.1 1.2 | 0 3 | 0 1.0 1.1 1.2 | 0 3 | 0 1.0 1.1 1.2 | 0 3 | 0 1.0 1.1 1.2 | 0 3 | 0 1.0 1.1 1.2 | 0 3 | 0",
  ),
  counted(
    "devices of several drivers",
    ["gpus 2", "gpus 1"],
    "instance; gpus; destroy instance",
    "0 | 0 1.0 1.1 2.0 | 0",
  ),
  counted(
    "an instance and a device",
    "gpus 1",
    "instance; gpus; device 0; destroy device; destroy instance",
    "0 | 0 1.0 | 0 | 0",
  ),
  counted(
    "several devices",
    "gpus 2",
    "instance; gpus; device 0; device 1; destroy device; use device 0; destroy device; destroy instance",
    "0 | 0 1.0 1.1 | 0 | 0 | 0",
  ),
  counted("a surface", SURFACES, `${INSTANCE}; surface headless; destroy surface; destroy instance`, "0 | 0 | 0"),
  counted(
    "a surface of two drivers",
    [SURFACES, SURFACES],
    `${INSTANCE}; surface headless; gpus; support 0; support 1; destroy surface; destroy instance`,
    "0 | 0 | 0 1.0 2.0 | 0 1 | 0 1 | 0",
  ),
  counted(
    "surfaces in another order",
    SURFACES,
    `${INSTANCE}; surface headless; surface headless; use surface 0; destroy surface; use surface 1; destroy surface; destroy instance`,
    "0 | 0 | 0 | 0",
  ),
  counted("a messenger", "gpus 1", `instance ${UTILS}; utils 1111 7; destroy utils; destroy instance`, "0 | 0 | 0"),
  counted(
    "a messenger of two drivers",
    ["instance VK_EXT_debug_utils", "gpus 1"],
    `instance ${UTILS}; utils 1111 7; destroy utils; destroy instance`,
    "0 | 0 | 0",
  ),
  counted("a report callback", "gpus 1", `instance ${UTILS}; report 1f; destroy report; destroy instance`, "0 | 0 | 0"),
  counted("a chained messenger", "gpus 1", `instance utils:1111 report:1f; destroy instance`, "0 | 0"),
  counted("a layer that is not there", "gpus 1", "instance layer:VK_LAYER_TEST_nobody", "-6 | 0"),
  counted("an extension that is not there", "gpus 1", "instance +VK_TEST_nobody", "-7 | 0"),
  counted("a driver that fails", "fails vkCreateInstance=-3", "instance", "-9 | 0"),
  counted(
    "one of two drivers fails",
    ["fails vkCreateInstance=-3", "gpus 1"],
    "instance; gpus; destroy instance",
    "0 | 0 2.0 | 0",
  ),
  counted(
    "a device that fails",
    "fails vkCreateDevice=-3",
    "instance; gpus; device 0; destroy instance",
    "0 | 0 1.0 | -3 | 0",
  ),
  counted(
    "a device extension that is not there",
    "gpus 1",
    "instance; gpus; device 0 +VK_TEST_nobody; destroy instance",
    "0 | 0 1.0 | -7 | 0",
  ),
  counted(
    "a surface that fails",
    `${SURFACES}; fails vkCreateHeadlessSurfaceEXT=-1`,
    `${INSTANCE}; surface headless; destroy instance`,
    "0 | -1 | 0",
  ),
  counted(
    "a direct driver",
    "hidden; interface 7",
    "instance +VK_LUNARG_direct_driver_loading only:DIR/driver_0.so; gpus; destroy instance",
    "0 | 0 1.0 | 0",
    { differs: "older" },
  ),
  plan(
    "an allocator for the device alone",
    "gpus 1",
    "instance; gpus; allocate; device 0; destroy device; balance",
    "0 | 0 1.0 | 0 | 0",
  ),
  plan(
    "an allocator for the surface alone",
    SURFACES,
    `${INSTANCE}; allocate; surface headless; destroy surface; balance`,
    "0 | 0 | 0",
  ),
  plan(
    "an allocator for the messenger alone",
    "gpus 1",
    `instance ${UTILS}; allocate; utils 1111 7; destroy utils; balance`,
    "0 | 0 | 0",
  ),
  failing("an instance", "gpus 1", "instance , destroy instance", "out of memory, 0 others, 0 left"),
  failing(
    "an instance and its devices",
    "gpus 3",
    "instance , count , gpus , destroy instance",
    "out of memory, 0 others, 0 left",
  ),
  failing(
    "an instance of several drivers",
    ["gpus 2", "gpus 1"],
    "instance , gpus , destroy instance",
    "out of memory, 0 others, 0 left",
  ),
  failing(
    "a device",
    "gpus 2",
    "instance , gpus , device 0 , destroy device , destroy instance",
    "out of memory, 0 others, 0 left",
  ),
  failing(
    "devices that are listed again",
    "gpus 3",
    "instance , gpus 1 , gpus , gpus , destroy instance",
    "out of memory, 0 others, 0 left",
  ),
  failing(
    "a surface",
    SURFACES,
    `${INSTANCE} , surface headless , destroy surface , destroy instance`,
    "out of memory, 0 others, 0 left",
  ),
  failing(
    "a surface of two drivers",
    [SURFACES, SURFACES],
    `${INSTANCE} , surface headless , gpus , support 0 , support 1 , destroy surface , destroy instance`,
    "out of memory, 0 others, 0 left",
  ),
  failing(
    "a messenger",
    "gpus 1",
    `instance ${UTILS} , utils 1111 7 , destroy utils , destroy instance`,
    "out of memory, 0 others, 0 left",
  ),
  failing(
    "a report callback",
    "gpus 1",
    `instance ${UTILS} , report 1f , destroy report , destroy instance`,
    "out of memory, 0 others, 0 left",
  ),
  failing("a chained messenger", "gpus 1", "instance utils:1111 , destroy instance", "out of memory, 0 others, 0 left"),
  failing("an extension of the driver", SURFACES, `${INSTANCE} , destroy instance`, "out of memory, 0 others, 0 left"),
  failing(
    "a driver that fails beside it",
    ["fails vkCreateInstance=-3", "gpus 1"],
    "instance , gpus , destroy instance",
    "out of memory, 0 others, 0 left",
  ),
  failing(
    "a direct driver",
    "hidden; interface 7",
    "instance +VK_LUNARG_direct_driver_loading only:DIR/driver_0.so , gpus , destroy instance",
    "out of memory, 0 others, 0 left",
    { differs: "older" },
  ),
  plan(
    "failing: beside a file that is no driver",
    ["gpus 1", "gpus 1"],
    "each instance , gpus , destroy instance",
    "out of memory, 0 others, 0 left",
    {
      set: (machine) =>
        void machine.write("drivers/0.json", {
          file_format_version: "1.0.0",
          ICD: { library_path: "./no.so", api_version: "1.3.0" },
        }),
    },
  ),
];
