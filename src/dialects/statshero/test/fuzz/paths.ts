/**
 * Packets by both paths, JavaScript alone and the module that takes lines in memory (quick-lines):
 * streams cut at the same places, datagrams one by one and many at once, limits that refuse series.
 * After every piece both have visited the same and hold as much; at the end their series, counts,
 * measurements and errors, with the bytes of these, are the same.
 */
import assert from 'node:assert/strict'
import { forEachPiece } from '../../../../../test/fuzz/engine/bytes.ts'
import type { Random } from '../../../../../test/fuzz/engine/random.ts'
import { Transcript } from '../../../../../test/fuzz/engine/transcript.ts'
import type { FuzzTarget } from '../../../../../test/fuzz/target.ts'
import { KeyedIngest } from '../../../../../test/support/keyed-ingest.ts'
import { ModelIngest, type ModelIngestOptions } from '../../../../../test/support/model-ingest.ts'
import type { Budget } from '../../../../time/budget.ts'
import type { DatagramBatch, Peer } from '../../../endpoints.ts'
import { FrameScanner } from '../../codec/frame-scan.ts'
import type { FrameRules, PacketVisitor } from '../../codec/line-visitor.ts'
import { decodeDatagram, decodeRest } from '../../codec/packet.ts'
import { frameRules } from '../../codec.ts'
import { LineMapper } from '../../map.ts'
import { RECEIVE_DEFAULTS, type ReceiveOptions } from '../../options.ts'
import { MemoryLines } from '../../server/quick/quick-lines.ts'

/** What a receiver is set to. */
interface Settings {
  readonly options: ReceiveOptions
  readonly limits: ModelIngestOptions
}

const USUAL = { ...RECEIVE_DEFAULTS, maxFrameBytes: 8192, maxInflatedBytes: 65_536 }
const SETTINGS: readonly Settings[] = [
  { options: USUAL, limits: {} },
  {
    options: {
      ...{ ...USUAL, maxFrameBytes: 48, maxInflatedBytes: 256 },
      ...{ maxKeyBytes: 15, negativeMeter: 'refuse', maxValueDigits: 9 },
    },
    limits: { seriesLimit: 2 },
  },
  { options: USUAL, limits: { seriesLimitPerSource: 1 } },
]
/** Bytes that lie around what is read: as if a number, a field or a line went on there. */
const AROUND = [0x31, 0x7c, 0x0a]
const AROUND_BYTES = 64
/** Rounds of the same input: from the second on its keys are known. */
const ROUNDS = 3
const PEERS: readonly Peer[] = [1, 2, 3].map((port) => ({
  ...{ transport: 'udp', address: `192.0.2.${1 + (port & 1)}`, port },
}))

/** What is done with an input: a piece of it to a connection, or datagrams. */
type Step =
  | { readonly to: number; readonly start: number; readonly end: number; readonly isHere: boolean }
  | { readonly datagrams: readonly Datagram[]; readonly isBatch: boolean }
  | { readonly ends: true }
interface Datagram {
  readonly peer: Peer
  readonly start: number
  readonly end: number
}

const CONNECTIONS = 2

function drawSteps(random: Random, size: number): Step[] {
  const steps: Step[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const way = random.below(4)
    if (way < 2) drawReads(random, size, steps)
    else drawDatagrams(random, size, way === 3, steps)
  }
  return steps
}

/** The same bytes over connections that have their reads by turns, each cut for itself. */
function drawReads(random: Random, size: number, steps: Step[]): void {
  const reads = Array.from({ length: 1 + random.below(CONNECTIONS) }, () => cuts(random, size))
  const waiting = () => reads.filter(({ length }) => length > 0)
  for (let left = waiting(); left.length > 0; left = waiting()) {
    const queue = random.pick(left)
    const [start, end] = queue.shift()!
    steps.push({ to: reads.indexOf(queue), start, end, isHere: random.isOnceIn(2) })
  }
  steps.push({ ends: true })
}

function drawDatagrams(random: Random, size: number, isBatch: boolean, steps: Step[]): void {
  const datagrams: Datagram[] = []
  for (let left = 1 + random.below(4); left > 0; left--) {
    const isWhole = !random.isOnceIn(3)
    for (const [start, end] of isWhole ? [[0, size] as const] : cuts(random, size).slice(0, 8)) {
      datagrams.push({ peer: random.pick(PEERS), start, end })
    }
  }
  steps.push({ datagrams, isBatch })
}

function cuts(random: Random, size: number): (readonly [start: number, end: number])[] {
  const pieces: [number, number][] = []
  let at = 0
  forEachPiece(random, new Uint8Array(size), ({ length }) => {
    pieces.push([at, at + length])
    at += length
  })
  return pieces
}

/** Visitor that maps, and writes down what is wrong. */
class Visitor extends LineMapper implements PacketVisitor {
  readonly said = new Transcript()
  readonly #ingest: ModelIngest

  constructor(ingest: ModelIngest, options: ReceiveOptions) {
    super(ingest, options)
    this.#ingest = ingest
  }

  begin({ address }: Peer): void {
    this.#ingest.begin(address)
  }

  packetEnd(): void {}

  badLine(code: string, bytes: Uint8Array, start: number, end: number, offset: number): void {
    this.said.add('bad').add(code).bytes(bytes, start, end).add(offset)
  }

  badPacket(
    code: string,
    detail: string,
    bytes: Uint8Array,
    start: number,
    end: number,
    offset: number,
    isResync: boolean,
  ): void {
    this.said.add('packet').add(code).add(detail).bytes(bytes, start, end).add(offset).add(isResync)
  }
}

/** A turn that is over at each look after so many. */
class Looks implements Budget {
  left = 0

  get isSpent(): boolean {
    return this.left-- <= 0
  }
}

/** One path, with a receiver of its own that is used for one input after the other. */
class Path {
  readonly progress = new Transcript()
  readonly visitor: Visitor
  readonly ingest: ModelIngest
  readonly #rules: FrameRules
  readonly #quick: MemoryLines | undefined
  readonly #looks = new Looks()
  #scanners: FrameScanner[] = []
  #around = 0

  constructor({ options }: Settings, ingest: ModelIngest) {
    this.ingest = ingest
    this.#rules = frameRules(options)
    this.visitor = new Visitor(ingest, options)
    this.#quick = MemoryLines.open(ingest, this.#rules, this.visitor)
    assert.equal(this.#quick !== undefined, ingest instanceof KeyedIngest)
  }

  /**
   * @param looks of each turn, of a path that has turns
   * @param around what is read lie such bytes
   */
  play(bytes: Uint8Array, steps: readonly Step[], looks: number, around: number): void {
    this.#around = around
    this.ingest.reset()
    this.visitor.said.reset()
    this.progress.reset()
    this.#scanners = []
    for (const step of steps) {
      this.#looks.left = looks
      if ('ends' in step) this.#end()
      else if ('datagrams' in step) this.#datagrams(bytes, step.datagrams, step.isBatch)
      else this.#read(bytes.slice(step.start, step.end), step.to, step.isHere, looks)
    }
    this.#tellSeries()
  }

  #read(piece: Uint8Array, to: number, isHere: boolean, looks: number): void {
    const budget = this.#quick === undefined ? undefined : this.#looks
    this.#scanners[to] ??= new FrameScanner(this.#rules, this.visitor, this.#quick, budget)
    const scanner = this.#scanners[to]
    this.visitor.begin(PEERS[to]!)
    const landing = this.#quick?.landing
    let read = piece
    if (isHere && landing !== undefined) {
      landing.set(piece)
      landing.fill(this.#around, piece.length, piece.length + AROUND_BYTES)
      read = landing.subarray(0, piece.length)
    }
    scanner.push(read)
    for (; scanner.hasRest; scanner.goOn()) {
      // another read lands meanwhile
      landing?.fill(this.#around, 0, piece.length)
      piece.fill(this.#around)
      this.#looks.left = looks
    }
    landing?.fill(this.#around, 0, piece.length)
    piece.fill(this.#around)
    const { framesBegun, isInsideFrame, isClosed, bytesInside, bytesHeld } = scanner
    this.progress.add(framesBegun).add(isInsideFrame).add(isClosed).add(bytesInside).add(bytesHeld)
    assert.ok(bytesHeld <= this.#rules.maxFrameBytes + 64, `${bytesHeld} bytes held`)
  }

  #end(): void {
    for (const scanner of this.#scanners) scanner?.end()
    this.#scanners = []
  }

  #datagrams(bytes: Uint8Array, datagrams: readonly Datagram[], isBatch: boolean): void {
    if (isBatch && this.#quick !== undefined) {
      this.#batch(this.#quick, bytes, datagrams)
    } else {
      for (const { peer, start, end } of datagrams) this.#datagram(bytes.slice(start, end), peer)
    }
  }

  #datagram(bytes: Uint8Array, peer: Peer): void {
    const { visitor } = this
    const budget = this.#quick === undefined ? undefined : this.#looks
    visitor.begin(peer)
    let rest = decodeDatagram(bytes, this.#rules, visitor, this.#quick, budget)
    while (rest !== undefined) {
      this.#looks.left = 1
      rest = decodeRest(rest, this.#rules, visitor, this.#quick, budget)
    }
  }

  #batch(quick: MemoryLines, bytes: Uint8Array, datagrams: readonly Datagram[]): void {
    const { buffer, at: sizesAt, take } = quick.datagrams
    const stride = (bytes.length + 31) & ~7
    const at = sizesAt + 4 * datagrams.length
    const memory = new Uint8Array(buffer)
    const sizes = new Uint32Array(buffer, sizesAt, datagrams.length)
    for (const [i, { start, end }] of datagrams.entries()) {
      memory.set(bytes.subarray(start, end), at + i * stride)
      memory.fill(this.#around, at + i * stride + end - start, at + (i + 1) * stride)
      sizes[i] = end - start
    }
    const batch: DatagramBatch = {
      ...{ count: datagrams.length, at, stride, sizesAt, sizesStride: 4 },
      isOfSameSender: (i) => i > 0 && datagrams[i]!.peer === datagrams[i - 1]!.peer,
      sender: (i) => datagrams[i]!.peer,
      handOn: (i) => {
        const { peer } = datagrams[i]!
        const place = at + i * stride
        this.#datagram(memory.subarray(place, place + sizes[i]!), peer)
      },
    }
    for (let next = 0; next < batch.count; ) next = take(batch, next, this.#looks)
  }

  #tellSeries(): void {
    const { progress, ingest } = this
    progress.add(ingest.measurements).data(Object.entries(ingest.counted).sort())
    for (const { key, type, total, down, resets, value, last, histogram } of ingest.series) {
      const { count, sum, min, max, zeroCount } = histogram
      progress.bytes(key).add(type).add(total).add(down).add(resets).add(value).add(last)
      progress.add(count).add(sum).add(min).add(max).add(zeroCount)
    }
  }
}

class Pair {
  readonly plain: Path
  readonly quick: Path

  constructor(settings: Settings, Ingest: typeof KeyedIngest) {
    this.plain = new Path(settings, new ModelIngest(settings.limits))
    this.quick = new Path(settings, new Ingest(settings.limits))
  }

  check(bytes: Uint8Array, random: Random): void {
    const { plain, quick } = this
    const steps = drawSteps(random, bytes.length)
    const looks = random.isOnceIn(2) ? 1 + random.below(3) : Infinity
    const around = random.pick(AROUND)
    plain.play(bytes, steps, looks, around)
    quick.play(bytes, steps, looks, around)
    quick.visitor.said.mustEqual(plain.visitor.said, 'errors by the module and without it')
    quick.progress.mustEqual(plain.progress, 'progress and series by the module and without it')
  }
}

/** The planted bug: what a key's lines are gathered to counts as one of them. */
class ForgetfulIngest extends KeyedIngest {
  protected override takeGathered(places: Int32Array, count: number): void {
    const { measurements } = this
    super.takeGathered(places, count)
    this.measurements = measurements + count
  }
}

/** Pairs are made when they are first asked for: their memory is reserved for good. */
function pairsOf(Ingest: typeof KeyedIngest): (random: Random) => Pair {
  const pairs: Pair[] = []
  return (random) => {
    const number = random.below(SETTINGS.length)
    pairs[number] ??= new Pair(SETTINGS[number]!, Ingest)
    return pairs[number]
  }
}

const pairOf = pairsOf(KeyedIngest)
const forgetfulPairOf = pairsOf(ForgetfulIngest)

export function pathsTarget(of: Pick<FuzzTarget, 'seeds' | 'generate'>): FuzzTarget {
  return {
    name: 'statshero-paths',
    seeds: () => of.seeds(),
    generate: (random) => of.generate(random),
    run: (bytes, random) => pairOf(random).check(bytes, random),
    canary: {
      fault: 'lines that were gathered count as one',
      run: (bytes, random) => forgetfulPairOf(random).check(bytes, random),
    },
  }
}
