/** The consumer's callbacks: IConsumerListener. */
export interface ConsumerListener {
  /** Called when a frame was queued. */
  onFrameAvailable?(frameNumber: bigint): void;
  /** Called when a queued frame replaced a frame that was not acquired. */
  onFrameReplaced?(frameNumber: bigint, replaced: bigint): void;
  /** Called when a queued frame was dropped because its time had passed. */
  onFrameDropped?(): void;
  /** Called when buffers were freed; state for these slots can be deleted. */
  onBuffersReleased?(slots: readonly number[]): void;
  /** Called when the producer disconnected. */
  onDisconnect?(): void;
  /**
   * Called when the producer finds no free buffer; the consumer releases one if it can. Returns whether the producer
   * should try again.
   */
  onProducerWaits?(): boolean;
}

/** The producer's callbacks: IProducerListener. */
export interface ProducerListener {
  /** Called when the consumer released a buffer. */
  onBufferReleased?(slot: number): void;
  /** Called when the consumer freed unused buffers. */
  onBuffersDiscarded?(slots: readonly number[]): void;
}
