/**
 * Packets and streams from their grammar (§3.2), with faults at every place of it: versions,
 * lengths that lie, fields that are missing, doubled or of another order, values and rates of any
 * number of digits, gzip bodies that are damaged or nested.
 */
import { gzipSync } from 'node:zlib'
import { ByteBuilder } from '../../../../../test/fuzz/engine/bytes.ts'
import type { Random } from '../../../../../test/fuzz/engine/random.ts'
import { finite, lyingLength, nameBytes, signed } from '../../../../../test/fuzz/engine/values.ts'

const VERSIONS = ['2|', '01|', '12|', '1', '|', '1||', '1 |', '1|+', '1|-', '1| ', '-1|', '']
const TYPES = ['m', 'mr', 'g', 'h']
const NO_TYPES = ['M', 'c', 'ms', 'mrr', 'r', 's', '', ' m', 'm ', 'm:', 'mr|', 'h\r']
const RATES = ['0.1', '0.5', '1.0', '0.001', '0.0', '+0.25', '-0.5', '1.5e-3', '0.1E+2', '0.000']
const NO_RATES = ['1', '.5', '0.', '0.1e', 'NaN', '1e5', '', '0.1.1', '1.0e999', ' 0.1', '0x1.0']

/** Fills one buffer with a packet, or with several as a stream. */
export class PacketStream {
  readonly out = new ByteBuilder()
  readonly #body = new ByteBuilder()
  #random!: Random

  make(random: Random): Uint8Array {
    this.#random = random
    this.out.reset(random.below(4))
    for (let left = random.isOnceIn(3) ? 1 + random.below(4) : 1; left > 0; left--) this.#packet()
    if (random.isOnceIn(12)) this.out.truncate(random.below(this.out.size + 1))
    return this.out.bytes
  }

  #packet(): void {
    const { out } = this
    const random = this.#random
    const body = this.#packed(this.#lines())
    out.text(random.isOnceIn(16) ? random.pick(VERSIONS) : '1|')
    out.text(this.#length(body.length))
    out.text(random.isOnceIn(30) ? random.pick(['\r\n', '', ' \n', '\n\n']) : '\n')
    out.raw(body)
  }

  #length(length: number): string {
    const random = this.#random
    if (!random.isOnceIn(10)) return String(length)
    return random.pick([
      String(lyingLength(random, length)),
      `${'0'.repeat(1 + random.below(40))}${length}`,
      ...[
        '9007199254740992',
        '9007199254740993',
        '18446744073709551616',
        '99999999999999999999999',
      ],
      ...['', '-1', '+4', '1e3', '0x10', `${length}.0`, ` ${length}`, '٣'],
    ])
  }

  #packed(body: Uint8Array): Uint8Array {
    const random = this.#random
    if (!random.isOnceIn(24)) return body
    const members = [gzipSync(body, { level: 1 })]
    if (random.isOnceIn(4)) members.push(gzipSync(body.subarray(0, 20), { level: 1 }))
    if (random.isOnceIn(6)) members.push(Buffer.from([0]))
    if (random.isOnceIn(6)) members[0] = gzipSync(members[0]!, { level: 1 })
    const packed = Buffer.concat(members)
    if (random.isOnceIn(5)) packed[random.below(packed.length)]! ^= 1 << random.below(8)
    return random.isOnceIn(8) ? packed.subarray(0, 2 + random.below(packed.length)) : packed
  }

  #lines(): Uint8Array {
    const random = this.#random
    const body = this.#body.reset()
    const count = random.isOnceIn(50) ? 200 : random.below(5)
    for (let i = 0; i < count; i++) {
      this.#line()
      body.text(random.isOnceIn(24) ? random.pick(['', '\n\n', '\r\n']) : '\n')
    }
    return body.bytes
  }

  #line(): void {
    const random = this.#random
    const body = this.#body
    const fields = [
      () => this.#key(),
      () => body.text(random.isOnceIn(40) ? random.pick(['', '::', '=']) : ':'),
      () => body.text(this.#value()),
      () => body.text(random.isOnceIn(40) ? random.pick(['', '||', ' ']) : '|'),
      () => body.text(random.isOnceIn(16) ? random.pick(NO_TYPES) : random.pick(TYPES)),
      () => this.#rate(),
    ]
    if (random.isOnceIn(16)) {
      const [a, b] = [random.below(fields.length), random.below(fields.length)]
      const way = random.below(3)
      if (way === 0) fields.splice(a, 1)
      else if (way === 1) fields.splice(a, 0, fields[b]!)
      else [fields[a], fields[b]] = [fields[b]!, fields[a]!]
    }
    for (const field of fields) field()
  }

  #key(): void {
    const random = this.#random
    const way = random.below(16)
    if (way < 11) this.#body.text(random.pick(['a', 'shop.checkout', 'req_time', 'x-1']))
    // beside multiples of 16, by which keys are compared and hashed
    else if (way === 11)
      this.#body.text('k'.repeat(16 * (1 + random.below(3)) - 1 + random.below(3)))
    else if (random.isOnceIn(40)) this.#body.text('k'.repeat(4090 + random.below(12)))
    else this.#body.raw(nameBytes(random))
  }

  #value(): string {
    const random = this.#random
    const way = random.below(12)
    if (way < 6) return String(random.below(100_000))
    if (way < 8) return String(signed(random, 64))
    if (way === 8) return '0'.repeat(random.below(103)) + random.below(10)
    if (way === 9) return '9'.repeat(8 + random.below(95))
    if (way === 10)
      return `${random.pick(['+', '-', ''])}${9007199254740990n + BigInt(random.below(5))}`
    return random.pick([
      '',
      '-',
      '+',
      '1.5',
      '0x1',
      '1e3',
      '--1',
      '1:2',
      ' 1',
      '1 ',
      '-0',
      '+0',
      'é',
    ])
  }

  #rate(): void {
    const random = this.#random
    const body = this.#body
    const way = random.below(24)
    if (way < 16) return
    body.text('|@')
    if (way < 20) body.text(random.pick(RATES))
    else if (way === 20) body.text(random.pick(NO_RATES))
    else if (way === 21) body.text(`0.${'0'.repeat(random.below(400))}${random.below(1000)}`)
    else if (way === 22) body.text(`${random.below(1e9)}.${random.next()}${random.next()}`)
    else body.text(`0.5e${random.pick(['', '-', '+'])}${random.below(400)}`)
    if (way === 23) body.text(String(finite(random)).includes('.') ? '' : '|@0.1')
  }
}
