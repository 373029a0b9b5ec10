/** Runs the golden cases of remote write. */
import { same } from '../../../../test/vectors/expect.ts'
import type { Runners } from '../../../../test/vectors/run.ts'
import type { VectorCase } from '../../../../test/vectors/vector-file.ts'
import { fromHex, toHex } from '../../../model/index.ts'
import { unpackSnappy } from '../codec/snappy.ts'
import { decodeRemoteWrite, encodeRemoteWrite } from '../codec.ts'
import { UNPACKED_BYTES_LIMIT } from '../spec.ts'

interface RequestCase {
  readonly hex: string
  readonly messages: readonly unknown[]
  readonly errors: readonly string[]
  readonly oneWay?: boolean
}

export const runners: Runners = {
  request(testCase: VectorCase) {
    const { hex, messages, errors, oneWay } = testCase as unknown as RequestCase
    const decoded = decodeRemoteWrite(fromHex(hex))
    const codes = decoded.errors.map(({ code }) => code)
    same('messages and errors', [decoded.messages, codes], [messages, errors])
    if (errors.length > 0 || oneWay === true) return undefined
    const written = encodeRemoteWrite(messages).map(unpacked)
    same('what is written', written, messages.length === 0 ? [] : [unpacked(fromHex(hex))])
    return undefined
  },
}

/** What a block holds, in hex: the same bytes may be packed in many ways. */
function unpacked(block: Uint8Array): string {
  const found = unpackSnappy(block, UNPACKED_BYTES_LIMIT)
  return typeof found === 'string' ? found : toHex(found.bytes)
}
