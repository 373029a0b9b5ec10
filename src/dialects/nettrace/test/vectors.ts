/**
 * Runs the vectors of NetTrace and Diagnostics IPC, synthetic and recorded: what the real runtime
 * sent, and what the real reader makes of it.
 */
import { near, same } from '../../../../test/vectors/expect.ts'
import type { Runners } from '../../../../test/vectors/run.ts'
import type { VectorCase } from '../../../../test/vectors/vector-file.ts'
import { fromHex, toHex } from '../../../model/index.ts'
import { ByteReader } from '../codec/byte-reader.ts'
import { ByteWriter } from '../codec/byte-writer.ts'
import type { IpcMessage } from '../codec/ipc/messages.ts'
import { readAdvertisement, readCommand, readReply } from '../codec/ipc/read.ts'
import { parseArguments, parseSocketName } from '../codec/ipc/texts.ts'
import { writeIpc } from '../codec/ipc/write.ts'
import { counterLayout, MEAN_FIELDS, SUM_FIELDS } from '../codec/layouts.ts'
import { countersFields, type EventMessage } from '../codec/message.ts'
import { readMetadata4, writeMetadata4 } from '../codec/metadata.ts'
import { readPayload, writePayload } from '../codec/payload.ts'
import { createDecoder } from '../codec.ts'
import type { Payload } from '../spec.ts'
import { checkBad, checkStream } from './vectors/streams.ts'

/** Dialect whose published file of vectors has cases of this one. */
export const alsoIn = 'eventcounters'

export const runners: Runners = {
  'ipc-packet': checkPacket,
  'ipc-bad': checkBadPacket,
  'ipc-exchange': checkExchange,
  'filter-arguments': checkArguments,
  'socket-name': checkSocketName,
  'nettrace-varuint': checkVaruint,
  'nettrace-metadata': checkMetadata,
  'nettrace-payload': checkPayload,
  'nettrace-stream': checkStream,
  'nettrace-bad': checkBad,
  recording: checkRecording,
}

type Fields = Readonly<Record<string, unknown>>

function fieldsOf(testCase: VectorCase): { input: Fields; expect: Fields } {
  return testCase as unknown as { input: Fields; expect: Fields }
}

/** Both directions. */
function checkPacket(testCase: VectorCase): undefined {
  const { input, expect } = fieldsOf(testCase)
  const message = input as unknown as IpcMessage
  const hex = toHex(writeIpc(message))
  same('packet', hex, expect.hex)
  same('message', messageOf(fromHex(hex)), message)
}

function messageOf(bytes: Uint8Array): IpcMessage | undefined {
  if (bytes.length === 34 && bytes[0] === 0x41) return readAdvertisement(bytes)
  return bytes[16] === 0xff ? readReply(bytes) : readCommand(bytes).command
}

function checkBadPacket(testCase: VectorCase): undefined {
  const { input, expect } = fieldsOf(testCase)
  same('result', readCommand(fromHex(input.hex as string)), expect)
}

/** Requests that .NET 10 answers otherwise than a later one, or than we do. */
const OTHERWISE = new Set([
  'requests: CollectTracing6',
  'requests: CollectTracing5 type 1 with the payload of type 0',
])

/** Tells a request as the runtime did: refused with the same result, or taken. */
function checkExchange(testCase: VectorCase): string | undefined {
  const { name, request, reply } = testCase as unknown as {
    readonly name: string
    readonly request: string | null
    readonly reply: string
  }
  const answer = reply === '' ? undefined : messageOf(fromHex(reply))
  if (reply.startsWith('00')) return 'the runtime answers with bytes that are no message'
  if (reply !== '') same('reply is read', answer !== undefined, true)
  if (request === null || request === undefined || request === '') return 'a reply alone'
  if (request.startsWith('41445652')) return 'an advertisement'
  if (OTHERWISE.has(name)) return 'a runtime of another version answers as we do'
  if (reply === '') return 'without an answer: it waits for more'
  const refused = answer?.message === 'Error' ? answer.code : undefined
  const { error } = readCommand(fromHex(request))
  same('refusal', error, refused)
  return undefined
}

function checkArguments(testCase: VectorCase): undefined {
  const { input, expect } = fieldsOf(testCase)
  same('pairs', parseArguments(input.text as string), expect.pairs)
}

function checkSocketName(testCase: VectorCase): undefined {
  const { input, expect } = fieldsOf(testCase)
  same('owner', parseSocketName(input.name as string) ?? null, expect.match)
}

function checkVaruint(testCase: VectorCase): undefined {
  const { input, expect } = fieldsOf(testCase)
  const value = BigInt(input.value as string)
  const bytes = new ByteWriter().varuint(value).take()
  same('bytes', toHex(bytes), expect.hex)
  same('value', new ByteReader().open(bytes).varuint64(), value)
  same('as a double', new ByteReader().open(bytes).varuint(), Number(value))
}

function checkMetadata(testCase: VectorCase): undefined {
  const { input, expect } = fieldsOf(testCase)
  const { metadataId, provider, eventId, fields } = input as unknown as {
    readonly metadataId: number
    readonly provider: string
    readonly eventId: number
    readonly fields: readonly (readonly [string, number])[]
  }
  const own = fields.map(([name, type]) => ({ name, type }))
  const metadata = { id: metadataId, provider, ...counterLayout(own, eventId) }
  const out = new ByteWriter()
  writeMetadata4(out, metadata)
  same('bytes', toHex(out.written), expect.hex)
  same('read', readMetadata4(new ByteReader().open(out.take())), metadata)
}

function checkPayload(testCase: VectorCase): undefined {
  const { input, expect } = fieldsOf(testCase)
  const fields = countersFields(input.kind === 'mean' ? MEAN_FIELDS : SUM_FIELDS)
  const payload = { '': { Payload: input.payload as Payload } }
  const out = new ByteWriter()
  writePayload(out, fields, payload)
  same('bytes', toHex(out.written), expect.hex)
  const reader = new ByteReader().open(out.written)
  const again = new ByteWriter()
  writePayload(again, fields, readPayload(reader, fields))
  same('read and written again', toHex(again.written), expect.hex)
  same('bytes left', reader.left, 0)
}

interface Recording {
  readonly base64: string
  readonly chunks: readonly (readonly [ms: number, bytes: number])[]
  readonly ended: boolean
  readonly events: readonly EventMessage[]
  readonly lost: number
}

/** As it arrived, then in pieces of 1, 7 and 65 536 bytes. */
function checkRecording(testCase: VectorCase): undefined {
  const { base64, chunks, ended, events, lost } = testCase as unknown as Recording
  const bytes = Uint8Array.from(atob(base64), (unit) => unit.charCodeAt(0))
  const sizes = chunks.map(([, size]) => size)
  for (const pieces of [sizes, [1], [7], [65_536]]) {
    const decoder = createDecoder()
    for (let at = 0, i = 0; at < bytes.length; i++) {
      const size = pieces[i % pieces.length]!
      decoder.push(bytes.subarray(at, at + size))
      at += size
    }
    decoder.end()
    const codes = decoder.errors.map(({ code }) => code)
    same('errors', codes, ended ? [] : ['truncated'])
    same('notes of losses', decoder.notes.length, lost === 0 ? 1 : 2)
    checkEvents(decoder.messages as readonly EventMessage[], events)
  }
}

/** Texts and numbers exactly; times within what the real reader's own arithmetic leaves. */
function checkEvents(found: readonly EventMessage[], wanted: readonly EventMessage[]): void {
  same('count', found.length, wanted.length)
  for (const [i, expected] of wanted.entries()) {
    const { time, relMs, ...rest } = found[i]!
    const { time: wantedTime, relMs: wantedMs, ...wantedRest } = expected
    same(`event ${i}`, rest, wantedRest)
    near(`relMs of event ${i}`, relMs, wantedMs, 1e-9)
    same(`time of event ${i}`, time, wantedTime)
  }
}
