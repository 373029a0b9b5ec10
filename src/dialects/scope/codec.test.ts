import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { toHex } from '../../model/index.ts'
import { DecodeError } from '../../wire/decode-error.ts'
import type { CodecOptions, Role } from '../decoder.ts'
import { encodeInfo, encodeSettings, encodeSnapshot } from './codec/encode.ts'
import { detectFraming, frame } from './codec/framing.ts'
import { toPlain } from './codec/messages.ts'
import { decodePacket } from './codec/packet.ts'
import { decodeSettings } from './codec/settings.ts'
import { SettingsStream } from './codec/settings-stream.ts'
import { createDecoder, encodeScope } from './codec.ts'
import { CLIENT_DEFAULTS, SERVER_DEFAULTS } from './options.ts'
import { ERROR_CODES } from './spec.ts'
import { hex, u64, VECTORS } from './test/golden.ts'

function codeOf(act: () => unknown): string {
  try {
    act()
  } catch (error) {
    if (error instanceof DecodeError) return error.code
    throw error
  }
  return 'accepted'
}

/** Everything one decoder finds in bytes that come in the given pieces. */
function decodeAll(pieces: readonly Uint8Array[], options: CodecOptions = {}) {
  const decoder = createDecoder(options)
  for (const piece of pieces) decoder.push(piece)
  decoder.end()
  return {
    messages: decoder.messages,
    errors: decoder.errors.map(({ code, resync }) => ({ code, resync })),
    notes: decoder.notes,
  }
}

function cut(bytes: Uint8Array, at: number): Uint8Array[] {
  return [bytes.subarray(0, at), bytes.subarray(at)]
}

function oneByOne(bytes: Uint8Array): Uint8Array[] {
  return Array.from(bytes, (_, i) => bytes.subarray(i, i + 1))
}

describe('settings', () => {
  for (const each of VECTORS.client_settings) {
    it(`${each.name} is written and judged as by the real programs`, () => {
      const interval = u64(each.sampling_interval)
      assert.equal(toHex(encodeSettings(interval)), each.payload_hex)
      assert.equal(toHex(frame(encodeSettings(interval))), each.frame_hex)
      for (const payload of [each.payload_hex, each.array_payload_hex]) {
        const expected = each.server_accepts ? 'accepted' : each.error
        assert.equal(
          codeOf(() => decodeSettings(hex(payload))),
          expected,
        )
        if (!each.server_accepts) continue
        assert.equal(decodeSettings(hex(payload)).samplingIntervalNs, interval)
      }
      assert.equal(toHex(frame(hex(each.array_payload_hex))), each.array_frame_hex)
    })
  }
})

describe('packets', () => {
  for (const each of VECTORS.information) {
    it(`information ${each.name} is written and read as by the real implementation`, () => {
      assert.equal(toHex(encodeInfo(each.metrics)), each.payload_hex)
      assert.equal(toHex(frame(encodeInfo(each.metrics))), each.frame_hex)
      const plain = toPlain(decodePacket(hex(each.payload_hex), { strict: true }))
      assert.deepEqual(plain, { kind: 'info', metrics: each.metrics })
    })
  }

  for (const { name, t, d, payload_hex, frame_hex } of VECTORS.snapshot) {
    it(`snapshot ${name} is written and read as by the real implementation`, () => {
      const plain = { kind: 'snapshot', t, d }
      assert.equal(toHex(encodeScope([plain])[0]!), frame_hex)
      assert.equal(toHex(encodeScope([plain], { profile: 'document' })[0]!), payload_hex)
      assert.deepEqual(toPlain(decodePacket(hex(payload_hex), { strict: true })), plain)
    })
  }

  it('information by numbers whose labels are none is no snapshot with a bad time', () => {
    // {0: {a: {labels: {a: nil}}}, 1: {}}: field 0 is the metrics, or t
    const payload = hex('820081a16181a66c6162656c7381a161c00180')
    assert.equal(
      codeOf(() => decodePacket(payload, { strict: true })),
      'bad_shape',
    )
  })

  for (const each of VECTORS.accepted_variants) {
    it(`variant ${each.name} is taken by the strict reading`, () => {
      const payload = hex(each.payload_hex)
      const isSettings = each.for === 'client_settings'
      const message = isSettings ? decodeSettings(payload) : decodePacket(payload, { strict: true })
      assert.deepEqual(toPlain(message), each.result)
      if (each.canonical_frame_hex === undefined) return
      assert.equal(toHex(encodeScope([toPlain(message)])[0]!), each.canonical_frame_hex)
    })
  }

  for (const each of VECTORS.rejected) {
    it(`${each.name} is refused as ${each.error} by the strict reading`, () => {
      const payload = hex(each.payload_hex)
      if (each.for === 'client_settings') {
        assert.equal(
          codeOf(() => decodeSettings(payload)),
          each.error,
        )
        return
      }
      assert.equal(
        codeOf(() => decodePacket(payload, { strict: true })),
        each.error,
      )
      if (each.lenient === null)
        assert.equal(
          codeOf(() => decodePacket(payload)),
          each.error,
        )
      else assert.deepEqual(toPlain(decodePacket(payload)), each.lenient)
    })
  }
})

describe('framing', () => {
  for (const each of VECTORS.framing) {
    it(`${each.name}: ${each.expect}`, () => {
      const first = hex(each.first_bytes_hex)
      const isServer = each.side === 'server'
      const cap = isServer ? SERVER_DEFAULTS.settingsCapBytes : CLIENT_DEFAULTS.frameCapBytes
      const verdict = detectFraming(each.side, first, cap, each.idle_after)
      assert.equal(verdict, each.expect === 'unframed' ? 'bare' : each.expect)
      if (each.reads === undefined) return
      const stream = new SettingsStream('auto', cap)
      const handshake = stream.push(first) ?? stream.idle()
      assert.equal(handshake?.settings.samplingIntervalNs, u64(each.reads.sampling_interval))
    })
  }
})

describe('decoder', () => {
  for (const each of VECTORS.streams) {
    const framing = each.framing === 'framed' ? 'framed' : 'bare'
    it(`reads stream ${each.name} whole, byte by byte and cut at every offset`, () => {
      const bytes = hex(each.server_stream_hex)
      const expected = {
        messages: each.packets,
        errors: [],
        notes: ['version 1', `framing: ${framing}`],
      }
      for (const role of ['client', undefined] as const) {
        const options = role === undefined ? {} : { role }
        assert.deepEqual(decodeAll([bytes], options), expected)
        assert.deepEqual(decodeAll(oneByOne(bytes), options), expected)
      }
      for (let at = 1; at < bytes.length; at++) {
        assert.deepEqual(decodeAll(cut(bytes, at), { role: 'client' }), expected, `cut at ${at}`)
      }
    })

    it(`writes the packets of stream ${each.name} back to the same bytes`, () => {
      const profile = framing === 'framed' ? 'peer' : 'document'
      const bytes = Buffer.concat(encodeScope(each.packets, { profile }))
      assert.equal(toHex(hex('0100')) + toHex(bytes), each.server_stream_hex)
    })

    it(`reads the settings of stream ${each.name} in every segmentation`, () => {
      const bytes = hex(each.client_stream_hex)
      const whole = decodeAll([bytes], { role: 'server' })
      assert.equal(whole.messages.length, 1)
      assert.deepEqual(whole.errors, [])
      assert.deepEqual(whole.notes, [`framing: ${framing}`])
      for (let at = 1; at < bytes.length; at++) {
        assert.deepEqual(decodeAll(cut(bytes, at), { role: 'server' }), whole)
      }
      assert.deepEqual(decodeAll(oneByOne(bytes)), whole, 'without a role')
    })
  }

  for (const each of VECTORS.versions) {
    it(`${each.client_accepts ? 'takes' : 'refuses'} ${each.name} in front of packets`, () => {
      const [packet] = encodeScope([{ kind: 'info', metrics: [] }])
      const bytes = new Uint8Array([...hex(each.hex), ...packet!])
      for (const pieces of [[bytes], oneByOne(bytes)]) {
        const { messages, errors } = decodeAll(pieces, { role: 'client' })
        assert.equal(messages.length, each.client_accepts ? 1 : 0)
        const expected = each.client_accepts ? [] : [{ code: 'version', resync: false }]
        assert.deepEqual(errors, expected)
      }
    })
  }

  it('reads every accepted variant, bare or framed, as one whole message per push', () => {
    for (const each of VECTORS.accepted_variants) {
      const payload = hex(each.payload_hex)
      const role: Role = each.for === 'packet' ? 'client' : 'server'
      for (const bytes of [payload, frame(payload)]) {
        const options = { transport: 'udp', strict: true } as const
        const found = decodeAll([bytes], { ...options, role })
        assert.deepEqual(found.messages, [each.result], each.name)
        assert.deepEqual(decodeAll([bytes], options).messages, [each.result], each.name)
      }
    }
  })

  it('gives every rejected case its class as one whole message per push', () => {
    for (const each of VECTORS.rejected) {
      const role: Role = each.for === 'packet' ? 'client' : 'server'
      const options = { role, strict: true, transport: 'udp' } as const
      const found = decodeAll([hex(each.payload_hex)], options)
      assert.deepEqual(
        found.errors.map(({ code }) => code),
        [each.error],
        each.name,
      )
    }
  })

  it('keeps the good packets around a bad one while the boundary is known', () => {
    const good = encodeScope([{ kind: 'info', metrics: [] }])[0]!
    for (const each of VECTORS.rejected) {
      if (each.for !== 'packet') continue
      const stream = Buffer.concat([hex('0100'), good, frame(hex(each.payload_hex)), good])
      for (const pieces of [[stream], oneByOne(stream)]) {
        const found = decodeAll(pieces, { role: 'client', strict: true })
        assert.equal(found.messages.length, 2, each.name)
        assert.deepEqual(found.errors, [{ code: each.error, resync: true }], each.name)
      }
    }
  })

  it('stops at malformed bytes in a bare stream, whose next boundary nobody knows', () => {
    const [info] = encodeScope([{ kind: 'info', metrics: [] }], { profile: 'document' })
    const stream = Buffer.concat([info!, hex('c1'), info!])
    const { messages, errors } = decodeAll([stream], { role: 'client' })
    assert.equal(messages.length, 1)
    assert.deepEqual(errors, [{ code: 'bad_msgpack', resync: false }])
  })

  it('says what kind of stranger sent oversized settings', () => {
    for (const [text, word] of [
      ['GET / HTTP/1.1\r\n\r\n', 'HTTP'],
      ['\x16\x03\x01\x02\x00', 'TLS'],
    ] as const) {
      const decoder = createDecoder({ role: 'server' })
      decoder.push(Buffer.from(text, 'latin1'))
      const [error] = decoder.errors
      assert.equal(error?.code, 'settings_too_large')
      assert.match((error as DecodeError).message, new RegExp(word))
    }
  })

  it('reports a message that is cut off at the end', () => {
    const [settings] = encodeScope([{ kind: 'settings', sampling_interval: { $u64: '5' } }])
    const short = settings!.subarray(0, settings!.length - 1)
    assert.deepEqual(decodeAll([short], { role: 'server' }).errors, [
      { code: 'settings_malformed', resync: false },
    ])
    assert.deepEqual(decodeAll([short]).errors, [{ code: 'bad_msgpack', resync: false }])
    assert.deepEqual(decodeAll([hex('01')], { role: 'client' }).errors, [
      { code: 'closed_early', resync: false },
    ])
  })

  it('knows only errors of its closed set', () => {
    const cases = [
      ...VECTORS.rejected.map((each) => each.payload_hex),
      ...VECTORS.framing.map((each) => each.first_bytes_hex),
    ]
    for (const role of ['server', 'client', undefined] as const) {
      for (const text of cases) {
        const { errors } = decodeAll([hex(text)], role === undefined ? {} : { role })
        for (const { code } of errors) assert.ok(ERROR_CODES.includes(code), code)
      }
    }
  })

  it('counts the bytes that follow the settings, however they come', () => {
    const [settings] = encodeScope([{ kind: 'settings', sampling_interval: { $u64: '5' } }])
    const bytes = new Uint8Array([...settings!, 1, 2, 3])
    for (const pieces of [[bytes], oneByOne(bytes)]) {
      const { notes, messages } = decodeAll(pieces, { role: 'server' })
      assert.deepEqual(notes, ['framing: framed', '3 bytes behind the settings'])
      assert.equal(messages.length, 1)
    }
  })
})

describe('encoder', () => {
  it('refuses what the protocol cannot say, with a code', () => {
    const cases: readonly (readonly [unknown, string])[] = [
      [null, 'bad_message'],
      [{ kind: 'snap' }, 'bad_message'],
      [{ kind: 'settings' }, 'bad_message'],
      [{ kind: 'settings', sampling_interval: 0.5 }, 'bad_message'],
      [{ kind: 'settings', sampling_interval: { $u64: '18446744073709551616' } }, 'bad_range'],
      [{ kind: 'settings', sampling_interval: -1 }, 'bad_range'],
      [{ kind: 'snapshot', t: 0, d: [['a', 'b']] }, 'bad_message'],
      [{ kind: 'snapshot', t: 0, d: [[1, 1]] }, 'bad_message'],
      [{ kind: 'snapshot', t: 0, d: {} }, 'bad_message'],
      [{ kind: 'info', metrics: [['a', [['k', 1]]]] }, 'bad_message'],
    ]
    for (const [message, code] of cases) {
      assert.throws(
        () => encodeScope([message]),
        { name: 'EncodeError', code },
        JSON.stringify(message),
      )
    }
  })

  it('sorts names by UTF-8 bytes, the last of repeated ones stays, surrogates are mended', () => {
    const bytes = encodeSnapshot(0n, [
      ['\u{1f600}', 1],
      ['\uffff', 2],
      ['\ud800', 3],
      ['a', 4],
      ['a', 5],
    ])
    const plain = toPlain(decodePacket(bytes))
    assert.deepEqual(plain, {
      kind: 'snapshot',
      t: { $u64: '0' },
      d: [
        ['a', 5],
        ['\ufffd', 3],
        ['\uffff', 2],
        ['\u{1f600}', 1],
      ],
    })
  })
})
