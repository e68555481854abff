/** A layer as `cli.ts run --layer` takes it. */
export default {
  name: "VK_LAYER_TEST_module",
  commands: {
    vkGetEventStatus: () => {
      console.log("layer: vkGetEventStatus");
      return 41;
    },
  },
};
