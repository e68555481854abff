/** What a consumer is told: IConsumerListener. */
export interface ConsumerListener {
  /** A frame was queued. */
  onFrameAvailable?(frameNumber: bigint): void;
  /** A frame was queued in place of one that nobody took. */
  onFrameReplaced?(frameNumber: bigint, replaced: bigint): void;
  /** A queued frame was dropped because its time had passed. */
  onFrameDropped?(): void;
  /** Buffers were let go of: whoever keeps something for these slots may forget it. */
  onBuffersReleased?(slots: readonly number[]): void;
  /** The producer disconnected. */
  onDisconnect?(): void;
  /** The producer finds no free buffer: whoever can release one, does. Whether anything may be different now. */
  onProducerWaits?(): boolean;
}

/** What a producer is told: IProducerListener. */
export interface ProducerListener {
  /** A buffer was released by the consumer. */
  onBufferReleased?(slot: number): void;
  /** Free buffers were let go of by the consumer. */
  onBuffersDiscarded?(slots: readonly number[]): void;
}
