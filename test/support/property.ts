/**
 * Runs a fast-check property so that a failure names its seed and the command that repeats it.
 * FC_SEED and FC_RUNS in the environment override the random seed and the number of runs.
 */
import fc from 'fast-check'

/** Asserts that the property holds; `runs` inputs are tried. */
export function holds<T>(property: fc.IRawProperty<T>, runs = 200): void {
  fc.assert(property as fc.IProperty<T>, parametersOf<T>(runs))
}

/** The same for a property that has to wait for something. */
export function holdsAsync<T>(property: fc.IAsyncProperty<T>, runs = 200): Promise<void> {
  return fc.assert(property, parametersOf<T>(runs))
}

function parametersOf<T>(runs: number): fc.Parameters<T> {
  const seed = numberFromEnvironment('FC_SEED') ?? (Date.now() ^ (Math.random() * 2 ** 32)) | 0
  const numRuns = numberFromEnvironment('FC_RUNS') ?? runs
  return {
    seed,
    numRuns,
    reporter: (details) => {
      if (!details.failed) return
      const file = process.argv[1] ?? ''
      throw new Error(
        `${fc.defaultReportMessage(details)}\nrepeat: FC_SEED=${seed} FC_RUNS=${numRuns} ` +
          `node --test ${file}`,
        { cause: details.errorInstance },
      )
    },
  }
}

function numberFromEnvironment(name: string): number | undefined {
  const text = process.env[name]
  return text === undefined ? undefined : Number(text)
}
