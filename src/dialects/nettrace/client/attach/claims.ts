/**
 * Processes that a hub reads from, whatever address brought them: each one once (§10), under a name
 * that tells it from others of its program.
 */

export class ProcessClaims {
  /** Names by cookie, which is the same as long as a process lives. */
  readonly #names = new Map<string, string>()

  /**
   * Takes a process.
   * @returns name of its own: that of the program, with a number from the second one on; undefined
   *   for a process that is read from already
   */
  claim(cookie: string, program: string): string | undefined {
    if (this.#names.has(cookie)) return undefined
    const taken = new Set(this.#names.values())
    let name = program
    for (let number = 2; taken.has(name); number++) name = `${program}~${number}`
    this.#names.set(cookie, name)
    return name
  }

  release(cookie: string): void {
    this.#names.delete(cookie)
  }

  get size(): number {
    return this.#names.size
  }
}
