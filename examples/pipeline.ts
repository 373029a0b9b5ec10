/**
 * A pipeline that measures itself: one worker decodes lines of text and splits them, hands them
 * over to another one, which counts their words and encodes the counts. Both report computations,
 * pipeline and workers by the Wallaroo protocol to a hub.
 * Run: npx node examples/pipeline.ts [PORT] [SECONDS]
 */
import { setTimeout } from 'node:timers/promises'
import {
  ArrivalStage,
  ComputationStage,
  HandOverStage,
  SinkStage,
  SourceStage,
  WallarooClient,
} from 'pentameter/wallaroo'

const port = Number(process.argv[2] ?? 5001)
const seconds = Number(process.argv[3] ?? 10)
const PIPELINE = 'Word Count'
const LINES = [
  'the quick brown fox jumps over the lazy dog',
  'to be or not to be that is the question',
  'a rose is a rose is a rose',
].map((line) => Buffer.from(line))

/** Runs one step and says how many nanoseconds it took. */
function timed<T>(run: () => T): [result: T, elapsedNs: bigint] {
  const start = process.hrtime.bigint()
  const result = run()
  return [result, process.hrtime.bigint() - start]
}

function wordsOf(text: string): string[] {
  return text.split(' ')
}

function countWords(totals: Map<string, number>, words: readonly string[]): number {
  for (const word of words) totals.set(word, (totals.get(word) ?? 0) + 1)
  return totals.size
}

function connect(worker: string): WallarooClient {
  // What is measured before the connection stands is kept: 200 windows.
  const names = { application: 'example', worker }
  const client = new WallarooClient({ ...names, port, periodMs: 1000, bufferWindows: 200 })
  void client.start()
  return client
}

/** What one worker gives to the other: a message, and since when it is under way. */
interface HandedOver {
  readonly words: readonly string[]
  /** Times in ns: of the pipeline so far, and when it was handed over. */
  readonly spentNs: bigint
  readonly atNs: bigint
}

/** The worker with the source, which decodes lines and splits them. */
class FirstWorker {
  readonly client = connect('initializer')
  readonly #reporter = this.client.reporter()
  readonly #source = new SourceStage(this.#reporter, PIPELINE, 1)
  readonly #split = new ComputationStage(this.#reporter, PIPELINE, 'Split Into Words', 2)
  readonly #handOver = new HandOverStage(this.#reporter, PIPELINE)

  process(line: Buffer): HandedOver {
    const start = process.hrtime.bigint()
    const [text, decodeNs] = timed(() => line.toString('utf8'))
    this.#source.ingested(decodeNs)
    const [words, splitNs] = timed(() => wordsOf(text))
    this.#split.computed(splitNs)
    const atNs = process.hrtime.bigint()
    this.#handOver.handedOver(atNs - start)
    return { words, spentNs: atNs - start, atNs }
  }
}

/** The worker with the sink, which counts words. */
class SecondWorker {
  readonly client = connect('worker2')
  readonly #reporter = this.client.reporter()
  readonly #arrival = new ArrivalStage(this.#reporter, PIPELINE, 3)
  readonly #count = new ComputationStage(this.#reporter, PIPELINE, 'Count Words', 4)
  readonly #sink = new SinkStage(this.#reporter, PIPELINE, 5)
  readonly #totals = new Map<string, number>()

  process({ words, spentNs, atNs }: HandedOver): void {
    const start = process.hrtime.bigint()
    // Two machines have no clock in common but the wall's: there it is a difference of Date.now().
    const networkNs = start - atNs
    this.#arrival.arrived(networkNs)
    const [distinct, countNs] = timed(() => countWords(this.#totals, words))
    this.#count.computed(countNs)
    const [, encodeNs] = timed(() => JSON.stringify({ distinct }))
    const onWorkerNs = process.hrtime.bigint() - start
    this.#sink.completed(encodeNs, spentNs + networkNs + onWorkerNs, onWorkerNs)
  }
}

const [first, second] = [new FirstWorker(), new SecondWorker()]
for (let step = 0; step < seconds * 10; step++) {
  for (let i = 0; i < 20; i++) second.process(first.process(LINES[(step + i) % LINES.length]!))
  await setTimeout(100)
}
for (const [name, { client }] of Object.entries({ initializer: first, worker2: second })) {
  await client.close()
  const { sent, droppedOffline, droppedSlow } = client.counts
  console.log(`${name}: ${sent} windows sent, ${droppedOffline + droppedSlow} dropped`)
}
