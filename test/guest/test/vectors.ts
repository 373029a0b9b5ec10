/** Runs the golden cases of Semaphore. */
import { EncodeError } from '../../../src/wire/encode-error.ts'
import { same } from '../../vectors/expect.ts'
import type { Runners } from '../../vectors/run.ts'
import type { VectorCase } from '../../vectors/vector-file.ts'
import { decodeSemaphore, encodeSemaphore, type Message } from '../codec.ts'

interface DecodeCase {
  readonly text: string
  readonly messages: readonly Message[]
  readonly errors: readonly string[]
}

interface EncodeCase {
  readonly message: Message
  readonly text?: string
  readonly error?: string
}

export const runners: Runners = {
  decode(testCase: VectorCase) {
    const { text, messages, errors } = testCase as unknown as DecodeCase
    const decoded = decodeSemaphore(Buffer.from(text, 'latin1'))
    const codes = decoded.errors.map(({ code }) => code)
    same('messages and errors', [decoded.messages, codes], [messages, errors])
    return undefined
  },
  encode(testCase: VectorCase) {
    const { message, text, error } = testCase as unknown as EncodeCase
    same('what is written', written(message), text ?? error)
    return undefined
  },
}

function written(message: Message): string {
  try {
    return Buffer.concat(encodeSemaphore([message])).toString('latin1')
  } catch (error) {
    if (error instanceof EncodeError) return error.code
    throw error
  }
}
