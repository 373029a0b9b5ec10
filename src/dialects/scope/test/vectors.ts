/** Runs the vectors of scope: the codec's categories; viewer and server ones in further files. */

import { same } from '../../../../test/vectors/expect.ts'
import type { Runners } from '../../../../test/vectors/run.ts'
import type { VectorCase } from '../../../../test/vectors/vector-file.ts'
import { fromHex, toHex } from '../../../model/index.ts'
import type { CodecOptions, Role } from '../../decoder.ts'
import { detectFraming } from '../codec/framing.ts'
import { SettingsStream } from '../codec/settings-stream.ts'
import { createDecoder, encodeScope } from '../codec.ts'
import { CLIENT_DEFAULTS, SERVER_DEFAULTS } from '../options.ts'
import { checkCanonical, checkName, checkTicks } from './vectors/series.ts'
import { checkAverage, checkColor, checkOption, checkTrigger } from './vectors/viewer.ts'

export const runners: Runners = {
  versions: checkVersion,
  client_settings: checkSettings,
  information: ({ metrics, ...rest }) => checkPacket({ kind: 'info', metrics }, rest),
  snapshot: ({ t, d, ...rest }) => checkPacket({ kind: 'snapshot', t, d }, rest),
  accepted_variants: checkVariant,
  rejected: checkRejected,
  framing: checkFraming,
  streams: checkStream,
  ticks: checkTicks,
  names: checkName,
  canonical: checkCanonical,
  colors: checkColor,
  options: checkOption,
  sma: checkAverage,
  trigger: checkTrigger,
}

/** Settings are read by a server, packets by a client. */
function roleOf(testCase: VectorCase): Role {
  return testCase.for === 'client_settings' ? 'server' : 'client'
}

function checkVersion({ hex, value, client_accepts }: VectorCase): undefined {
  const bytes = fromHex(hex as string)
  same('version', bytes[0]! | (bytes[1]! << 8), value)
  const info = { kind: 'info', metrics: [] }
  const { messages, errors } = read([bytes, ...encodeScope([info])], { role: 'client' })
  const isAccepted = client_accepts === true
  same('packets behind it', messages, isAccepted ? [info] : [])
  same('errors', errors, isAccepted ? [] : ['version'])
}

function checkSettings(testCase: VectorCase): undefined {
  const { sampling_interval, server_accepts, error } = testCase
  const message = { kind: 'settings', sampling_interval }
  same('payload', writtenHex([message], 'document'), testCase.payload_hex)
  same('frame', writtenHex([message], 'peer'), testCase.frame_hex)
  for (const field of ['payload_hex', 'array_payload_hex', 'frame_hex', 'array_frame_hex']) {
    const bytes = fromHex(testCase[field] as string)
    // A stream of few bytes counts as bare settings only if they are acceptable (4.2).
    const isStream = server_accepts === true || field.endsWith('frame_hex')
    for (const transport of isStream ? (['tcp', 'udp'] as const) : (['udp'] as const)) {
      const { messages, errors } = read([bytes], { role: 'server', transport })
      same(`${field} read`, messages, server_accepts === true ? [message] : [])
      same(`${field} verdict`, errors, server_accepts === true ? [] : [error])
    }
  }
}

function checkPacket(message: object, { payload_hex, frame_hex }: VectorCase): undefined {
  same('payload', writtenHex([message], 'document'), payload_hex)
  same('frame', writtenHex([message], 'peer'), frame_hex)
  for (const text of [payload_hex, frame_hex]) {
    const options = { role: 'client', strict: true, transport: 'udp' } as const
    const { messages, errors } = read([fromHex(text as string)], options)
    same('errors', errors, [])
    same('read', messages, [message])
  }
}

function checkVariant(testCase: VectorCase): undefined {
  const { payload_hex, result, canonical_frame_hex, note } = testCase
  const bytes = fromHex(payload_hex as string)
  for (const strict of [true, false]) {
    const options = { role: roleOf(testCase), strict, transport: 'udp' } as const
    const { messages, errors } = read([bytes], options)
    same('errors', errors, [])
    same('read', messages, [result])
  }
  // JavaScript can't promise the payload bits of a NaN that is read and written again.
  const text = String(note ?? '')
  const isNaNCase = text.includes('NaN') && text.includes('bits')
  if (canonical_frame_hex === undefined || isNaNCase) return
  same('written again', writtenHex([result], 'peer'), canonical_frame_hex)
}

function checkRejected(testCase: VectorCase): undefined {
  const bytes = fromHex(testCase.payload_hex as string)
  const { error, lenient } = testCase
  const options = { role: roleOf(testCase), transport: 'udp' } as const
  const strict = read([bytes], { ...options, strict: true })
  same('strict reading', strict, { messages: [], errors: [error] })
  const expected = lenient === null ? { messages: [], errors: [error] } : undefined
  same('lenient reading', read([bytes], options), expected ?? { messages: [lenient], errors: [] })
}

function checkFraming(testCase: VectorCase): undefined {
  const { side, first_bytes_hex, idle_after, expect, reads } = testCase
  const first = fromHex(first_bytes_hex as string)
  const cap = side === 'server' ? SERVER_DEFAULTS.settingsCapBytes : CLIENT_DEFAULTS.frameCapBytes
  const verdict = detectFraming(side as 'server' | 'client', first, cap, idle_after === true)
  same('verdict', verdict === 'bare' ? 'unframed' : verdict, expect)
  if (reads === undefined) return
  const stream = new SettingsStream('auto', cap)
  const handshake = stream.push(first) ?? stream.idle()
  const interval = handshake && { $u64: String(handshake.settings.samplingIntervalNs) }
  same('settings', { sampling_interval: interval }, reads)
}

const VERSION_1 = '0100'

function checkStream(testCase: VectorCase): undefined {
  const { client_stream_hex, server_stream_hex, packets, framing } = testCase
  const profile = framing === 'framed' ? 'peer' : 'document'
  const expected = { messages: packets, errors: [] }
  checkCuts('packets', fromHex(server_stream_hex as string), { role: 'client' }, expected)
  const written = VERSION_1 + writtenHex(packets as object[], profile)
  same('packets written again', written, server_stream_hex)
  const settings = fromHex(client_stream_hex as string)
  const whole = read([settings], { role: 'server' })
  same('settings messages', whole.messages.length, 1)
  same('settings written again', writtenHex(whole.messages, profile), client_stream_hex)
  checkCuts('settings', settings, { role: 'server' }, { messages: whole.messages, errors: [] })
}

function checkCuts(what: string, bytes: Uint8Array, options: CodecOptions, expected: object): void {
  same(`${what}, whole`, read([bytes], options), expected)
  const single = Array.from(bytes, (byte) => Uint8Array.of(byte))
  same(`${what}, byte by byte`, read(single, options), expected)
  for (let at = 1; at < bytes.length; at++) {
    const pieces = [bytes.subarray(0, at), bytes.subarray(at)]
    same(`${what}, cut at ${at}`, read(pieces, options), expected)
  }
}

function read(pieces: readonly Uint8Array[], options: CodecOptions) {
  const decoder = createDecoder(options)
  for (const piece of pieces) decoder.push(piece)
  decoder.end()
  return {
    messages: [...decoder.messages],
    errors: decoder.errors.map(({ code }) => code),
  }
}

function writtenHex(messages: readonly unknown[], profile: 'peer' | 'document'): string {
  return encodeScope(messages, { profile }).map(toHex).join('')
}
