/**
 * A layer that leaves each vkCmdDraw out, however often a replay carries out a submission.
 *
 * @module
 */
import { defineLayer } from "../../../../../loader/mod.ts";

/** The layer. */
export default defineLayer({ name: "VK_LAYER_PUMICE_dropping", commands: { vkCmdDraw() {} } });
