/** Runs the golden cases of scraping. */
import { same } from '../../../../test/vectors/expect.ts'
import type { Runners } from '../../../../test/vectors/run.ts'
import type { VectorCase } from '../../../../test/vectors/vector-file.ts'
import { fromHex } from '../../../model/index.ts'
import { decodeScraping, encodeScraping } from '../codec.ts'

interface ExpositionCase {
  readonly text?: string
  readonly hex?: string
  readonly messages: readonly unknown[]
  readonly errors: readonly string[]
  readonly twoWay?: boolean
}

function run(testCase: VectorCase): undefined {
  const { text, hex = '', messages, errors, twoWay } = testCase as unknown as ExpositionCase
  const bytes = text === undefined ? fromHex(hex) : new TextEncoder().encode(text)
  const decoded = decodeScraping(bytes)
  const codes = decoded.errors.map(({ code }) => code)
  same('messages and errors', [decoded.messages, codes], [messages, errors])
  if (twoWay !== true) return
  const [written] = encodeScraping(messages)
  same('what is written', new TextDecoder().decode(written), text)
}

export const runners: Runners = { text: run, protobuf: run }
