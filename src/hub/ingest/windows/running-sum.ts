/**
 * A sum of doubles that does not drift (Neumaier's compensated summation): what each addition
 * rounds off is kept beside the sum, so that ten times 0.1 is 1.
 */
export class RunningSum {
  #sum = 0
  /** Rest that the additions so far have rounded off. */
  #lost = 0

  add(value: number): void {
    const sum = this.#sum + value
    this.#lost +=
      Math.abs(this.#sum) >= Math.abs(value) ? this.#sum - sum + value : value - sum + this.#sum
    this.#sum = sum
  }

  get value(): number {
    return this.#sum + this.#lost
  }

  clear(): void {
    this.#sum = 0
    this.#lost = 0
  }
}
