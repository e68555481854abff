import { VK_MAKE_API_VERSION } from "../version.ts";

/** Packed versions, without patch. */
export const V1_1: number = VK_MAKE_API_VERSION(0, 1, 1, 0);
/** 1.2 */
export const V1_2: number = VK_MAKE_API_VERSION(0, 1, 2, 0);
/** 1.3 */
export const V1_3: number = VK_MAKE_API_VERSION(0, 1, 3, 0);
/** 1.4, the newest. */
export const V1_4: number = VK_MAKE_API_VERSION(0, 1, 4, 0);
/** 1.0.3: the first that was published. */
export const V1_0: number = VK_MAKE_API_VERSION(0, 1, 0, 3);
