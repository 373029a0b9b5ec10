/**
 * The places of a pipeline that report, each by a reporter (§4.2): its source, its computations,
 * its sink, and the two ends of the way to another worker. What they measure, in the peer's words.
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
 * Stage where messages arrive on this worker that another one has handed over. All latencies are
 * nanoseconds. What a worker reports of a message begins here, as it does at a source.
 *
 * @example
 * import { ArrivalStage, WallarooClient } from 'pentameter/wallaroo'
 *
 * const client = new WallarooClient({ application: 'shop', worker: 'w2' })
 * await client.start()
 * const stage = new ArrivalStage(client.reporter(), 'Orders', 3)
 * stage.arrived(310_000)
 * await client.close()
 */
export class ArrivalStage {
  readonly #network: Recorder

  /** @param id of the way among the pipeline's computations: one more than that before it */
  constructor(reporter: Reporter, pipeline: string, id: number) {
    this.#network = reporter.computation(
      pipeline,
      'Before receive on data channel (network time)',
      id,
    )
  }

  /**
   * Records one message that has come.
   * @param networkNs since it was handed over there, a difference of two machines' clocks: a
   *   negative one is left out and counted
   */
  arrived(networkNs: number | bigint): void {
    this.#network.record(networkNs)
  }
}

/**
 * Stage where messages leave this worker for another one, which goes on with them. All latencies
 * are nanoseconds.
 *
 * @example
 * import { HandOverStage, WallarooClient } from 'pentameter/wallaroo'
 *
 * const client = new WallarooClient({ application: 'shop', worker: 'w1' })
 * await client.start()
 * const stage = new HandOverStage(client.reporter(), 'Orders')
 * stage.handedOver(64_000)
 * await client.close()
 */
export class HandOverStage {
  readonly #onWorker: Recorder

  constructor(reporter: Reporter, pipeline: string) {
    this.#onWorker = reporter.nodeIngressEgress(pipeline)
  }

  /**
   * Records one message that has been written to the other worker.
   * @param onWorkerNs since its arrival here, from a source or from another worker
   */
  handedOver(onWorkerNs: number | bigint): void {
    this.#onWorker.record(onWorkerNs)
  }
}

/**
 * Stage where messages leave a pipeline, on whatever worker. All latencies are nanoseconds.
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
   * @param wholeNs since its ingestion, on whatever worker that was
   * @param onWorkerNs since its arrival on this worker, from a source or from another worker
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
