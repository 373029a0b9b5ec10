/** Command lines run in the test's own process, where starting one is not what is tested. */
import type { TestContext } from 'node:test'
import { main } from '../../../src/cli/main.ts'

export interface Refusal {
  readonly status: number
  readonly stderr: string
}

/** Runs a command line that ends before it has written to the standard output. */
export async function refusalOf(context: TestContext, args: readonly string[]): Promise<Refusal> {
  let stderr = ''
  const { mock } = context.mock.method(process.stderr, 'write', (text: string) => {
    stderr += text
    return true
  })
  const status = await main(args)
  mock.restore()
  for (const stream of [process.stdout, process.stderr]) stream.removeAllListeners('error')
  return { status, stderr }
}
