/** P19: what it costs a web server to have its requests measured, by us and by OpenTelemetry. */
import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { fileURLToPath } from 'node:url'
import { atMost, type Contender, figureOf, interleave, ratioOf } from './measure/question.ts'
import { ask } from './measure/run.ts'

const WARM_UPS = 2
const ROUNDS = 9
const REQUESTS = 4000
const CONNECTIONS = 16
const PROGRAM = fileURLToPath(new URL('receivers/http-program.ts', import.meta.url))
/** What measuring may add to an empty request, the least that a server can do. */
const ADDED_MOST = 1.15

interface Told {
  readonly port: number
  readonly cpuUs: number
  readonly counted: number
}

class Program {
  readonly #child: ChildProcess
  readonly #agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  #port = 0
  #requests = 0

  constructor(mode: string) {
    this.#child = fork(PROGRAM, [mode])
  }

  async start(): Promise<void> {
    this.#port = (await this.#told()).port
  }

  async #told(): Promise<Told> {
    const [told] = await once(this.#child, 'message')
    return told as Told
  }

  /** @param isMeasured whether its own count of requests must be that of those sent */
  async round(isMeasured: boolean): Promise<number> {
    this.#child.send('how much')
    const before = await this.#told()
    let left = REQUESTS
    const connection = async (): Promise<void> => {
      while (left-- > 0) await this.#request()
    }
    await Promise.all(Array.from({ length: CONNECTIONS }, connection))
    this.#requests += REQUESTS
    this.#child.send('how much')
    const after = await this.#told()
    // those whose answers are not closed yet are at most one a connection
    const missing = isMeasured ? this.#requests - after.counted : 0
    assert.ok(missing >= 0 && missing <= CONNECTIONS, `${missing} requests were not counted`)
    return (after.cpuUs - before.cpuUs) / REQUESTS
  }

  #request(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const options = { host: '127.0.0.1', port: this.#port, path: '/cart/1', agent: this.#agent }
    const sent = request(options, (answer) => {
      answer.resume()
      answer.once('end', resolve)
    })
    sent.once('error', reject)
    sent.end()
    return promise
  }

  stop(): void {
    this.#agent.destroy()
    this.#child.disconnect()
  }
}

await ask({
  name: 'P19',
  asks: 'What does it cost a web server to have its requests measured?',
  data: `${REQUESTS} requests a round over ${CONNECTIONS} kept connections; ten bytes back`,
  method: [
    'a server of node:http in a process of its own: as it is, with metrics.http(), and with',
    '@opentelemetry/instrumentation-http whose metrics are read, whose traces nothing wants',
    'its processor time for each request; what it has counted must be what was sent',
  ],
  unit: 'µs of processor time a request',

  async measure() {
    const titles = { none: 'not measured', ours: 'metrics.http()', otel: 'instrumentation-http' }
    const programs: Program[] = []
    const contenders: Contender[] = []
    for (const [mode, title] of Object.entries(titles)) {
      const program = new Program(mode)
      await program.start()
      programs.push(program)
      contenders.push({ title, round: () => program.round(mode !== 'none') })
    }
    const [none, ours, otel] = await interleave(contenders, WARM_UPS, ROUNDS)
    for (const program of programs) program.stop()
    return {
      warmUps: WARM_UPS,
      rounds: ROUNDS,
      figures: [none!, ours!, otel!].map(figureOf),
      verdicts: [ratioOf(ours!, none!, atMost(ADDED_MOST)), ratioOf(ours!, otel!, atMost(1))],
      skipped: [],
    }
  },
})
