/**
 * The two forms of a collection, as dotnet-counters writes them and readable by any parser
 * (eventcounters.md §8): CSV with the quoting of RFC 4180, JSON as one document.
 */

import { csvRow, unseenJson } from '../../../../model/text/unseen.ts'
import type { FeedWindow } from '../../../command-line.ts'
import { dotnetCountersDisplay } from '../../display.ts'
import type { CounterDescription } from '../../window.ts'

export const FORMATS = ['csv', 'json'] as const
export type Format = (typeof FORMATS)[number]

export interface DocumentForm {
  readonly head: string
  /** Writes the text of one window, after `count` others. */
  row(window: FeedWindow, time: Date, count: number): string
  /** Text behind the last row. */
  readonly end: string
}

interface DocumentOptions {
  /** `host:port`. */
  readonly target: string
  readonly start: Date
}

export function documentForm(format: Format, options: DocumentOptions): DocumentForm {
  return format === 'csv' ? CSV : jsonForm(options)
}

const CSV: DocumentForm = {
  head: 'Timestamp,Provider,Counter Name,Counter Type,Mean/Increment\n',
  row(window, time) {
    const { provider } = window.counter
    const tags = tagsOf(window.counter, ';')
    const { label, value, csvType } = dotnetCountersDisplay(window)
    const name = tags === '' ? label : `${label}[${tags}]`
    return csvRow([
      time.toISOString(),
      provider,
      name,
      csvType,
      Number.isNaN(value) ? 'NaN' : value,
    ])
  },
  end: '',
}

/** Makes a form of one event a line, commas in front: a document without events is one, too. */
function jsonForm({ target, start }: DocumentOptions): DocumentForm {
  const facts = unseenJson({ TargetProcess: target, StartTime: start.toISOString() })
  return {
    head: `${facts.slice(0, -1)},"Events":[`,
    row(window, time, count) {
      const { counter } = window
      const { provider, meterTags = [], instrumentTags = [] } = counter
      const own = counter.metaData.slice(meterTags.length + instrumentTags.length)
      const { label, value, csvType } = dotnetCountersDisplay(window)
      const event = {
        timestamp: time.toISOString(),
        ...{ provider, name: label, tags: tagsOf({ ...counter, metaData: own }, ',') },
        counterType: csvType,
        meterTags: tagsOf({ ...counter, metaData: meterTags }, ','),
        instrumentTags: tagsOf({ ...counter, metaData: instrumentTags }, ','),
        value: Number.isFinite(value) ? value : null,
      }
      return `${count === 0 ? '' : ','}\n${unseenJson(event)}`
    },
    end: '\n]}\n',
  }
}

/** Writes pairs as dotnet-counters does: tags of instruments `k=v`, metadata of counters `k:v`. */
function tagsOf({ metaData, hasTags }: CounterDescription, between: ',' | ';'): string {
  const separator = hasTags ? '=' : ':'
  return metaData.map(([key, value]) => `${key}${separator}${value}`).join(between)
}
