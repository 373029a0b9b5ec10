/** Runs the golden cases of federation. */
import { same } from '../../../../test/vectors/expect.ts'
import type { Runners } from '../../../../test/vectors/run.ts'
import type { VectorCase } from '../../../../test/vectors/vector-file.ts'
import { fromHex, toHex } from '../../../model/index.ts'
import { decodeFederation, encodeFederation } from '../codec.ts'

interface MessageCase {
  readonly hex: string
  readonly messages: readonly unknown[]
  readonly errors: readonly string[]
  readonly oneWay?: boolean
}

export const runners: Runners = {
  message(testCase: VectorCase) {
    const { hex, messages, errors, oneWay } = testCase as unknown as MessageCase
    const decoded = decodeFederation(fromHex(hex))
    const codes = decoded.errors.map(({ code }) => code)
    same('messages and errors', [decoded.messages, codes], [messages, errors])
    if (errors.length > 0 || oneWay === true) return undefined
    same('what is written', encodeFederation(messages).map(toHex).join(''), hex)
    return undefined
  },
}
