/** Runs the golden cases of OTLP metrics. */
import { same } from '../../../../test/vectors/expect.ts'
import type { Runners } from '../../../../test/vectors/run.ts'
import type { VectorCase } from '../../../../test/vectors/vector-file.ts'
import { fromHex, toHex } from '../../../model/index.ts'
import { decodeOpenTelemetry, encodeOpenTelemetry } from '../codec.ts'

interface RequestCase {
  readonly hex: string
  readonly messages: readonly unknown[]
  readonly errors: readonly string[]
  readonly oneWay?: boolean
}

interface JsonCase extends Omit<RequestCase, 'hex'> {
  readonly text: string
}

export const runners: Runners = {
  request(testCase: VectorCase) {
    const { hex, messages, errors, oneWay } = testCase as unknown as RequestCase
    checkRead(fromHex(hex), messages, errors)
    if (errors.length > 0 || oneWay === true) return undefined
    const written = encodeOpenTelemetry(messages).map(toHex)
    same('what is written', written, messages.length === 0 ? [] : [hex])
    return undefined
  },
  json(testCase: VectorCase) {
    const { text, messages, errors } = testCase as unknown as JsonCase
    checkRead(new TextEncoder().encode(text), messages, errors)
    return undefined
  },
}

function checkRead(
  bytes: Uint8Array,
  messages: readonly unknown[],
  errors: readonly string[],
): void {
  const decoded = decodeOpenTelemetry(bytes)
  const codes = decoded.errors.map(({ code }) => code)
  same('messages and errors', [decoded.messages, codes], [messages, errors])
}
