/**
 * How much a test tries. Runs a fast-check property so that a failure names its seed and the
 * command that repeats it: FC_SEED and FC_RUNS in the environment override the random seed and the
 * number of runs. `npm test` is for every change; `npm run test:long`, which sets TEST_LONG, tries
 * more.
 */
import fc from 'fast-check'

const isLong = process.env.TEST_LONG !== undefined

/** Inputs of one property: at most so many in `npm test`; so many times those stated otherwise. */
const SHORT_RUNS_LIMIT = 1000
const LONG_RUNS_FACTOR = 3
const SHORT_LOAD_DIVISOR = 10

/** Gives the size of a load: all of it in `npm run test:long`, a tenth in `npm test`. */
export function load(size: number): number {
  return isLong ? size : size / SHORT_LOAD_DIVISOR
}

/** Asserts that the property holds; `runs` inputs are tried, fewer or more as the command says. */
export function holds<T>(property: fc.IRawProperty<T>, runs = 200): void {
  fc.assert(property as fc.IProperty<T>, parametersOf<T>(runs))
}

/** The same for a property that has to wait for something. */
export function holdsAsync<T>(property: fc.IAsyncProperty<T>, runs = 200): Promise<void> {
  return fc.assert(property, parametersOf<T>(runs))
}

function parametersOf<T>(runs: number): fc.Parameters<T> {
  const seed = numberFromEnvironment('FC_SEED') ?? (Date.now() ^ (Math.random() * 2 ** 32)) | 0
  const numRuns = numberFromEnvironment('FC_RUNS') ?? runsOf(runs)
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

function runsOf(runs: number): number {
  return isLong ? LONG_RUNS_FACTOR * runs : Math.min(runs, SHORT_RUNS_LIMIT)
}

function numberFromEnvironment(name: string): number | undefined {
  const text = process.env[name]
  return text === undefined ? undefined : Number(text)
}
