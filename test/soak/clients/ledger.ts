/** What clients have sent, counted by themselves: the numbers that all others are compared with. */
export class Ledger {
  /** Sentences on single cases that went wrong, for people. */
  readonly faults: string[] = []
  readonly #counts = new Map<string, number>()

  add(name: string, amount: number): void {
    this.#counts.set(name, this.of(name) + amount)
  }

  /** Keeps the last value of what is no sum. */
  set(name: string, value: number): void {
    this.#counts.set(name, value)
  }

  /** Gives 0 for what was never sent. */
  of(name: string): number {
    return this.#counts.get(name) ?? 0
  }
}
