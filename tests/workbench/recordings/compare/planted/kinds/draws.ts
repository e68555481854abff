import { adding, all, type Kind, leavingOut, plus, setting } from "../fault.ts";

const DIRECT = ["vkCmdDraw", "vkCmdDrawIndexed"], INDIRECT = ["vkCmdDrawIndirect", "vkCmdDrawIndexedIndirect"];

/** Faults of draws and dispatches. */
export const DRAWS: readonly Kind[] = [
  { name: "a draw left out", commands: [...DIRECT, ...INDIRECT], change: leavingOut },
  { name: "a triangle less", commands: ["vkCmdDraw"], change: adding("vertexCount", -3) },
  {
    name: "a later first vertex",
    commands: ["vkCmdDraw"],
    change: all(adding("firstVertex", 1), adding("vertexCount", -1)),
  },
  { name: "three indices less", commands: ["vkCmdDrawIndexed"], change: adding("indexCount", -3) },
  {
    name: "a later first index",
    commands: ["vkCmdDrawIndexed"],
    change: all(adding("firstIndex", 1), adding("indexCount", -1)),
  },
  { name: "another vertex offset", commands: ["vkCmdDrawIndexed"], change: adding("vertexOffset", 1) },
  { name: "an instance less", commands: DIRECT, change: adding("instanceCount", -1) },
  {
    name: "a later first instance",
    commands: DIRECT,
    change: all(adding("firstInstance", 1), adding("instanceCount", -1)),
  },
  { name: "no indirect draw", commands: INDIRECT, change: adding("drawCount", -1) },
  { name: "a dispatch left out", commands: ["vkCmdDispatch", "vkCmdDispatchIndirect"], change: leavingOut },
  { name: "a smaller dispatch", commands: ["vkCmdDispatch"], change: adding("groupCountX", -1) },
  { name: "a lower dispatch", commands: ["vkCmdDispatch"], change: adding("groupCountY", -1) },
  {
    name: "indirect parameters of another place",
    commands: ["vkCmdDispatchIndirect"],
    change: setting("offset", (offset) => Number(offset) < 4 ? undefined : plus(offset, -4)),
  },
];
