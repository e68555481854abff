/**
 * Plans with commands that no registry has, and names that nobody knows.
 *
 * @module
 */
import { plan, type Planned } from "./planned.ts";

const A = "vkFirstOfTheTEST", B = "vkSecondOfTheTEST", MANY = Array.from({ length: 60 }, (_, i) => `vkNumber${i}TEST`);
/** Global commands, then others. */
const GLOBAL =
  "vkCreateInstance vkEnumerateInstanceVersion vkEnumerateInstanceExtensionProperties vkEnumerateInstanceLayerProperties vkGetInstanceProcAddr";
const OTHERS = "vkEnumeratePhysicalDevices vkGetDeviceProcAddr vkDestroyInstance vkCmdDraw vkCreateXcbSurfaceKHR";

/** Plans with unknown names, and with those that are known at times. */
export const UNKNOWN: readonly Planned[] = [
  plan(
    "names: nobody's",
    "gpus 1",
    "nullhas vkNobody; instance; has vkNobody; gpus; device 0; devhas vkNobody",
    "no | 0 | no | 0 1.0 | 0 | no",
  ),
  plan(
    "names: near misses",
    "gpus 1",
    "instance; has vkcmddraw vkCmdDra vkCmdDraw_ VkCmdDraw CmdDraw vkCmdDrawKHR",
    "0 | no no no no no no",
  ),
  plan("names: without vk", "gpus 1", "instance; has nobody x CreateInstance", "0 | no no no"),
  plan(
    "names: without an instance",
    "gpus 1",
    `nullhas ${GLOBAL}; nullhas ${OTHERS}`,
    "yes yes yes yes yes | no no no no no",
  ),
  plan(
    "names: of an instance of 1.0",
    "gpus 1",
    `instance 1.0; has ${GLOBAL}; has ${OTHERS}`,
    "0 | yes yes yes yes yes | yes yes yes yes no",
  ),
  plan(
    "names: of an instance of 1.1",
    "gpus 1",
    `instance 1.1; has ${GLOBAL}; has ${OTHERS}`,
    "0 | yes yes yes yes yes | yes yes yes yes no",
  ),
  plan("names: of an instance of 1.2", "gpus 1", `instance 1.2; has ${GLOBAL}`, "0 | yes yes yes yes yes"),
  plan("names: of an instance of 1.3", "gpus 1", `instance 1.3; has ${GLOBAL}`, "0 | no no no no yes"),
  plan(
    "names: of commands of 1.1 for 1.0",
    "gpus 1",
    "instance 1.0; has vkGetPhysicalDeviceProperties2 vkEnumeratePhysicalDeviceGroups vkGetPhysicalDeviceProperties2KHR vkBindBufferMemory2 vkCmdSetDeviceMask",
    "0 | yes yes no yes yes",
  ),
  plan(
    "names: of extensions that nobody enabled",
    "gpus 1",
    "instance 1.1; has vkGetPhysicalDeviceFeatures2KHR vkCreateDebugReportCallbackEXT vkCreateDebugUtilsMessengerEXT vkGetPhysicalDeviceDisplayPropertiesKHR vkCreateHeadlessSurfaceEXT vkEnumeratePhysicalDeviceGroupsKHR",
    "0 | no no no no no no",
  ),
  plan(
    "names: of device extensions, asked of an instance",
    "gpus 1",
    "instance; has vkCreateSwapchainKHR vkCmdTraceRaysKHR vkQueuePresentKHR vkCmdPushDescriptorSetKHR",
    "0 | yes yes yes yes",
  ),
  plan(
    "names: a device's, of the instance and itself",
    "gpus 1",
    "instance; gpus; device 0; devhas vkGetDeviceProcAddr vkDestroyDevice vkGetDeviceQueue vkCreateDevice vkEnumeratePhysicalDevices vkGetInstanceProcAddr vkCreateInstance",
    "0 | 0 1.0 | 0 | yes yes yes no no no no",
  ),
  plan(
    "names: what a device lacks",
    "gpus 1",
    "instance; gpus; device 0; devhas vkQueueSubmit vkDestroyDevice",
    "0 | 0 1.0 | 0 | no yes",
  ),
  plan("gpu: one driver knows", `knows ${A}`, `instance; gpus; knows ${A} 0 3 4`, "0 | 0 1.0 | 1007", {
    elsewhere: "0 | 0 1.0 | NULL",
  }),
  plan(
    "gpu: one driver knows, two devices",
    `gpus 2; knows ${A} ${B}`,
    `instance; gpus; knows ${A} 0 3 4; knows ${A} 1 3 4; knows ${B} 1 1 1`,
    "0 | 0 1.0 1.1 | 1007 | 1107 | 1102",
    { elsewhere: "0 | 0 1.0 1.1 | NULL | NULL | NULL" },
  ),
  plan(
    "gpu: two drivers know",
    [`knows ${A}`, `knows ${A}`],
    `instance; gpus; knows ${A} 0 3 4; knows ${A} 1 3 4`,
    "0 | 0 1.0 2.0 | 1007 | 2007",
    { elsewhere: "0 | 0 1.0 2.0 | NULL | NULL" },
  ),
  plan(
    "gpu: two drivers know other ones",
    [`knows ${A}`, `knows ${B}`],
    `instance; gpus; knows ${A} 0 3 4; knows ${B} 1 3 4`,
    "0 | 0 1.0 2.0 | 1007 | 2007",
    { elsewhere: "0 | 0 1.0 2.0 | NULL | NULL" },
  ),
  plan(
    "gpu: many are known",
    `knows ${MANY.join(" ")}`,
    `instance; gpus; ${MANY.map((name, i) => `knows ${name} 0 ${i} 0`).join("; ")}`,
    "0 | 0 1.0 | 1000 | 1001 | 1002 | 1003 | 1004 | 1005 | 1006 | 1007 | 1008 | 1009 | 1010 | 1011 | 1012 | 1013 | 1014 | 1015 | 1016 | 1017 | 1018 | 1019 | 1020 | 1021 | 1022 | 1023 | 1024 | 1025 | 1026 | 1027 | 1028 | 1029 | 1030 | 1031 | 1032 | 1033 | 1034 | 1035 | 1036 | 1037 | 1038 | 1039 | 1040 | 1041 | 1042 | 1043 | 1044 | 1045 | 1046 | 1047 | 1048 | 1049 | 1050 | 1051 | 1052 | 1053 | 1054 | 1055 | 1056 | 1057 | 1058 | 1059",
    {
      elsewhere:
        "0 | 0 1.0 | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL",
    },
  ),
  plan("gpu: nobody knows", "gpus 1", `instance; gpus; knows ${A} 0 3 4; devknows ${A} 0 0`, "0 | 0 1.0 | NULL | NULL"),
  plan(
    "gpu: asked before devices are listed",
    `knows ${A}`,
    `instance; has ${A}; gpus; knows ${A} 0 3 4`,
    "0 | yes | 0 1.0 | 1007",
    { elsewhere: "0 | no | 0 1.0 | NULL" },
  ),
  plan(
    "gpu: asked again by another instance",
    `knows ${A}`,
    `instance; gpus; knows ${A} 0 3 4; instance; gpus; knows ${A} 0 5 6; destroy instance; use instance 0; gpus; knows ${A} 0 1 1`,
    "0 | 0 1.0 | 1007 | 0 | 0 1.0 | 1011 | 0 1.0 | 1002",
    { elsewhere: "0 | 0 1.0 | NULL | 0 | 0 1.0 | NULL | 0 1.0 | NULL" },
  ),
  plan("gpu: asked without an instance", `knows ${A}`, `nullhas ${A}`, "no"),
  plan("gpu: asked of a device", `knows ${A}`, `instance; gpus; device 0; devhas ${A}`, "0 | 0 1.0 | 0 | no"),
  plan(
    "device: one driver knows",
    `device_knows ${A}`,
    `instance; gpus; device 0; devknows ${A} 3 4; devgets ${A} 3 4`,
    "0 | 0 1.0 | 0 | 1012 | 1012",
  ),
  plan(
    "device: two drivers know",
    [`device_knows ${A}`, `device_knows ${A}`],
    `instance; gpus; device 0; devknows ${A} 3 4; device 1; devknows ${A} 3 4; devgets ${A} 5 6`,
    "0 | 0 1.0 2.0 | 0 | 1012 | 0 | 2012 | 2030",
    { elsewhere: "0 | 0 1.0 2.0 | 0 | NULL | 0 | NULL | 2030" },
  ),
  plan(
    "device: two drivers know other ones",
    [`device_knows ${A}`, `device_knows ${B}`],
    `instance; gpus; device 0; devknows ${A} 3 4; devgets ${B} 1 1; device 1; devknows ${B} 3 4; devgets ${A} 1 1`,
    "0 | 0 1.0 2.0 | 0 | 1012 | NULL | 0 | 2012 | NULL",
  ),
  plan(
    "device: many are known",
    `device_knows ${MANY.join(" ")}`,
    `instance; gpus; device 0; ${MANY.map((name, i) => `devknows ${name} 2 ${i}`).join("; ")}`,
    "0 | 0 1.0 | 0 | 1000 | 1002 | 1004 | 1006 | 1008 | 1010 | 1012 | 1014 | 1016 | 1018 | 1020 | 1022 | 1024 | 1026 | 1028 | 1030 | 1032 | 1034 | 1036 | 1038 | 1040 | 1042 | 1044 | 1046 | 1048 | 1050 | 1052 | 1054 | 1056 | 1058 | 1060 | 1062 | 1064 | 1066 | 1068 | 1070 | 1072 | 1074 | 1076 | 1078 | 1080 | 1082 | 1084 | 1086 | 1088 | 1090 | 1092 | 1094 | 1096 | 1098 | 1100 | 1102 | 1104 | 1106 | 1108 | 1110 | 1112 | 1114 | 1116 | 1118",
  ),
  plan(
    "device: asked before there is one",
    `device_knows ${A}`,
    `instance; has ${A}; gpus; device 0; devknows ${A} 3 4`,
    "0 | yes | 0 1.0 | 0 | 1012",
  ),
  plan(
    "device: an instance asks, two devices answer",
    `gpus 2; device_knows ${A}`,
    `instance; gpus; device 0; device 1; devknows ${A} 2 2; use device 0; devknows ${A} 3 3`,
    "0 | 0 1.0 1.1 | 0 | 0 | 1004 | 1009",
  ),
  plan(
    "device: both kinds",
    `knows ${A}; device_knows ${B}`,
    `instance; gpus; device 0; knows ${A} 0 1 1; devknows ${B} 1 1; devgets ${A} 1 1`,
    "0 | 0 1.0 | 0 | 1002 | 1001 | NULL",
    { elsewhere: "0 | 0 1.0 | 0 | NULL | 1001 | NULL" },
  ),
];
