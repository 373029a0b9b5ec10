/** Runs vector files through the runners of their dialects and adds up what holds. */
import { Mismatch } from './expect.ts'
import { caseName, type VectorCase, type VectorFile } from './vector-file.ts'

/**
 * Checks one case through public names only; throws what is wrong with it. A returned text is a
 * remark on what could not be checked yet.
 */
export type CaseRunner = (testCase: VectorCase) => string | undefined | Promise<string | undefined>

/** Runners of one dialect by category. */
export type Runners = Readonly<Record<string, CaseRunner>>

export interface CaseFailure {
  readonly name: string
  readonly message: string
}

export interface CategoryResult {
  readonly category: string
  readonly passed: number
  readonly failures: readonly CaseFailure[]
  /** Cases of a category that has no runner yet. */
  readonly skipped: number
  /** Remarks on passed cases, each with how many cases it concerns. */
  readonly remarks: ReadonlyMap<string, number>
}

export async function runVectorFile(file: VectorFile, runners: Runners): Promise<CategoryResult[]> {
  const results: CategoryResult[] = []
  for (const [category, cases] of file.categories) {
    const run = Object.hasOwn(runners, category) ? runners[category] : undefined
    results.push(
      run === undefined
        ? { category, passed: 0, failures: [], skipped: cases.length, remarks: new Map() }
        : await runCategory(category, cases, run),
    )
  }
  return results
}

async function runCategory(
  category: string,
  cases: readonly VectorCase[],
  run: CaseRunner,
): Promise<CategoryResult> {
  const failures: CaseFailure[] = []
  const remarks = new Map<string, number>()
  for (const [index, testCase] of cases.entries()) {
    try {
      const remark = await run(testCase)
      if (remark !== undefined) remarks.set(remark, (remarks.get(remark) ?? 0) + 1)
    } catch (error) {
      failures.push({ name: caseName(testCase, index), message: messageOf(error) })
    }
  }
  const passed = cases.length - failures.length
  return { category, passed, failures, skipped: 0, remarks }
}

function messageOf(error: unknown): string {
  if (error instanceof Mismatch) return error.message
  return error instanceof Error ? `threw ${error.name}: ${error.message}` : `threw ${String(error)}`
}
