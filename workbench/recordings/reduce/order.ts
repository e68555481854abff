/** How far one side may be ahead: the other one gets its turn after so many refusals. */
const MOST = 4;

/**
 * The order of the judges of a smaller recording: the one that refused more of the latest ones is asked first. A
 * recording that breaks rules of Vulkan may crash a driver, or hang, which takes longest: the validation layer is asked
 * first at the beginning and after that.
 */
export class Order {
  #lead = MOST;

  /** Whether the validation layer is asked before the drivers are. */
  get validatesFirst(): boolean {
    return this.#lead > 0;
  }

  /** The validation layer had an error. */
  refusedByValidation(): void {
    this.#lead = Math.min(MOST, this.#lead + 1);
  }

  /** The drivers do not part as they should. A crash or a hang where there should be none is dear. */
  refusedByDrivers(isDear: boolean): void {
    this.#lead = isDear ? MOST : Math.max(-MOST, this.#lead - 1);
  }
}
