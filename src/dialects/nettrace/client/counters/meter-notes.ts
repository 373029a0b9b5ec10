/**
 * What a process says of its meters besides their values (§9): limits that were reached, callbacks
 * that fail, and other tools whose collection is in the way. The last text of each kind is kept.
 */
import type { NetTraceEvent } from '../../codec/event.ts'
import type { Payload } from '../../spec.ts'
import type { CollectRequest } from './providers.ts'

/** Characters of a text that are kept; errors come with stacks of calls. */
const TEXT_LENGTH_MAX = 300
const LEFT_OUT = {
  series: 'more time series of meters than maxTimeSeries, the latest are left out',
  histograms: 'more histograms of meters than maxHistograms, the latest are left out',
}

export class MeterNotes {
  /** Texts by what they are about. */
  readonly texts = new Map<string, string>()
  readonly #request: Pick<CollectRequest, 'sessionId' | 'clientId'>

  constructor(request: Pick<CollectRequest, 'sessionId' | 'clientId'>) {
    this.#request = request
  }

  /** Takes an event of the meters' provider that is no value. */
  take({ metadata, payload }: NetTraceEvent): void {
    if (payload === undefined) return
    const note = this.#noteOf(metadata.name, payload)
    if (note !== undefined) this.texts.set(note[0], shorten(note[1]))
  }

  #noteOf(event: string, payload: Payload): readonly [string, string] | undefined {
    const { sessionId, clientId } = this.#request
    const isOurs = payload.sessionId === sessionId
    switch (event) {
      case 'TimeSeriesLimitReached':
        return isOurs ? ['seriesLeftOut', LEFT_OUT.series] : undefined
      case 'HistogramLimitReached':
        return isOurs ? ['histogramsLeftOut', LEFT_OUT.histograms] : undefined
      case 'ObservableInstrumentCallbackError':
        return isOurs ? ['callbackError', firstLine(payload.errorMessage)] : undefined
      case 'Error':
        return isOurs ? ['meterError', firstLine(payload.message)] : undefined
      case 'MultipleSessionsNotSupportedError':
        return payload.runningSessionId === sessionId
          ? undefined
          : ['meters', `taken by another tool’s session ${firstLine(payload.runningSessionId)}`]
      case 'MultipleSessionsConfiguredIncorrectlyError': {
        if (payload.clientId !== clientId) return undefined
        const seconds = firstLine(payload.expectedRefreshInterval)
        return ['meters', `as another tool wants them: every ${seconds} s, with its limits`]
      }
      default:
        return undefined
    }
  }
}

function firstLine(value: unknown): string {
  const [line = ''] = (typeof value === 'string' ? value : '').split(/[\r\n]/)
  return line
}

function shorten(text: string): string {
  return text.length <= TEXT_LENGTH_MAX ? text : `${text.slice(0, TEXT_LENGTH_MAX)}…`
}
