/**
 * Plans that many threads carry out at once. All must get the same.
 *
 * @module
 */
import { plan, type Planned } from "./planned.ts";

const SURFACES = "instance VK_KHR_surface VK_EXT_headless_surface", UTILS = "+VK_EXT_debug_utils";
const WHOLE =
  "instance , gpus , device 0 , has vkCmdDraw vkNobody , devhas vkDestroyDevice vkNobody , destroy device , destroy instance";

/** Plans with many threads. */
export const THREADS: readonly Planned[] = [
  plan("8 threads make an instance", "gpus 1", "threads 8 instance , destroy instance", "0"),
  plan("8 threads make an instance and a device", "gpus 1", `threads 8 ${WHOLE}`, "0 | 0 1.0 | 0 | yes no | yes no"),
  plan(
    "8 threads, four times each",
    "gpus 1",
    `threads 8 ${Array(4).fill(WHOLE).join(" , ")}`,
    "0 | 0 1.0 | 0 | yes no | yes no | 0 | 0 1.0 | 0 | yes no | yes no | 0 | 0 1.0 | 0 | yes no | yes no | 0 | 0 1.0 | 0 | yes no | yes no",
  ),
  plan(
    "8 threads and two drivers",
    ["gpus 2", "gpus 1"],
    `threads 8 ${WHOLE}`,
    "0 | 0 1.0 1.1 2.0 | 0 | yes no | yes no",
  ),
  plan(
    "8 threads with surfaces",
    SURFACES,
    "threads 8 instance +VK_KHR_surface +VK_EXT_headless_surface , surface headless , gpus , support 0 , caps 0 , destroy surface , destroy instance",
    "0 | 0 | 0 1.0 | 0 1 | 0 3",
  ),
  plan(
    "8 threads with messengers",
    "gpus 1",
    `threads 8 instance ${UTILS} , utils 1111 7 , forget , submit 10 1 hello , heard hello , destroy utils , destroy instance`,
    "0 | 0 | 1",
  ),
  plan(
    "8 threads with chained messengers",
    "gpus 1",
    "threads 8 instance utils:1111 , heard Searching for driver manifest , destroy instance",
    "0 | 1",
  ),
  plan(
    "8 threads with allocators",
    "gpus 1",
    "threads 8 allocate , instance , gpus , device 0 , destroy device , destroy instance , balance",
    "0 | 0 1.0 | 0 | 0",
  ),
  plan(
    "8 threads that fail",
    "gpus 1",
    "threads 8 instance +VK_TEST_nobody , instance layer:VK_LAYER_nobody",
    "-7 | -6",
  ),
  plan(
    "8 threads with devices of their own",
    "gpus 2",
    "threads 8 instance , gpus , device 0 , device 1 , destroy device , use device 0 , destroy device , destroy instance",
    "0 | 0 1.0 1.1 | 0 | 0",
  ),
];
