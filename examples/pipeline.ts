/**
 * A pipeline that measures itself: lines of text are decoded, their words counted, the counts
 * encoded, by two workers that report computations, pipeline and workers by the Wallaroo protocol
 * to a hub.
 * Run: node examples/pipeline.ts [PORT] [SECONDS]
 */
import { setTimeout } from 'node:timers/promises'
import { ComputationStage, SinkStage, SourceStage, WallarooClient } from 'pentameter/wallaroo'

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

class Worker {
  readonly name: string
  readonly client: WallarooClient
  readonly #source: SourceStage
  readonly #split: ComputationStage
  readonly #count: ComputationStage
  readonly #sink: SinkStage
  readonly #totals = new Map<string, number>()

  constructor(name: string) {
    this.name = name
    // What is measured before the connection stands is kept: 200 windows.
    const names = { application: 'example', worker: name }
    this.client = new WallarooClient({
      ...names,
      port,
      periodMs: 1000,
      bufferWindows: 200,
    })
    void this.client.start()
    const reporter = this.client.reporter()
    this.#source = new SourceStage(reporter, PIPELINE, 1)
    this.#split = new ComputationStage(reporter, PIPELINE, 'Split Into Words', 2)
    this.#count = new ComputationStage(reporter, PIPELINE, 'Count Words', 3)
    this.#sink = new SinkStage(reporter, PIPELINE, 4)
  }

  process(line: Buffer): void {
    const start = process.hrtime.bigint()
    const [text, decodeNs] = timed(() => line.toString('utf8'))
    this.#source.ingested(decodeNs)
    const [words, splitNs] = timed(() => wordsOf(text))
    this.#split.computed(splitNs)
    const [distinct, countNs] = timed(() => countWords(this.#totals, words))
    this.#count.computed(countNs)
    const [, encodeNs] = timed(() => JSON.stringify({ distinct }))
    const wholeNs = process.hrtime.bigint() - start
    this.#sink.completed(encodeNs, wholeNs, wholeNs)
  }
}

const workers = [new Worker('initializer'), new Worker('worker2')]
for (let step = 0; step < seconds * 10; step++) {
  for (const worker of workers) {
    for (let i = 0; i < 20; i++) worker.process(LINES[(step + i) % LINES.length]!)
  }
  await setTimeout(100)
}
await Promise.all(workers.map(({ client }) => client.close()))
for (const { name, client } of workers) {
  const { sent, droppedOffline, droppedSlow } = client.counts
  console.log(`${name}: ${sent} windows sent, ${droppedOffline + droppedSlow} dropped`)
}
