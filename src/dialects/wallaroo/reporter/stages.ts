/**
 * The three places of a pipeline that report, each by a reporter: its source, its computations, its
 * sink (§4.2). What they measure, in the words of the peer.
 */
import type { IngestRecorder, Recorder, Reporter } from './reporter.ts'

/**
 * Stage where messages enter a pipeline. All latencies are nanoseconds.
 *
 * @example
 * import { SourceStage, WallarooClient } from 'pentameter/wallaroo'
 *
 * const client = new WallarooClient({ application: 'shop', worker: 'w1' })
 * await client.start()
 * const stage = new SourceStage(client.reporter(), 'Orders')
 * stage.ingested(1_200)
 * await client.close()
 */
export class SourceStage {
  readonly #ingestion: IngestRecorder
  readonly #decoding: Recorder

  /** @param id of the decoding among the pipeline's computations */
  constructor(reporter: Reporter, pipeline: string, id = 1) {
    this.#ingestion = reporter.ingestion(pipeline)
    this.#decoding = reporter.computation(pipeline, 'Decode Time in TCP Source', id)
  }

  /** Records one message that has been taken in and decoded. */
  ingested(decodeNs: number | bigint): void {
    this.#ingestion.count()
    this.#decoding.record(decodeNs)
  }
}

/**
 * One computation of a pipeline on this worker. All latencies are nanoseconds.
 *
 * @example
 * import { ComputationStage, WallarooClient } from 'pentameter/wallaroo'
 *
 * const client = new WallarooClient({ application: 'shop', worker: 'w1' })
 * await client.start()
 * const stage = new ComputationStage(client.reporter(), 'Orders', 'Check Limit', 2)
 * stage.computed(48_000)
 * await client.close()
 */
export class ComputationStage {
  readonly #time: Recorder

  /** @param id its position in the pipeline, 0 to 65535 */
  constructor(reporter: Reporter, pipeline: string, name: string, id: number) {
    this.#time = reporter.computation(pipeline, name, id)
  }

  /** Records one message that has been through it. */
  computed(latencyNs: number | bigint): void {
    this.#time.record(latencyNs)
  }
}

/**
 * Stage where messages leave a pipeline, or this worker for the last time. All latencies are
 * nanoseconds.
 *
 * @example
 * import { SinkStage, WallarooClient } from 'pentameter/wallaroo'
 *
 * const client = new WallarooClient({ application: 'shop', worker: 'w1' })
 * await client.start()
 * const stage = new SinkStage(client.reporter(), 'Orders', 3)
 * stage.completed(900, 71_000, 69_000)
 * await client.close()
 */
export class SinkStage {
  readonly #encoding: Recorder
  readonly #whole: Recorder
  readonly #onWorker: Recorder

  /** @param id of the encoding among the pipeline's computations */
  constructor(reporter: Reporter, pipeline: string, id: number) {
    this.#encoding = reporter.computation(pipeline, 'Sink encoding time', id)
    this.#whole = reporter.startToEnd(pipeline)
    this.#onWorker = reporter.nodeIngressEgress(pipeline)
  }

  /**
   * Records one message that has been encoded and has left the pipeline.
   * @param wholeNs since its ingestion
   * @param onWorkerNs since its arrival on this worker
   */
  completed(
    encodeNs: number | bigint,
    wholeNs: number | bigint,
    onWorkerNs: number | bigint,
  ): void {
    this.#encoding.record(encodeNs)
    this.#whole.record(wholeNs)
    this.#onWorker.record(onWorkerNs)
  }
}
