/**
 * The grammar of statshero.md §3 as regular expressions over text with one character per byte:
 * slow, small, and written from the document alone. What it says of any bytes must be what the
 * scanners say. Unpacking gzip is zlib's work in both.
 */
import { latin1, type Transcript } from '../../../../../test/fuzz/engine/transcript.ts'
import type { FrameRules } from '../../codec/line-visitor.ts'

const HEADER = /^1\|([0-9]+)\n/
const VALUE = /^[+-]?([0-9]+)$/
const RATE = /^@[+-]?[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?$/
const STRICT_KEY = /^[A-Za-z0-9]+(?:\.[A-Za-z0-9]+)*$/
const STRICT_RATE = /^@0\.[0-9]+$/
const TYPES = ['m', 'mr', 'g', 'h']

/** Says what a datagram is (§3.5). */
export function readDatagram(bytes: Uint8Array, rules: FrameRules, said: Transcript): void {
  const text = latin1(bytes)
  const header = HEADER.exec(text)
  if (!text.startsWith('1|')) said.add('packet').add('bad_version').add(true)
  else if (header === null) said.add('packet').add('bad_length').add(true)
  else if (BigInt(header[1]!) !== BigInt(text.length - header[0].length)) {
    said.add('packet').add('length_mismatch').add(true)
  } else readBody(bytes.subarray(header[0].length), rules, said)
}

/** Says what a stream is (§3.6). */
export function readStream(bytes: Uint8Array, rules: FrameRules, said: Transcript): void {
  const text = latin1(bytes)
  for (let at = 0; at < text.length; ) {
    const frame = frameAt(text, at, rules)
    if (typeof frame === 'string') {
      said.add('packet').add(frame).add(false)
      break
    }
    if (frame.isOurs) readBody(bytes.subarray(frame.start, frame.end), rules, said)
    else said.add('packet').add('bad_version').add(true)
    at = frame.end
  }
}

/** Finds the body of the frame at a place, or the fault behind which no frame can be found. */
function frameAt(text: string, at: number, rules: FrameRules) {
  if (!/[0-9]/.test(text[at]!)) return 'bad_version'
  const lf = text.indexOf('\n', at)
  if (lf === -1 || lf - at > 32) return text.length - at > 32 ? 'bad_length' : 'truncated'
  const [, version, length] = /^([^|]*)\|?(.*)$/s.exec(text.slice(at, lf))!
  if (!/^[0-9]+$/.test(length!)) return 'bad_length'
  if (BigInt(length!) > BigInt(rules.maxFrameBytes)) return 'too_long'
  const start = lf + 1
  const end = start + Number(length)
  return end > text.length ? 'truncated' : { isOurs: version === '1', start, end }
}

function readBody(body: Uint8Array, rules: FrameRules, said: Transcript): void {
  const isGzip = (bytes: Uint8Array) => bytes[0] === 0x1f && bytes[1] === 0x8b
  let plain: Uint8Array | string = body
  if (rules.isStrict && body.length === 0) {
    said.add('packet').add('bad_length').add(true)
    return
  }
  if (isGzip(body)) {
    plain = rules.isStrict ? 'outside' : rules.inflate(body, rules.maxInflatedBytes)
    if (typeof plain === 'string' || isGzip(plain)) {
      said.add('packet').add('bad_gzip').add(true)
      return
    }
  }
  const lines = latin1(plain).split('\n')
  const last = lines.pop()!
  for (const line of lines) readLine(line, true, rules, said)
  if (last !== '') readLine(last, false, rules, said)
  said.add('end')
}

function readLine(line: string, hasEnd: boolean, rules: FrameRules, said: Transcript): void {
  if (line === '' && !rules.isStrict) return
  const [colon, bar] = [line.indexOf(':'), line.indexOf('|')]
  if (colon === -1 || bar === -1 || colon > bar || (rules.isStrict && !hasEnd)) {
    said.add('bad').add('parse_error')
    return
  }
  const key = line.slice(0, colon)
  const value = line.slice(colon + 1, bar)
  const [type, ...fields] = line.slice(bar + 1).split('|')
  const rate = fields.join('|')
  const digits = VALUE.exec(value)?.[1]
  const isUnsigned = digits === value
  const isRate = RATE.test(rate) && Number.isFinite(Number(rate.slice(1)))
  let fault: string | undefined
  if (key === '') fault = 'empty_key'
  else if (rules.isStrict && !STRICT_KEY.test(key)) fault = 'bad_key'
  else if (digits === undefined || digits.length > rules.maxValueDigits) fault = 'bad_value'
  else if (rules.isStrict && !isUnsigned) fault = 'bad_value'
  else if (!TYPES.includes(type!)) fault = 'unknown_type'
  else if (fields.length > 0 && !isRate) fault = 'bad_sample_rate'
  else if (fields.length > 0 && rules.isStrict && !STRICT_RATE.test(rate)) fault = 'bad_sample_rate'
  if (fault !== undefined) {
    said.add('bad').add(fault)
    return
  }
  const exact = BigInt(value.replace('+', ''))
  said.add('line').add(key).add(TYPES.indexOf(type!))
  said.add(Number.isSafeInteger(Number(exact)) ? Number(exact) : exact)
  said.add(fields.length === 0 ? Number.NaN : Number(rate.slice(1)) + 0)
}
