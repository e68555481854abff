/** A native element of the chain: where the element above finds its commands. */
export interface ChainElement {
  /** The layer's name, for messages. */
  readonly name: string;
  /** Address of its vkGetInstanceProcAddr. */
  readonly getInstanceProcAddr: bigint;
  /** Address of its vkGetDeviceProcAddr; 0n for an instance-only layer, which stays out of the device chain. */
  readonly getDeviceProcAddr: bigint;
}
